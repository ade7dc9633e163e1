// Barrier, broadcast, scatter, gather, allgather, all-to-all: arguments are checked, and become
// what is to be run and how it is delivered.
#include "src/api/arguments.hpp"
#include "src/api/collective.hpp"

namespace tutti {
namespace {

using collectives::Collective;

void bcast(Library& state, UserRequest& request, void* buffer, MPI_Count count, MPI_Datatype type,
           int root) {
  const Communicator& comm = request.communicator();
  check_root(root, comm);
  forbid_in_place(buffer, "buffer");
  const bool sends = comm.rank() == root;
  // The root's buffer is only read; but the schedule's one buffer is an output on all ranks.
  Blocked& data = (sends ? request.from : request.to)
                      .emplace(state.datatypes, buffer, count, type, 1, "buffer");
  collectives::Task& task = request.task;
  task.collective = Collective::bcast;
  task.root = root;
  task.bytes = data.total();
  sends ? request.reads_output(data) : request.writes(data);
}

// The buffers of a scatter or gather. `all`: what the root alone has, a block for each rank; `one`:
// a rank's own block.
struct Rooted {
  const void* all;
  const MPI_Count *counts, *displacements;  // null: `count` for each
  MPI_Count count;
  MPI_Datatype all_type;
  const void* one;
  MPI_Count one_count;
  MPI_Datatype one_type;
  int root;
};

// The counts of a v-form, in bytes, as far as this rank knows them: then the others' are 0.
std::vector<Bytes> counts_of(const Library& state, const Rooted& a, const Communicator& comm,
                             const Blocked* one, const char* name) {
  const auto mine = static_cast<std::size_t>(comm.rank());
  std::vector<Bytes> counts(static_cast<std::size_t>(comm.size()), 0);
  if (state.configuration.counts == Counts::all) {
    const Layout layout = state.datatypes.layout(a.all_type);
    for (std::size_t i = 0; i < counts.size(); ++i)
      counts[i] = bytes_of(a.counts[i], layout, 1, name);
    check_equal(one->total(), counts[mine]);
  } else {
    counts[mine] = one->total();
  }
  return counts;
}

void scatter_or_gather(Library& state, UserRequest& request, Collective which, const Rooted& a) {
  const Communicator& comm = request.communicator();
  const bool gathers = which == Collective::gather, is_root = comm.rank() == a.root;
  const char* const all_name = gathers ? "recvbuf" : "sendbuf";
  const char* const one_name = gathers ? "sendbuf" : "recvbuf";
  check_root(a.root, comm);
  const bool in_place = is_root && a.one == MPI_IN_PLACE;
  if (!is_root) forbid_in_place(a.one, one_name);
  if (is_root) forbid_in_place(a.all, all_name);
  const bool v = a.counts != nullptr;

  Maybe<Blocked>& all = gathers ? request.to : request.from;
  Maybe<Blocked>& one = gathers ? request.from : request.to;
  if (is_root && v)
    all.emplace(state.datatypes, a.all, a.counts, a.displacements, a.all_type, comm.size(),
                all_name);
  else if (is_root)
    all.emplace(state.datatypes, a.all, a.count, a.all_type, comm.size(), all_name);
  if (is_root && gathers && !state.manner.lenient) all->must_not_overlap();
  if (!in_place) one.emplace(state.datatypes, a.one, a.one_count, a.one_type, 1, one_name);
  if (is_root && !in_place) {
    const Bytes of_root = v ? all->counts()[static_cast<std::size_t>(a.root)] : all->block_bytes();
    check_equal(gathers ? one->total() : of_root, gathers ? of_root : one->total());
    keep_apart(state, *request.from, *request.to, one->has_same_place(0, *all, a.root));
  }

  collectives::Task& task = request.task;
  task.collective = which;
  task.root = a.root;
  task.in_place = in_place;
  task.counts_known = !v || state.configuration.counts == Counts::all;
  if (!v)
    task.bytes = is_root ? all->block_bytes() : one->total();
  else if (is_root)
    task.counts = all->counts();
  else
    task.counts = counts_of(state, a, comm, &*one, gathers ? "recvcounts" : "sendcounts");
  if (request.from) request.reads(*request.from);
  if (request.to) request.writes(*request.to, gathers && in_place ? a.root : -1);
}

// request.to is there, and request.from unless it is in place.
void allgather(const Library& state, UserRequest& request) {
  const Communicator& comm = request.communicator();
  Maybe<Blocked>& from = request.from;
  Blocked& to = *request.to;
  if (!state.manner.lenient) to.must_not_overlap();
  const bool v = !to.counts().empty();
  const Bytes own = v ? to.counts()[static_cast<std::size_t>(comm.rank())] : to.block_bytes();
  if (from) {
    check_equal(from->total(), own);
    keep_apart(state, *from, to, from->has_same_place(0, to, comm.rank()));
    request.reads(*from);
  }
  collectives::Task& task = request.task;
  task.collective = Collective::allgather;
  task.in_place = !from;
  if (v)
    task.counts = to.counts();
  else
    task.bytes = own;
  request.writes(to, from ? -1 : comm.rank());
}

void alltoall(const Library& state, UserRequest& request) {
  Maybe<Blocked>& from = request.from;
  Blocked& to = *request.to;
  if (!state.manner.lenient) to.must_not_overlap();
  const bool v = !to.counts().empty();
  if (from) {
    const auto own = static_cast<std::size_t>(request.communicator().rank());
    check_equal(v ? from->counts()[own] : from->block_bytes(),
                v ? to.counts()[own] : to.block_bytes());
    keep_apart(state, *from, to, from->has_same_place(0, to, 0));
    request.reads(*from);
  }
  collectives::Task& task = request.task;
  task.collective = Collective::alltoall;
  task.in_place = !from;
  if (v) {
    task.counts = from ? from->counts() : to.counts();
    task.receive_counts = to.counts();
  } else {
    task.bytes = to.block_bytes();
  }
  request.writes(to, from ? -1 : -2);
}

}  // namespace
}  // namespace tutti

using namespace tutti;

int tutti_barrier(tutti_comm comm) {
  const Arguments arguments{Collective::barrier};
  return blocking(comm, arguments, nullptr, [](Library&, UserRequest& request) {
    request.task.collective = Collective::barrier;
  });
}

int tutti_bcast(void* buffer, MPI_Count count, MPI_Datatype type, int root, tutti_comm comm) {
  const Arguments arguments{Collective::bcast, root, nullptr, buffer, 0, count, {}, type};
  return blocking(comm, arguments, nullptr, [&](Library& state, UserRequest& request) {
    bcast(state, request, buffer, count, type, root);
  });
}

int tutti_scatter(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                  MPI_Count recvcount, MPI_Datatype recvtype, int root, tutti_comm comm) {
  const Arguments arguments{Collective::scatter, root,      sendbuf,  recvbuf,
                            sendcount,           recvcount, sendtype, recvtype};
  return blocking(comm, arguments, nullptr, [&](Library& state, UserRequest& request) {
    scatter_or_gather(
        state, request, Collective::scatter,
        {sendbuf, nullptr, nullptr, sendcount, sendtype, recvbuf, recvcount, recvtype, root});
  });
}

int tutti_scatterv(const void* sendbuf, const MPI_Count* sendcounts, const MPI_Count* displs,
                   MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                   int root, tutti_comm comm) {
  const Arguments arguments{Collective::scatter, root};
  const Varying varying;
  return blocking(comm, arguments, &varying, [&](Library& state, UserRequest& request) {
    const MPI_Count* const counts =
        counts_at_root(state, request.communicator(), root, sendcounts, "sendcounts");
    scatter_or_gather(state, request, Collective::scatter,
                      {sendbuf, counts, displs, 0, sendtype, recvbuf, recvcount, recvtype, root});
  });
}

int tutti_gather(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                 MPI_Count recvcount, MPI_Datatype recvtype, int root, tutti_comm comm) {
  const Arguments arguments{Collective::gather, root,      sendbuf,  recvbuf,
                            sendcount,          recvcount, sendtype, recvtype};
  return blocking(comm, arguments, nullptr, [&](Library& state, UserRequest& request) {
    scatter_or_gather(
        state, request, Collective::gather,
        {recvbuf, nullptr, nullptr, recvcount, recvtype, sendbuf, sendcount, sendtype, root});
  });
}

int tutti_gatherv(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                  const MPI_Count* recvcounts, const MPI_Count* displs, MPI_Datatype recvtype,
                  int root, tutti_comm comm) {
  const Arguments arguments{Collective::gather, root};
  const Varying varying;
  return blocking(comm, arguments, &varying, [&](Library& state, UserRequest& request) {
    const MPI_Count* const counts =
        counts_at_root(state, request.communicator(), root, recvcounts, "recvcounts");
    scatter_or_gather(state, request, Collective::gather,
                      {recvbuf, counts, displs, 0, recvtype, sendbuf, sendcount, sendtype, root});
  });
}

int tutti_allgather(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                    MPI_Count recvcount, MPI_Datatype recvtype, tutti_comm comm) {
  const Arguments arguments{
      Collective::allgather, 0, sendbuf, recvbuf, sendcount, recvcount, sendtype, recvtype};
  return blocking(comm, arguments, nullptr, [&](Library& state, UserRequest& request) {
    forbid_in_place(recvbuf, "recvbuf");
    if (sendbuf != MPI_IN_PLACE)
      request.from.emplace(state.datatypes, sendbuf, sendcount, sendtype, 1, "sendbuf");
    request.to.emplace(state.datatypes, recvbuf, recvcount, recvtype, request.communicator().size(),
                       "recvbuf");
    allgather(state, request);
  });
}

int tutti_allgatherv(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                     const MPI_Count* recvcounts, const MPI_Count* displs, MPI_Datatype recvtype,
                     tutti_comm comm) {
  const Arguments arguments{Collective::allgather, 0, sendbuf, recvbuf, 0, 0, {}, recvtype};
  const Varying varying{recvcounts};
  return blocking(comm, arguments, &varying, [&](Library& state, UserRequest& request) {
    forbid_in_place(recvbuf, "recvbuf");
    if (sendbuf != MPI_IN_PLACE)
      request.from.emplace(state.datatypes, sendbuf, sendcount, sendtype, 1, "sendbuf");
    request.to.emplace(state.datatypes, recvbuf, must_have(recvcounts, "recvcounts"), displs,
                       recvtype, request.communicator().size(), "recvbuf");
    allgather(state, request);
  });
}

int tutti_alltoall(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                   MPI_Count recvcount, MPI_Datatype recvtype, tutti_comm comm) {
  const Arguments arguments{
      Collective::alltoall, 0, sendbuf, recvbuf, sendcount, recvcount, sendtype, recvtype};
  return blocking(comm, arguments, nullptr, [&](Library& state, UserRequest& request) {
    const int size = request.communicator().size();
    forbid_in_place(recvbuf, "recvbuf");
    if (sendbuf != MPI_IN_PLACE)
      request.from.emplace(state.datatypes, sendbuf, sendcount, sendtype, size, "sendbuf");
    request.to.emplace(state.datatypes, recvbuf, recvcount, recvtype, size, "recvbuf");
    alltoall(state, request);
  });
}

int tutti_alltoallv(const void* sendbuf, const MPI_Count* sendcounts, const MPI_Count* sdispls,
                    MPI_Datatype sendtype, void* recvbuf, const MPI_Count* recvcounts,
                    const MPI_Count* rdispls, MPI_Datatype recvtype, tutti_comm comm) {
  const Arguments arguments{Collective::alltoall, 0, sendbuf, recvbuf};
  const Varying varying;
  return blocking(comm, arguments, &varying, [&](Library& state, UserRequest& request) {
    const int size = request.communicator().size();
    forbid_in_place(recvbuf, "recvbuf");
    if (sendbuf != MPI_IN_PLACE)
      request.from.emplace(state.datatypes, sendbuf, must_have(sendcounts, "sendcounts"), sdispls,
                           sendtype, size, "sendbuf");
    request.to.emplace(state.datatypes, recvbuf, must_have(recvcounts, "recvcounts"), rdispls,
                       recvtype, size, "recvbuf");
    alltoall(state, request);
  });
}
