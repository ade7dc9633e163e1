// The collectives of the C API: arguments are checked, buffers laid out, and a communicator runs
// the rest.
#include <algorithm>
#include <fmt/format.h>

#include "src/data/buffers.hpp"
#include "src/api/library.hpp"
#include "src/data/maybe.hpp"

namespace tutti {
namespace {

using collectives::Collective;

constexpr const char* kUseInPlace =
    "to use the data of the receive buffer, pass MPI_IN_PLACE as the send buffer";

void check_root(int root, const Communicator& comm) {
  if (root < 0 || root >= comm.size())
    throw Error(Code::bad_root,
                fmt::format("the root is {}, and the communicator has ranks 0 to {}", root,
                            comm.size() - 1));
}

void forbid_in_place(const void* buffer, const char* name) {
  if (buffer == MPI_IN_PLACE)
    throw Error(Code::bad_buffer,
                fmt::format("MPI_IN_PLACE is not allowed as `{}` here; pass the buffer", name));
}

void check_equal(Bytes sent, Bytes received) {
  if (sent != received)
    throw Error(
        Code::size_mismatch,
        fmt::format("a block of {} bytes is sent and one of {} bytes received; they must be equal",
                    sent, received));
}

void bcast(Library& state, void* buffer, MPI_Count count, MPI_Datatype type, int root,
           Communicator& comm) {
  check_root(root, comm);
  forbid_in_place(buffer, "buffer");
  Blocked data(state.datatypes, buffer, count, type, 1, "buffer");
  const bool sends = comm.rank() == root;
  std::byte* const bytes = data.room(sends ? 0 : -1);
  comm.run({.task = {.collective = Collective::bcast, .root = root, .bytes = data.total()},
            .output = bytes});
  if (!sends) data.deliver();
}

// Either end of a scatter or gather: the root has all blocks, every rank (the root unless in place)
// one.
struct Ends {
  Maybe<Blocked> all, one;
};

// With `counts` the v-form; `blocks` is what the root alone has.
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

void scatter_or_gather(Library& state, Collective which, const Rooted& a, Communicator& comm) {
  const bool gathers = which == Collective::gather, is_root = comm.rank() == a.root;
  const char* const all_name = gathers ? "recvbuf" : "sendbuf";
  const char* const one_name = gathers ? "sendbuf" : "recvbuf";
  check_root(a.root, comm);
  const bool in_place = is_root && a.one == MPI_IN_PLACE;
  if (!is_root) forbid_in_place(a.one, one_name);
  if (is_root) forbid_in_place(a.all, all_name);
  const bool v = a.counts != nullptr;
  const bool known = !v || state.configuration.counts == Counts::all;
  Ends ends;
  if (is_root) {
    if (v)
      ends.all.emplace(state.datatypes, a.all, a.counts, a.displacements, a.all_type, comm.size(),
                       all_name);
    else
      ends.all.emplace(state.datatypes, a.all, a.count, a.all_type, comm.size(), all_name);
    if (gathers) ends.all->must_not_overlap();
  }
  if (!in_place) ends.one.emplace(state.datatypes, a.one, a.one_count, a.one_type, 1, one_name);
  if (is_root && !in_place) {
    check_equal(gathers ? ends.one->total()
                : v     ? ends.all->counts()[static_cast<std::size_t>(a.root)]
                        : ends.all->block_bytes(),
                gathers ? (v ? ends.all->counts()[static_cast<std::size_t>(a.root)]
                             : ends.all->block_bytes())
                        : ends.one->total());
    ends.all->must_not_share(*ends.one, kUseInPlace);
  }
  std::vector<Bytes> counts;
  if (v && is_root) {
    counts = ends.all->counts();
  } else if (v && known) {
    const Layout layout = state.datatypes.layout(a.all_type);
    for (int i = 0; i < comm.size(); ++i)
      counts.push_back(bytes_of(a.counts[i], layout, 1, gathers ? "recvcounts" : "sendcounts"));
    check_equal(ends.one->total(), counts[static_cast<std::size_t>(comm.rank())]);
  } else if (v) {
    counts.assign(static_cast<std::size_t>(comm.size()), 0);
    counts[static_cast<std::size_t>(comm.rank())] = ends.one->total();
  }
  Call call{.task = {.collective = which,
                     .root = a.root,
                     .in_place = in_place,
                     .counts = std::move(counts),
                     .counts_known = known}};
  if (!v) call.task.bytes = is_root ? ends.all->block_bytes() : ends.one->total();
  if (gathers) {
    if (ends.one) call.input = ends.one->bytes();
    if (is_root) call.output = ends.all->room(in_place ? a.root : -1);
  } else {
    if (is_root) call.input = ends.all->bytes();
    if (ends.one) call.output = ends.one->room();
  }
  comm.run(call);
  if (gathers && is_root) ends.all->deliver();
  if (!gathers && ends.one) ends.one->deliver();
}

void allgather(Blocked& to, Maybe<Blocked>& from, Communicator& comm) {
  to.must_not_overlap();
  const bool v = !to.counts().empty();
  const Bytes own = v ? to.counts()[static_cast<std::size_t>(comm.rank())] : to.block_bytes();
  if (from) {
    check_equal(from->total(), own);
    from->must_not_share(to, kUseInPlace);
  }
  Call call{.task = {.collective = Collective::allgather,
                     .bytes = v ? 0 : own,
                     .in_place = !from,
                     .counts = to.counts()}};
  if (from) call.input = from->bytes();
  call.output = to.room(from ? -1 : comm.rank());
  comm.run(call);
  to.deliver();
}

void alltoall(Blocked& to, Maybe<Blocked>& from, Communicator& comm) {
  to.must_not_overlap();
  const bool v = !to.counts().empty();
  if (from) {
    if (!v) check_equal(from->block_bytes(), to.block_bytes());
    if (v)
      check_equal(from->counts()[static_cast<std::size_t>(comm.rank())],
                  to.counts()[static_cast<std::size_t>(comm.rank())]);
    from->must_not_share(to, kUseInPlace);
  }
  Call call{.task = {.collective = Collective::alltoall,
                     .bytes = v ? 0 : to.block_bytes(),
                     .in_place = !from}};
  if (v) call.task.counts = from ? from->counts() : to.counts();
  if (v) call.task.receive_counts = to.counts();
  if (from) call.input = from->bytes();
  call.output = to.room(from ? -1 : -2);
  comm.run(call);
  to.deliver();
}

// --- reductions --------------------------------------------------------------------------------

// Data to be reduced lie as the datatype says, gaps included: the operation takes them so. Where
// there are gaps the caller's are not to be written, so elements are copied to memory of our own
// and back.
class Operand {
 public:
  Operand(const Datatypes& datatypes, const Reduction& reduction, const void* buffer,
          MPI_Count count, MPI_Datatype type, const char* name)
      : data_(datatypes, buffer, count, type, 1, name),
        datatypes_(datatypes),
        type_(type),
        count_(count),
        user_(static_cast<std::byte*>(const_cast<void*>(buffer))) {
    const Layout& layout = data_.layout();
    bytes_ = layout.size == 0 ? 0 : count * reduction.element();
    direct_ = reduction.vectorised() || layout.contiguous;
    if (direct_ && !buffer && bytes_ > 0)
      throw Error(Code::bad_buffer,
                  fmt::format("`{}` is NULL, and {} bytes are expected there", name, bytes_));
  }
  Bytes bytes() const noexcept { return bytes_; }
  const std::byte* read() { return room(true); }
  std::byte* room(bool keep) {
    if (direct_ || bytes_ == 0) return user_;
    std::byte* const place = spare_.get(bytes_);
    std::fill_n(place, bytes_, std::byte{0});
    mine_ = place;
    if (keep) copy(user_, mine_);
    return place;
  }
  void deliver() {
    if (!direct_ && bytes_ > 0) copy(mine_, user_);
  }
  void must_not_share(const Operand& other) const {
    data_.must_not_share(other.data_, kUseInPlace);
  }

 private:
  // Data, and not the gaps between them.
  void copy(const std::byte* from, std::byte* to) {
    Spare packed;
    std::byte* const bytes = packed.get(data_.total());
    datatypes_.pack(from, count_, type_, data_.layout(), bytes);
    datatypes_.unpack(bytes, to, count_, type_, data_.layout());
  }

  Blocked data_;
  const Datatypes& datatypes_;
  const MPI_Datatype type_;
  const MPI_Count count_;
  std::byte* const user_;
  Bytes bytes_ = 0;
  bool direct_ = true;
  Spare spare_;
  std::byte* mine_ = nullptr;
};

struct Reducing {
  Collective collective;
  const void* sendbuf;
  void* recvbuf;
  const MPI_Count* counts;  // of reduce_scatter: by rank; null: `count` is of the whole message
                            // (reduce_scatter: of one block)
  MPI_Count count;
  MPI_Datatype type;
  MPI_Op op;
  int root;
};

void reduce(Library& state, const Reducing& a, Communicator& comm) {
  const bool rooted = a.collective == Collective::reduce,
             scatters = a.collective == Collective::reduce_scatter;
  if (rooted) check_root(a.root, comm);
  const bool in_place = a.sendbuf == MPI_IN_PLACE;
  // An exscan leaves rank 0 without a result: its receive buffer means nothing (MPI 4.0 §6.11.2),
  // and no schedule touches it.
  const bool has_result = rooted
                              ? comm.rank() == a.root
                              : a.collective != Collective::exscan || comm.rank() != 0 || in_place;
  if (in_place && !has_result) forbid_in_place(a.sendbuf, "sendbuf");
  if (has_result) forbid_in_place(a.recvbuf, "recvbuf");
  const Layout layout = state.datatypes.layout(a.type);
  Reduction reduction = state.operations.find(a.op, a.type, layout);
  const Bytes each = layout.size == 0 ? 0 : reduction.element();  // of nothing, nothing is touched

  MPI_Count whole = a.count, own = a.count;
  std::vector<Bytes> counts;
  if (scatters && a.counts) {
    whole = 0;
    for (int i = 0; i < comm.size(); ++i) {
      bytes_of(a.counts[i], layout, 1, "recvcounts");
      if (__builtin_add_overflow(whole, a.counts[i], &whole))
        throw Error(Code::bad_count, "the counts of all ranks together do not fit in 63 bits");
      counts.push_back(a.counts[i] * each);
    }
    own = a.counts[comm.rank()];
  } else if (scatters &&
             __builtin_mul_overflow(a.count, static_cast<MPI_Count>(comm.size()), &whole)) {
    throw Error(Code::bad_count, "the counts of all ranks together do not fit in 63 bits");
  }
  Maybe<Operand> from, to;
  if (!in_place) from.emplace(state.datatypes, reduction, a.sendbuf, whole, a.type, "sendbuf");
  if (has_result)
    to.emplace(state.datatypes, reduction, a.recvbuf, in_place ? whole : own, a.type, "recvbuf");
  if (from && to) from->must_not_share(*to);
  const bool equal_blocks = scatters && counts.empty();
  const Bytes whole_bytes = from ? from->bytes() : to->bytes();
  Call call{.task = {.collective = a.collective,
                     .root = a.root,
                     .bytes = equal_blocks ? a.count * each
                              : scatters   ? 0
                                           : whole_bytes,
                     .in_place = in_place,
                     .counts = std::move(counts),
                     .element = reduction.element(),
                     .commutative = reduction.commutative() && !state.configuration.reproducible,
                     .left_fold = state.configuration.reproducible},
            .combine = reduction.combine()};
  reduction.reserve(whole_bytes);
  if (from) call.input = from->read();
  if (to) call.output = to->room(in_place);
  comm.run(call);
  if (to) to->deliver();
  if (const int code = reduction.take_error(); code != MPI_SUCCESS)
    throw Error(
        Code::operation_failed,
        fmt::format("MPI_Reduce_local returned the error {}; the result is undefined", code));
}

const MPI_Count* must_have(const MPI_Count* counts, const char* name) {
  if (!counts)
    throw Error(Code::bad_buffer,
                fmt::format("`{}` is NULL; it has an entry for every rank", name));
  return counts;
}

// Of the v-forms of scatter and gather: not null even where they count for nothing.
const MPI_Count* counts_of(const Library& state, const Communicator& comm, int root,
                           const MPI_Count* counts, const char* name) {
  static constexpr MPI_Count kNone = 0;
  return comm.rank() == root || state.configuration.counts == Counts::all ? must_have(counts, name)
                                                                          : &kNone;
}

// The body of every function below. A rank's trouble with its arguments is everybody's: the others
// may wait for it in this collective.
template <class Body>
int collective(tutti_comm handle, Body&& body) noexcept {
  return guard([&](Library& state) {
    Communicator& comm = communicator_of(handle);
    const CollectiveNumber before = comm.calls();
    const auto refuse = [&](Code code) {
      if (comm.calls() == before) comm.refuse(code);
    };
    try {
      body(state, comm);
    } catch (const Error& error) {
      refuse(error.code);
      throw;
    } catch (const std::bad_alloc&) {
      refuse(Code::out_of_memory);
      throw;
    } catch (...) {
      refuse(Code::internal);
      throw;
    }
  });
}

}  // namespace
}  // namespace tutti

using namespace tutti;

int tutti_barrier(tutti_comm comm) {
  return collective(comm, [](Library&, Communicator& c) {
    c.run({.task = {.collective = Collective::barrier}});
  });
}

int tutti_bcast(void* buffer, MPI_Count count, MPI_Datatype type, int root, tutti_comm comm) {
  return collective(
      comm, [&](Library& state, Communicator& c) { bcast(state, buffer, count, type, root, c); });
}

int tutti_scatter(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                  MPI_Count recvcount, MPI_Datatype recvtype, int root, tutti_comm comm) {
  return collective(comm, [&](Library& state, Communicator& c) {
    scatter_or_gather(
        state, Collective::scatter,
        {sendbuf, nullptr, nullptr, sendcount, sendtype, recvbuf, recvcount, recvtype, root}, c);
  });
}

int tutti_scatterv(const void* sendbuf, const MPI_Count* sendcounts, const MPI_Count* displs,
                   MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                   int root, tutti_comm comm) {
  return collective(comm, [&](Library& state, Communicator& c) {
    const MPI_Count* const counts = counts_of(state, c, root, sendcounts, "sendcounts");
    scatter_or_gather(state, Collective::scatter,
                      {sendbuf, counts, displs, 0, sendtype, recvbuf, recvcount, recvtype, root},
                      c);
  });
}

int tutti_gather(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                 MPI_Count recvcount, MPI_Datatype recvtype, int root, tutti_comm comm) {
  return collective(comm, [&](Library& state, Communicator& c) {
    scatter_or_gather(
        state, Collective::gather,
        {recvbuf, nullptr, nullptr, recvcount, recvtype, sendbuf, sendcount, sendtype, root}, c);
  });
}

int tutti_gatherv(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                  const MPI_Count* recvcounts, const MPI_Count* displs, MPI_Datatype recvtype,
                  int root, tutti_comm comm) {
  return collective(comm, [&](Library& state, Communicator& c) {
    const MPI_Count* const counts = counts_of(state, c, root, recvcounts, "recvcounts");
    scatter_or_gather(state, Collective::gather,
                      {recvbuf, counts, displs, 0, recvtype, sendbuf, sendcount, sendtype, root},
                      c);
  });
}

int tutti_allgather(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                    MPI_Count recvcount, MPI_Datatype recvtype, tutti_comm comm) {
  return collective(comm, [&](Library& state, Communicator& c) {
    forbid_in_place(recvbuf, "recvbuf");
    Maybe<Blocked> from;
    if (sendbuf != MPI_IN_PLACE)
      from.emplace(state.datatypes, sendbuf, sendcount, sendtype, 1, "sendbuf");
    Blocked to(state.datatypes, recvbuf, recvcount, recvtype, c.size(), "recvbuf");
    allgather(to, from, c);
  });
}

int tutti_allgatherv(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                     const MPI_Count* recvcounts, const MPI_Count* displs, MPI_Datatype recvtype,
                     tutti_comm comm) {
  return collective(comm, [&](Library& state, Communicator& c) {
    forbid_in_place(recvbuf, "recvbuf");
    Maybe<Blocked> from;
    if (sendbuf != MPI_IN_PLACE)
      from.emplace(state.datatypes, sendbuf, sendcount, sendtype, 1, "sendbuf");
    Blocked to(state.datatypes, recvbuf, must_have(recvcounts, "recvcounts"), displs, recvtype,
               c.size(), "recvbuf");
    allgather(to, from, c);
  });
}

int tutti_alltoall(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                   MPI_Count recvcount, MPI_Datatype recvtype, tutti_comm comm) {
  return collective(comm, [&](Library& state, Communicator& c) {
    forbid_in_place(recvbuf, "recvbuf");
    Maybe<Blocked> from;
    if (sendbuf != MPI_IN_PLACE)
      from.emplace(state.datatypes, sendbuf, sendcount, sendtype, c.size(), "sendbuf");
    Blocked to(state.datatypes, recvbuf, recvcount, recvtype, c.size(), "recvbuf");
    alltoall(to, from, c);
  });
}

int tutti_alltoallv(const void* sendbuf, const MPI_Count* sendcounts, const MPI_Count* sdispls,
                    MPI_Datatype sendtype, void* recvbuf, const MPI_Count* recvcounts,
                    const MPI_Count* rdispls, MPI_Datatype recvtype, tutti_comm comm) {
  return collective(comm, [&](Library& state, Communicator& c) {
    forbid_in_place(recvbuf, "recvbuf");
    Maybe<Blocked> from;
    if (sendbuf != MPI_IN_PLACE)
      from.emplace(state.datatypes, sendbuf, must_have(sendcounts, "sendcounts"), sdispls, sendtype,
                   c.size(), "sendbuf");
    Blocked to(state.datatypes, recvbuf, must_have(recvcounts, "recvcounts"), rdispls, recvtype,
               c.size(), "recvbuf");
    alltoall(to, from, c);
  });
}

int tutti_reduce(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype type, MPI_Op op,
                 int root, tutti_comm comm) {
  return collective(comm, [&](Library& state, Communicator& c) {
    reduce(state, {Collective::reduce, sendbuf, recvbuf, nullptr, count, type, op, root}, c);
  });
}

int tutti_allreduce(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype type,
                    MPI_Op op, tutti_comm comm) {
  return collective(comm, [&](Library& state, Communicator& c) {
    reduce(state, {Collective::allreduce, sendbuf, recvbuf, nullptr, count, type, op, 0}, c);
  });
}

int tutti_reduce_scatter_block(const void* sendbuf, void* recvbuf, MPI_Count recvcount,
                               MPI_Datatype type, MPI_Op op, tutti_comm comm) {
  return collective(comm, [&](Library& state, Communicator& c) {
    reduce(state, {Collective::reduce_scatter, sendbuf, recvbuf, nullptr, recvcount, type, op, 0},
           c);
  });
}

int tutti_reduce_scatter(const void* sendbuf, void* recvbuf, const MPI_Count* recvcounts,
                         MPI_Datatype type, MPI_Op op, tutti_comm comm) {
  return collective(comm, [&](Library& state, Communicator& c) {
    reduce(state,
           {Collective::reduce_scatter, sendbuf, recvbuf, must_have(recvcounts, "recvcounts"), 0,
            type, op, 0},
           c);
  });
}

int tutti_scan(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype type, MPI_Op op,
               tutti_comm comm) {
  return collective(comm, [&](Library& state, Communicator& c) {
    reduce(state, {Collective::scan, sendbuf, recvbuf, nullptr, count, type, op, 0}, c);
  });
}

int tutti_exscan(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype type, MPI_Op op,
                 tutti_comm comm) {
  return collective(comm, [&](Library& state, Communicator& c) {
    reduce(state, {Collective::exscan, sendbuf, recvbuf, nullptr, count, type, op, 0}, c);
  });
}
