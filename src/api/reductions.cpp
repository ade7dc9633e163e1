// The collectives that combine data: arguments are checked, and become what is to be run and how it
// is delivered.
#include "src/api/arguments.hpp"
#include "src/api/collective.hpp"

namespace tutti {
namespace {

using collectives::Collective;

struct Reducing {
  Collective collective;
  const void* sendbuf;
  void* recvbuf;
  const MPI_Count* counts;  // of reduce_scatter: by rank; null: `count` is of one block there
  MPI_Count count;          // of the whole message
  MPI_Datatype type;
  MPI_Op op;
  int root;
};

// Elements that this rank has to give, and to get.
struct Elements {
  MPI_Count whole, own;
};

// Of reduce_scatter. `lengths`: of unequal blocks, in bytes of `each` an element.
Elements elements_of(const Reducing& a, const Layout& layout, Bytes each, const Communicator& comm,
                     std::vector<Bytes>& lengths) {
  const auto too_many = [] {
    return Error(Code::bad_count, "the counts of all ranks together do not fit in 63 bits");
  };
  Elements e{a.count, a.count};
  if (!a.counts) {
    if (__builtin_mul_overflow(a.count, static_cast<MPI_Count>(comm.size()), &e.whole))
      throw too_many();
    return e;
  }
  e.whole = 0;
  e.own = a.counts[comm.rank()];
  for (int i = 0; i < comm.size(); ++i) {
    bytes_of(a.counts[i], layout, 1, "recvcounts");
    if (__builtin_add_overflow(e.whole, a.counts[i], &e.whole)) throw too_many();
    lengths.push_back(a.counts[i] * each);
  }
  return e;
}

void reduce(Library& state, UserRequest& request, const Reducing& a) {
  const Communicator& comm = request.communicator();
  const bool rooted = a.collective == Collective::reduce;
  if (rooted) check_root(a.root, comm);
  const bool in_place = a.sendbuf == MPI_IN_PLACE;
  // An exscan leaves rank 0 without a result: its receive buffer means nothing (MPI 4.0, section
  // 6.11.2), and no schedule touches it.
  const bool has_result = rooted
                              ? comm.rank() == a.root
                              : a.collective != Collective::exscan || comm.rank() != 0 || in_place;
  if (in_place && !has_result) forbid_in_place(a.sendbuf, "sendbuf");
  if (has_result) forbid_in_place(a.recvbuf, "recvbuf");

  const Layout layout = state.datatypes.layout(a.type);
  Reduction* const known = state.operations.known(a.op, a.type);
  Reduction& reduction =
      known
          ? *known
          : request.reduction.emplace(state.operations.find(a.op, a.type, layout, state.datatypes));
  const Bytes each = layout.size == 0 ? 0 : reduction.element();  // nothing: nothing is touched
  const bool scatters = a.collective == Collective::reduce_scatter;
  collectives::Task& task = request.task;
  const Elements elements =
      scatters ? elements_of(a, layout, each, comm, task.counts) : Elements{a.count, a.count};
  if (!in_place)
    request.operand.emplace(state.datatypes, layout, reduction, a.sendbuf, elements.whole, a.type,
                            "sendbuf");
  if (has_result)
    request.result.emplace(state.datatypes, layout, reduction, a.recvbuf,
                           in_place ? elements.whole : elements.own, a.type, "recvbuf");
  if (request.operand && request.result)
    keep_apart(state, *request.operand, *request.result,
               request.operand->has_same_place(*request.result));

  const Bytes bytes = request.operand ? request.operand->bytes() : request.result->bytes();
  const bool reproducible = state.configuration.reproducible;
  task.collective = a.collective;
  task.root = a.root;
  task.bytes = !scatters ? bytes : task.counts.empty() ? a.count * each : 0;
  task.in_place = in_place;
  task.element = reduction.element();
  task.commutative = reduction.commutative() && !reproducible;
  task.left_fold = reproducible;
  request.call.combine = reduction.combine();
  if (request.operand) request.call.input = request.operand->read();
  if (!reduction.vectorised())
    reduction.reserve(bytes, request.operands.emplace(state.datatypes.scratch()));
  if (request.result) request.call.output = request.result->room(in_place);
}

// Without counts. All of it is one function, as blocking() is.
[[gnu::always_inline]] inline int blocking_reduction(const Reducing& a, tutti_comm comm) noexcept {
  const Arguments arguments{a.collective, a.root, a.sendbuf, a.recvbuf, a.count, 0,
                            a.type,       {},     a.op};
  return blocking(comm, arguments, nullptr,
                  [&](Library& state, UserRequest& request) { reduce(state, request, a); });
}

}  // namespace
}  // namespace tutti

using namespace tutti;

int tutti_reduce(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype type, MPI_Op op,
                 int root, tutti_comm comm) {
  return blocking_reduction({Collective::reduce, sendbuf, recvbuf, nullptr, count, type, op, root},
                            comm);
}

int tutti_allreduce(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype type,
                    MPI_Op op, tutti_comm comm) {
  return blocking_reduction({Collective::allreduce, sendbuf, recvbuf, nullptr, count, type, op, 0},
                            comm);
}

int tutti_reduce_scatter_block(const void* sendbuf, void* recvbuf, MPI_Count recvcount,
                               MPI_Datatype type, MPI_Op op, tutti_comm comm) {
  return blocking_reduction(
      {Collective::reduce_scatter, sendbuf, recvbuf, nullptr, recvcount, type, op, 0}, comm);
}

int tutti_reduce_scatter(const void* sendbuf, void* recvbuf, const MPI_Count* recvcounts,
                         MPI_Datatype type, MPI_Op op, tutti_comm comm) {
  const Arguments arguments{Collective::reduce_scatter, 0, sendbuf, recvbuf, 0, 0, type, {}, op};
  const Varying varying{recvcounts};
  return blocking(comm, arguments, &varying, [&](Library& state, UserRequest& request) {
    reduce(state, request,
           {Collective::reduce_scatter, sendbuf, recvbuf, must_have(recvcounts, "recvcounts"), 0,
            type, op, 0});
  });
}

int tutti_scan(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype type, MPI_Op op,
               tutti_comm comm) {
  return blocking_reduction({Collective::scan, sendbuf, recvbuf, nullptr, count, type, op, 0},
                            comm);
}

int tutti_exscan(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype type, MPI_Op op,
                 tutti_comm comm) {
  return blocking_reduction({Collective::exscan, sendbuf, recvbuf, nullptr, count, type, op, 0},
                            comm);
}
