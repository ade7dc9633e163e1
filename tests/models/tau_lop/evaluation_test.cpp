// The expressions of the τ-Lop thesis come out of the schedules.
#include "models/tau_lop/evaluation.hpp"

#include <catch2/catch.hpp>

#include "collectives/algorithms/catalogue.hpp"
#include "models/tau_lop/parameters.hpp"
#include "models/tau_lop/shared_memory.hpp"

using namespace tutti;
using namespace tutti::collectives;
using namespace tutti::models::tau_lop;
using tutti::models::Curve;

namespace {

constexpr Bytes kSegment = 8192, kShort = 1024;
enum class Mapping { sequential, round_robin };

struct Call {
  Collective collective;
  const char* algorithm;
  int P;
  int per_node;
  Bytes bytes;
  Mapping mapping = Mapping::sequential;
};

Evaluation of(const Call& call, const Ways& ways = ways_of_thesis(kSegment, kSegment)) {
  Problem problem{{.collective = call.collective, .bytes = call.bytes}, call.P};
  std::vector<int> node(index(call.P));
  for (Rank rank = 0; rank < call.P; ++rank)
    node[index(rank)] = call.mapping == Mapping::sequential ? rank / call.per_node
                                                            : rank % (call.P / call.per_node);
  World world(call.P, [&](Rank rank) {
    problem.rank = rank;
    return find(call.collective, call.algorithm)->build(problem, {});
  });
  return evaluate(world, node, ways);
}

std::string text(const Call& call, const Ways& ways = ways_of_thesis(kSegment, kSegment)) {
  return text_of(of(call, ways).cost, call.bytes, kSegment);
}

// One message from each of the first ranks to one of the last ranks.
std::string messages(int pairs, bool network, Bytes bytes) {
  std::vector<Schedule> all;
  for (Rank rank = 0; rank < 2 * pairs; ++rank) {
    const bool sends = rank < pairs;
    Schedule one{.P = 2 * pairs, .rank = rank};
    (sends ? one.input_bytes : one.output_bytes) = bytes;
    one.steps.push_back({.kind = sends ? StepKind::send : StepKind::recv,
                         .peer = sends ? rank + pairs : rank - pairs});
    (sends ? one.steps[0].source : one.steps[0].target) = {sends ? Buffer::input : Buffer::output,
                                                           0, bytes};
    all.push_back(std::move(one));
  }
  World world(all);
  std::vector<int> node(index(2 * pairs));
  for (Rank rank = pairs; rank < 2 * pairs; ++rank) node[index(rank)] = network ? 1 : 0;
  return text_of(evaluate(world, node, ways_of_thesis(kSegment, kSegment)).cost, bytes, kSegment);
}

}  // namespace

TEST_CASE("tau-lop: one message and two at once (3.1 to 3.5)") {
  CHECK(messages(1, false, kShort) == "o⁰ + 2L⁰(m,1)");
  CHECK(messages(1, false, 5 * kSegment) == "o⁰ + 2L⁰(S,1) + 4L⁰(S,2)");
  CHECK(messages(1, true, kShort) == "o¹ + 2L⁰(m,1) + L¹(m,1)");
  CHECK(messages(2, false, kShort) == "o⁰ + 2L⁰(m,2)");
  CHECK(messages(2, false, 5 * kSegment) == "o⁰ + 2L⁰(S,2) + 4L⁰(S,4)");
  CHECK(messages(2, true, kShort) == "o¹ + 2L⁰(m,2) + L¹(m,2)");
}

TEST_CASE("tau-lop: binomial broadcast (4.1)") {
  const auto bcast = [](int P) { return text({Collective::bcast, "tau-binomial", P, P, kShort}); };
  CHECK(bcast(128) ==
        "7o⁰ + 2L⁰(m,1) + 2L⁰(m,2) + 2L⁰(m,4) + 2L⁰(m,8) + 2L⁰(m,16) + "
        "2L⁰(m,32) + 2L⁰(m,64)");
  // A stage has no more messages than there are ranks left, where (4.1) prints 2^i.
  CHECK(bcast(1) == "0");
  CHECK(bcast(2) == "o⁰ + 2L⁰(m,1)");
  // (4.3), of which (4.4) is an approximation by 2L(S, τ) = L(S, 2τ).
  CHECK(text({Collective::bcast, "tau-binomial", 8, 8, 4 * kSegment}) ==
        "3o⁰ + 2L⁰(S,1) + 5L⁰(S,2) + 5L⁰(S,4) + 3L⁰(S,8)");
  // (5.7): 2T¹ + T⁰ + 2∥T⁰.
  CHECK(text({Collective::bcast, "tau-binomial", 16, 4, kShort}) ==
        "2o⁰ + 2o¹ + 6L⁰(m,1) + 2L⁰(m,2) + 2L¹(m,1)");
}

// The thesis' tree has ranks in another order: of 65 ranks one is left for the last stage.
TEST_CASE("tau-lop: IB's binomial broadcast among 65 ranks") {
  CHECK(text({Collective::bcast, "binomial", 65, 65, kShort}) ==
        "7o⁰ + 4L⁰(m,1) + 2L⁰(m,2) + 2L⁰(m,4) + 2L⁰(m,8) + 2L⁰(m,16) + 2L⁰(m,32)");
}

// Dissemination (4.30) is another one here: Tutti sends what wraps round in two messages, where the
// thesis copies it. Bruck's needs fewer copies than (4.35) has.
TEST_CASE("tau-lop: allgathers in one node (4.8, 4.14, 4.25, 4.35)") {
  const auto allgather = [](const char* algorithm, int P, Bytes bytes) {
    return text({Collective::allgather, algorithm, P, P, bytes});
  };
  CHECK(allgather("recursive-doubling", 16, kShort / 8) == "4o⁰ + c(m,16) + 30L⁰(m,16)");
  CHECK(allgather("ring", 16, kShort) == "15o⁰ + c(m,16) + 30L⁰(m,16)");
  CHECK(allgather("neighbor-exchange", 16, kShort) == "8o⁰ + c(m,16) + 30L⁰(m,16)");
  // (4.15), and (4.9): 2(P−1)k L(S,P).
  CHECK(allgather("ring", 8, 4 * kSegment) == "7o⁰ + c(m,8) + 56L⁰(S,8)");
  CHECK(allgather("recursive-doubling", 8, 4 * kSegment) == "3o⁰ + c(m,8) + 56L⁰(S,8)");
  CHECK(allgather("bruck", 16, kShort / 8).find("30L⁰(m,16)") != std::string::npos);
}

// (4.40): each sends its block to itself, P − 1 others to the rest.
TEST_CASE("tau-lop: pairwise alltoall") {
  CHECK(text({Collective::alltoall, "pairwise", 8, 8, kShort}) == "7o⁰ + c(m,8) + 14L⁰(m,8)");
  CHECK(text({Collective::alltoall, "pairwise", 8, 8, 4 * kSegment}) == "7o⁰ + c(m,8) + 56L⁰(S,8)");
}

TEST_CASE("tau-lop: binomial scatter (4.21, 4.22)") {
  // In blocks b = m/8: L(m,1) + L(m/2,2) + L(m/4,4).
  const std::string blocks = text({Collective::scatter, "recursive-splitting", 8, 8, kShort});
  CHECK(blocks.find("8L⁰(m,1) + 4L⁰(m,2) + 2L⁰(m,4)") != std::string::npos);
  // k = 8 segments in all: 2L(S,1) + 3L(S,2), 2L(S,2) + L(S,4), 2L(S,4); the print, with
  // 2L(S,τ) = L(S,2τ): 4L(S,2) + 2L(S,4) + L(S,8).
  const auto each = text({Collective::scatter, "recursive-splitting", 8, 8, kSegment},
                         ways_of_thesis(0, kSegment));
  INFO(each);
  CHECK(each.find("2L⁰(m,1) + 5L⁰(m,2) + 3L⁰(m,4)") != std::string::npos);
}

// (6.4): recursive-doubling allgather of the same total costs more than twice as much.
TEST_CASE("tau-lop: scatter is not half of an allgather") {
  models::tau_lop::Parameters linear;
  linear.transfer[kMemory] =
      Surface{{{1, Curve{{{0, 0}, {1 << 20, 100}}}}, {8, Curve{{{0, 0}, {1 << 20, 400}}}}}};
  for (const Bytes bytes : {kShort, 4 * kSegment}) {
    const double scatter =
        time_of(of({Collective::scatter, "recursive-splitting", 8, 8, bytes}).cost, linear);
    const double allgather =
        time_of(of({Collective::allgather, "recursive-doubling", 8, 8, bytes}).cost, linear);
    CHECK(allgather > 2 * scatter);
  }
}

TEST_CASE("tau-lop: ring on 4 nodes (5.11, 6.10)") {
  const Call ring{Collective::allgather, "ring", 16, 4, kShort};
  CHECK(text(ring) == "c(m,4) + 15L⁰(m,1) + 15L⁰(m,4) + 15·max{L⁰(m,3), L¹(m,1)} + 15·max{o⁰, o¹}");
  Call round_robin = ring;
  round_robin.mapping = Mapping::round_robin;
  CHECK(text(round_robin) == "15o¹ + c(m,4) + 30L⁰(m,4) + 15L¹(m,4)");
}

// (5.12) has 2kL⁰(S,Q) + 2L¹(m,1): the network's transmission is T¹ = 2L⁰(m,1) + L¹(m,1). And
// within a node it is Q − 1 messages along a line of Q processes, whose ends copy half as often, so
// that not all Q copy in each step.
TEST_CASE("tau-lop: ring on 4 nodes, long messages") {
  const Call ring{Collective::allgather, "ring", 16, 4, 16 * kSegment};
  const std::string all = text(ring);
  INFO(all);
  CHECK(all.find("30L⁰(m,1)") != std::string::npos);
  CHECK(all.find("15L¹(m,1)") != std::string::npos);
  Bytes segments = 0;
  int most = 0;
  const Evaluation found = of(ring);
  for (const auto& [term, times] : found.cost.terms())
    if (term.kind == Kind::transfer && term.bytes == kSegment)
      segments += times, most = std::max(most, term.tau);
  CHECK(most == 4);
  CHECK(segments <= 15 * (2 * 16 + 1));
}

TEST_CASE("tau-lop: recursive doubling on 4 nodes (5.17)") {
  CHECK(text({Collective::allgather, "recursive-doubling", 16, 4, kShort / 8}) ==
        "2o⁰ + 2o¹ + c(m,4) + 30L⁰(m,4) + 12L¹(m,4)");
  CHECK(text({Collective::allgather, "recursive-doubling", 32, 8, kShort / 16}) ==
        "3o⁰ + 2o¹ + c(m,8) + 62L⁰(m,8) + 24L¹(m,8)");
}

TEST_CASE("tau-lop: reductions (4.45, 4.52)") {
  // Mirrored: from the leaves on, so that the stage with most messages comes first.
  const std::string binomial = text({Collective::reduce, "tau-binomial", 8, 8, kShort});
  CHECK(binomial.find("γ(m,1) + γ(m,2) + γ(m,4)") != std::string::npos);
  CHECK(binomial.find("2L⁰(m,1) + 2L⁰(m,2) + 2L⁰(m,4)") != std::string::npos);
  // (P − 1)/P (2L(m,P) + γ(m,P)); in print the γ has lost its factor k.
  const std::string pairwise = text({Collective::reduce_scatter, "pairwise", 8, 8, kShort});
  CHECK(pairwise.find("7γ(m,8)") != std::string::npos);
  CHECK(pairwise.find("14L⁰(m,8)") != std::string::npos);
}

TEST_CASE("tau-lop: Open MPI's collectives in shared memory (4.55, §4.6)") {
  const Cost bcast = sm_bcast(8, 2, kSegment, 4);  // figure 4.22
  const std::string shown = text_of(bcast, 4 * kSegment, kSegment);
  // Steps 1 and 2; step 3: 1 + 2 + 1; step 4: 2 + 4 + 1.
  CHECK(shown == "L⁰(S,1) + L⁰(S,2) + L⁰(S,3) + 3L⁰(S,4) + L⁰(S,5) + 3L⁰(S,7)");
  CHECK(text_of(sm_reduce(4, kSegment, 3), 3 * kSegment, kSegment) ==
        "9γ(S,1) + 3L⁰(S,1) + 3L⁰(S,3)");
}

TEST_CASE("tau-lop: Tutti's own protocols") {
  const protocols::Limits within{
      .line = 48, .small = 480, .eager = 8192, .writes = false, .fetches = true, .in_pieces = true};
  const protocols::Limits between{.line = 48,
                                  .small = 480,
                                  .eager = 16384,
                                  .writes = true,
                                  .fetches = false,
                                  .in_pieces = false};
  const Ways ways = ways_of_tutti(within, between);
  using protocols::Use;
  CHECK(ways(8192, Use::stored, kMemory).hops.size() == 2);
  CHECK(ways(1 << 20, Use::spread, kMemory).hops == std::vector{Hop::by_receiver});
  CHECK(ways(1 << 20, Use::combined, kMemory).segment == 8192);
  CHECK(ways(1 << 20, Use::combined, kMemory).hops == std::vector{Hop::by_sender});
  CHECK(ways(1 << 20, Use::combined, kNetwork).hops == std::vector{Hop::on_wire});
  CHECK(ways(8192, Use::combined, kNetwork).hops == std::vector{Hop::by_sender, Hop::on_wire});
  CHECK(ways(0, Use::stored, kMemory).least == 1);
  CHECK(ways(8192, Use::stored, kNetwork).hops.size() == 3);
  CHECK(ways(1 << 20, Use::stored, kNetwork).hops == std::vector{Hop::on_wire});
  CHECK(text({Collective::allgather, "ring", 8, 1, 1 << 20}, ways) == "7o¹ + c(m,1) + 7L¹(m,1)");
}
