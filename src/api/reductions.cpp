// The collectives that combine data: arguments are checked, and become what is to be run and how it
// is delivered.
#include <algorithm>

#include "base/bits.hpp"
#include "src/api/arguments.hpp"
#include "src/api/prepare.hpp"

namespace tutti {
namespace {

using collectives::Collective;

// Elements that this rank has to give, and to get.
struct Elements {
  MPI_Count whole, own;
};

// Elements of a reduce_scatter. `lengths`: of unequal blocks, in bytes of `each` an element.
Elements elements_of(const Arguments& a, const Layout& layout, Bytes each, const Communicator& comm,
                     std::vector<Bytes>& lengths) {
  const auto too_many = [] {
    return Error(Code::bad_count, "the counts of all ranks together do not fit in 63 bits");
  };
  Elements e{a.send.count, a.send.count};
  if (!a.by_rank) {
    if (__builtin_mul_overflow(a.send.count, static_cast<MPI_Count>(comm.size()), &e.whole))
      throw too_many();
    return e;
  }
  const MPI_Count* const counts = must_have(a.receive.counts, "recvcounts");
  e.whole = 0;
  e.own = counts[comm.rank()];
  for (int i = 0; i < comm.size(); ++i) {
    bytes_of(counts[i], layout, 1, "recvcounts");
    if (__builtin_add_overflow(e.whole, counts[i], &e.whole)) throw too_many();
    lengths.push_back(counts[i] * each);
  }
  return e;
}

// Elements of all ranks together; what matters is whether they are fewer than two.
int few_elements_of(const Arguments& a, int ranks) {
  const auto few = [](MPI_Count count) {
    return static_cast<int>(std::clamp<MPI_Count>(count, 0, 2));
  };
  if (a.collective != Collective::reduce_scatter) return few(a.send.count);
  if (!a.by_rank) return few(a.send.count) * std::min(ranks, 2);
  int all = 0;
  for (int i = 0; i < ranks && all < 2; ++i) all += few(a.receive.counts ? a.receive.counts[i] : 2);
  return all;
}

// A single element has no neighbour that it could overlap with, wherever the next one would begin.
Layout layout_of_elements(Library& state, const Arguments& a, int ranks) {
  Layout layout = state.datatypes.layout(a.send.type);
  if (layout.extent < layout.true_extent && few_elements_of(a, ranks) < 2) {
    const Bytes alignment = layout.form->alignment;
    layout.extent = round_up(layout.true_extent, alignment) + alignment;
  }
  return layout;
}

}  // namespace

void prepare_reduction(Library& state, UserRequest& request, const Arguments& a) {
  const Communicator& comm = request.communicator();
  const bool rooted = a.collective == Collective::reduce;
  if (rooted) check_root(a.root, comm);
  const bool in_place = a.send.buffer == MPI_IN_PLACE;
  // An exscan leaves rank 0 without a result: its receive buffer means nothing (MPI 4.0, section
  // 6.11.2), and no schedule touches it.
  const bool has_result = rooted
                              ? comm.rank() == a.root
                              : a.collective != Collective::exscan || comm.rank() != 0 || in_place;
  if (in_place && !has_result) forbid_in_place(a.send.buffer, "sendbuf");
  if (has_result) forbid_in_place(a.receive.buffer, "recvbuf");

  const Layout layout = layout_of_elements(state, a, comm.size());
  Reduction* const known = state.operations.known(a.operation, a.send.type);
  Reduction& reduction = known ? *known
                               : request.reduction.emplace(state.operations.find(
                                     a.operation, a.send.type, layout, state.datatypes));
  const Bytes each = layout.size == 0 ? 0 : reduction.element();  // nothing: nothing is touched
  const bool scatters = a.collective == Collective::reduce_scatter;
  collectives::Task& task = request.task;
  const Elements elements = scatters ? elements_of(a, layout, each, comm, task.counts)
                                     : Elements{a.send.count, a.send.count};
  if (!in_place)
    request.operand.emplace(state.datatypes, layout, reduction, a.send.buffer, elements.whole,
                            a.send.type, "sendbuf");
  if (has_result)
    request.result.emplace(state.datatypes, layout, reduction, a.receive.buffer,
                           in_place ? elements.whole : elements.own, a.send.type, "recvbuf");
  if (request.operand && request.result)
    keep_apart(state, *request.operand, *request.result,
               request.operand->has_same_place(*request.result));

  const Bytes bytes = request.operand ? request.operand->bytes() : request.result->bytes();
  const bool reproducible = state.configuration.reproducible;
  task.collective = a.collective;
  task.root = a.root;
  task.bytes = !scatters ? bytes : task.counts.empty() ? a.send.count * each : 0;
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

}  // namespace tutti
