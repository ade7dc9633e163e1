// The mirror of a schedule: who sent receives, last step first.
#include "collectives/schedule/mirrored.hpp"

#include <catch2/catch.hpp>
#include <stdexcept>

#include "collectives/schedule/builder.hpp"

using namespace tutti;
using namespace tutti::collectives;

namespace {

constexpr Bytes kBlock = 8;

Problem problem_of(Collective collective, int P, Rank rank) {
  Problem problem;
  problem.collective = collective;
  problem.P = P;
  problem.rank = rank;
  problem.bytes = kBlock;
  return problem;
}

Builder spreading(const Problem& problem) {
  const Problem spread = mirror_of(problem);
  return {spread.P, spread.rank, user_buffers(spread)};
}

void check(const Step& step, StepKind kind, Rank peer, const Slice& place) {
  CHECK(step.kind == kind);
  CHECK(step.peer == peer);
  CHECK((step.kind == StepKind::send ? step.source : step.target) == place);
}

Slice block(Buffer buffer, int index) { return {buffer, index * kBlock, kBlock}; }

}  // namespace

TEST_CASE("what is collected has a mirror that spreads") {
  CHECK(mirror_of(problem_of(Collective::gather, 3, 1)).collective == Collective::scatter);
  CHECK(mirror_of(problem_of(Collective::reduce, 3, 1)).collective == Collective::bcast);
  CHECK(mirror_of(problem_of(Collective::reduce_scatter, 3, 1)).collective ==
        Collective::allgather);
  CHECK(mirror_of(problem_of(Collective::gather, 3, 1)).rank == 1);
}

TEST_CASE("a scatter becomes a gather: the last message is the first") {
  const Problem root = problem_of(Collective::gather, 3, 0);
  Builder spread = spreading(root);
  spread.send(1, block(Buffer::input, 1));
  spread.send(2, block(Buffer::input, 2));
  spread.copy(block(Buffer::input, 0), spread.output());
  const Schedule gather = mirrored(spread.finish(), root);
  REQUIRE(gather.steps.size() == 3);
  CHECK(gather.input_bytes == kBlock);
  CHECK(gather.output_bytes == 3 * kBlock);
  check(gather.steps[0], StepKind::copy, -1, block(Buffer::output, 0));
  CHECK(gather.steps[0].source == block(Buffer::input, 0));
  check(gather.steps[1], StepKind::recv, 2, block(Buffer::output, 2));
  check(gather.steps[2], StepKind::recv, 1, block(Buffer::output, 1));

  const Problem leaf = problem_of(Collective::gather, 3, 2);
  Builder spread_leaf = spreading(leaf);
  spread_leaf.recv(0, spread_leaf.output());
  const Schedule gather_leaf = mirrored(spread_leaf.finish(), leaf);
  REQUIRE(gather_leaf.steps.size() == 1);
  check(gather_leaf.steps[0], StepKind::send, 0, block(Buffer::input, 0));
}

TEST_CASE("a broadcast becomes a reduce: arrivals are combined with what is here") {
  const Problem middle = problem_of(Collective::reduce, 3, 1);  // of the chain 0 - 1 - 2
  Builder spread = spreading(middle);
  spread.recv(0, spread.output());
  spread.send(2, spread.output());
  const Schedule reduce = mirrored(spread.finish(), middle);
  REQUIRE(reduce.steps.size() == 2);
  const Step& combines = reduce.steps[0];
  CHECK(combines.kind == StepKind::recv_reduce);
  CHECK(combines.peer == 2);
  CHECK(combines.source == Slice{Buffer::input, 0, kBlock});  // the caller's, which is not written
  CHECK(combines.target.buffer == Buffer::scratch);
  CHECK_FALSE(combines.reversed);  // a higher rank's data is the right operand
  check(reduce.steps[1], StepKind::send, 0, combines.target);
  CHECK(reduce.successors_of(0).size() == 1);

  const Problem root = problem_of(Collective::reduce, 3, 0);
  Builder spread_root = spreading(root);
  spread_root.send(1, spread_root.output());
  const Schedule reduce_root = mirrored(spread_root.finish(), root);
  REQUIRE(reduce_root.steps.size() == 1);
  CHECK(reduce_root.steps[0].kind == StepKind::recv_reduce);
  CHECK(reduce_root.steps[0].target == Slice{Buffer::output, 0, kBlock});
}

TEST_CASE("a step of bytes that do not exist has no mirror") {
  const Problem middle = problem_of(Collective::reduce, 3, 1);
  for (const Bytes offset : {Bytes{-1}, kBlock, Bytes{1} << 40}) {
    Builder spread = spreading(middle);
    spread.recv(0, spread.output());
    Schedule schedule = spread.finish();
    schedule.steps[0].target.offset = offset;
    CHECK_THROWS_AS(mirrored(schedule, middle), std::logic_error);
  }
}
