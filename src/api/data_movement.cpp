// Barrier, broadcast, scatter, gather, allgather, all-to-all: arguments are checked, and become
// what is to be run and how it is delivered.
#include "src/api/arguments.hpp"
#include "src/api/prepare.hpp"

namespace tutti {
namespace {

using collectives::Collective;

// Blocks, one after another or by rank. `counts`: the side's; null if blocks are equal.
void emplace(Maybe<Blocked>& place, const Library& state, const Side& side, const MPI_Count* counts,
             int blocks, const char* name, bool own_types = false) {
  if (!counts)
    place.emplace(state.datatypes, side.buffer, side.count, side.type, blocks, name);
  else if (own_types)
    place.emplace(state.datatypes, side.buffer, counts, side.displacements, side.types, blocks,
                  name);
  else
    place.emplace(state.datatypes, side.buffer, counts, side.displacements, side.type, blocks,
                  name);
}

void bcast(Library& state, UserRequest& request, const Arguments& a) {
  const Communicator& comm = request.communicator();
  const Side& side = a.receive;
  check_root(a.root, comm);
  forbid_in_place(side.buffer, "buffer");
  const bool sends = comm.rank() == a.root;
  // The root's buffer is only read; but the schedule's one buffer is an output on all ranks.
  Blocked& data = (sends ? request.from : request.to)
                      .emplace(state.datatypes, side.buffer, side.count, side.type, 1, "buffer");
  collectives::Task& task = request.task;
  task.root = a.root;
  task.bytes = data.total();
  sends ? request.reads_output(data) : request.writes(data);
}

// The counts of a v-form, in bytes, as far as this rank knows them: then the others' are 0. `all`:
// the root's side; `counts`: the caller's, of all ranks if they are known.
std::vector<Bytes> counts_of(const Library& state, const Side& all, const MPI_Count* counts,
                             const Communicator& comm, const Blocked& one, const char* all_name,
                             const char* name) {
  const auto mine = static_cast<std::size_t>(comm.rank());
  std::vector<Bytes> bytes(static_cast<std::size_t>(comm.size()), 0);
  if (state.configuration.counts == Counts::all) {
    const Layout layout = state.datatypes.layout(all.type, {all_name});
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = bytes_of(counts[i], layout, 1, name);
    check_equal(one.total(), bytes[mine]);
  } else {
    bytes[mine] = one.total();
  }
  return bytes;
}

// The root has a block for each rank on one side (`all`); each rank has its own on the other.
void scatter_or_gather(Library& state, UserRequest& request, const Arguments& a) {
  const Communicator& comm = request.communicator();
  const bool gathers = a.collective == Collective::gather, is_root = comm.rank() == a.root;
  const bool v = a.by_rank;
  const Side &all_side = gathers ? a.receive : a.send, &one_side = gathers ? a.send : a.receive;
  const char* const all_name = gathers ? "recvbuf" : "sendbuf";
  const char* const one_name = gathers ? "sendbuf" : "recvbuf";
  const char* const counts_name = gathers ? "recvcounts" : "sendcounts";
  const MPI_Count* const counts =
      v ? counts_at_root(state, comm, a.root, all_side.counts, counts_name) : nullptr;
  check_root(a.root, comm);
  const bool in_place = is_root && one_side.buffer == MPI_IN_PLACE;
  if (!is_root) forbid_in_place(one_side.buffer, one_name);
  if (is_root) forbid_in_place(all_side.buffer, all_name);

  Maybe<Blocked>& all = gathers ? request.to : request.from;
  Maybe<Blocked>& one = gathers ? request.from : request.to;
  if (is_root) emplace(all, state, all_side, counts, comm.size(), all_name);
  if (is_root && gathers && !state.manner.lenient) all->must_not_overlap();
  if (!in_place) emplace(one, state, one_side, nullptr, 1, one_name);
  if (is_root && !in_place) {
    const Bytes of_root = v ? all->counts()[static_cast<std::size_t>(a.root)] : all->block_bytes();
    check_equal(gathers ? one->total() : of_root, gathers ? of_root : one->total());
    keep_apart(state, *request.from, *request.to, one->has_same_place(0, *all, a.root));
  }

  collectives::Task& task = request.task;
  task.root = a.root;
  task.in_place = in_place;
  task.counts_known = !v || state.configuration.counts == Counts::all;
  if (!v)
    task.bytes = is_root ? all->block_bytes() : one->total();
  else
    task.counts = is_root ? all->counts()
                          : counts_of(state, all_side, counts, comm, *one, all_name, counts_name);
  if (request.from) request.reads(*request.from);
  if (request.to) request.writes(*request.to, gathers && in_place ? a.root : Blocked::kNoBlock);
}

// The buffers of an allgather or alltoall; `request.from` is not there if the call is in place.
// `blocks`: on the send side.
void emplace_both(Library& state, UserRequest& request, const Arguments& a, int blocks) {
  forbid_in_place(a.receive.buffer, "recvbuf");
  const bool sends_by_rank = a.by_rank && a.collective == Collective::alltoall;
  if (a.send.buffer != MPI_IN_PLACE)
    emplace(request.from, state, a.send,
            sends_by_rank ? must_have(a.send.counts, "sendcounts") : nullptr, blocks, "sendbuf",
            a.own_types);
  emplace(request.to, state, a.receive,
          a.by_rank ? must_have(a.receive.counts, "recvcounts") : nullptr,
          request.communicator().size(), "recvbuf", a.own_types);
  if (!state.manner.lenient) request.to->must_not_overlap();
  request.task.in_place = !request.from;
}

void allgather(Library& state, UserRequest& request, const Arguments& a) {
  emplace_both(state, request, a, 1);
  const Communicator& comm = request.communicator();
  Maybe<Blocked>& from = request.from;
  Blocked& to = *request.to;
  const Bytes own =
      a.by_rank ? to.counts()[static_cast<std::size_t>(comm.rank())] : to.block_bytes();
  if (from) {
    check_equal(from->total(), own);
    keep_apart(state, *from, to, from->has_same_place(0, to, comm.rank()));
    request.reads(*from);
  }
  if (a.by_rank)
    request.task.counts = to.counts();
  else
    request.task.bytes = own;
  request.writes(to, from ? Blocked::kNoBlock : comm.rank());
}

void alltoall(Library& state, UserRequest& request, const Arguments& a) {
  emplace_both(state, request, a, request.communicator().size());
  Maybe<Blocked>& from = request.from;
  Blocked& to = *request.to;
  if (from) {
    const auto own = static_cast<std::size_t>(request.communicator().rank());
    check_equal(a.by_rank ? from->counts()[own] : from->block_bytes(),
                a.by_rank ? to.counts()[own] : to.block_bytes());
    keep_apart(state, *from, to, from->has_same_place(0, to, 0));
    request.reads(*from);
  }
  if (a.by_rank) {
    request.task.counts = from ? from->counts() : to.counts();
    request.task.receive_counts = to.counts();
  } else {
    request.task.bytes = to.block_bytes();
  }
  request.writes(to, from ? Blocked::kNoBlock : Blocked::kAllBlocks);
}

}  // namespace

void prepare_movement(Library& state, UserRequest& request, const Arguments& a) {
  request.task.collective = a.collective;
  switch (a.collective) {
    case Collective::bcast: return bcast(state, request, a);
    case Collective::scatter:
    case Collective::gather: return scatter_or_gather(state, request, a);
    case Collective::allgather: return allgather(state, request, a);
    case Collective::alltoall: return alltoall(state, request, a);
    case Collective::neighbor_allgather:
    case Collective::neighbor_alltoall: return prepare_neighbours(state, request, a);
    default: return;  // a barrier: there is nothing to check
  }
}

}  // namespace tutti
