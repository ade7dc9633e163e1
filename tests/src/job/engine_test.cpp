// Engines over a transport that production does not know: a third transport is a class and an entry
// in the list, and all collectives run over it.
#include <atomic>
#include <catch2/catch.hpp>

#include "tests/src/job/hostile_job.hpp"

using namespace tutti;
using namespace tutti::tests;

namespace {

// Blocking calls of several kinds and sizes; what went wrong, if anything.
std::string some_calls(Communicator& communicator) {
  const int P = communicator.size();
  // By line, by the small and the eager ring, longer than those.
  for (const Bytes bytes : {Bytes{0}, Bytes{8}, Bytes{200}, Bytes{3000}, Bytes{20000}})
    for (const Collective collective :
         {Collective::barrier, Collective::bcast, Collective::allgather, Collective::allreduce})
      for (Rank root = 0; root < (collective == Collective::bcast ? P : 1); ++root) {
        if (collective == Collective::barrier && bytes != 0) continue;
        Operation operation(communicator, task_of(collective, bytes, root));
        operation.run();
        if (!operation.right())
          return std::string(name_of(collective)) + " of " + std::to_string(bytes) +
                 " bytes is wrong on rank " + std::to_string(communicator.rank());
      }
  return {};
}

// A transport whose packets cost CPU time on some ranks.
class CostlyTransport final : public HostileTransport {
 public:
  CostlyTransport(HostileNet& net, int rank, bool costly)
      : HostileTransport(net, rank), costly_(costly) {}
  bool software_wire() const noexcept override { return costly_; }

 private:
  const bool costly_;
};

// The ranks, of three, on which engines take packets for costly, and so never nap where a yield
// takes long; `costly_rank`: whose device says so, or kNoPeer.
int ranks_with_costly_packets(Wire wire, int costly_rank) {
  constexpr int P = 3;
  Configuration settings = Job::settings();
  settings.wire = wire;
  HostileNet net(P, inbox_shape(settings, settings.eager_limit), {});
  const TransportKind kind{[](const TransportContext&) { return true; },
                           [&](const TransportContext& context, transport::Bootstrap&) {
                             const int rank = context.placement.rank();
                             return std::make_unique<CostlyTransport>(net, rank,
                                                                      rank == costly_rank);
                           }};
  ThreadBootstrap::Meeting meeting(P);
  std::atomic<int> ranks{0};
  for (const Outcome& outcome : run_ranks(P, [&](int rank) {
         ThreadBootstrap bootstrap(meeting, rank);
         Engine engine(settings, bootstrap, Engine::Options{.log = {}, .transports = {&kind, 1}});
         ranks += engine.describe()["software_wire"] == true && engine.software_wire() &&
                          !engine.waiting().may_nap()
                      ? 1
                      : 0;
       })) {
    INFO(outcome.message);
    CHECK(outcome.code == Code::success);
  }
  return ranks;
}

}  // namespace

TEST_CASE("the setting `wire` decides whether packets cost CPU time, else any rank's device",
          "[engine][threads]") {
  CHECK(ranks_with_costly_packets(Wire::automatic, kNoPeer) == 0);
  CHECK(ranks_with_costly_packets(Wire::automatic, 1) == 3);
  CHECK(ranks_with_costly_packets(Wire::hardware, 1) == 0);
  CHECK(ranks_with_costly_packets(Wire::software, kNoPeer) == 3);
}

TEST_CASE("collectives run over the hostile wire, each rank a thread", "[engine][threads]") {
  for (int P = 2; P <= 4; ++P)
    for (std::uint32_t seed = 1; seed <= 8; ++seed) {
      INFO("P=" << P << " seed=" << seed);
      std::vector<std::string> wrong(static_cast<std::size_t>(P));
      {
        Job job(P, hostility_of(seed));
        for (const Outcome& outcome : job.run([&](int rank) {
               wrong[static_cast<std::size_t>(rank)] = some_calls(job.world(rank));
               job.engine(rank).disconnect();
             })) {
          INFO(outcome.message);
          REQUIRE(outcome.code == Code::success);
        }
        const nlohmann::json facts = job.engine(0).describe();
        CHECK(facts["connections"]["hostile"] > 0);
        CHECK(facts["bytes_per_connection"]["hostile"] == job.net.shape.bytes());
        CHECK(facts["connection_bytes"]["hostile"] == 2 * job.net.shape.bytes());
        CHECK(facts["hostile"]["seed"] == seed);
      }
      for (const std::string& what : wrong) REQUIRE(what == "");
    }
}

TEST_CASE("if one rank cannot open a transport, no rank starts", "[engine][threads]") {
  constexpr int P = 3, kBad = 1;
  const Configuration settings = Job::settings();
  HostileNet net(P, inbox_shape(settings, settings.eager_limit), {});
  const TransportKind kinds[] = {
      {[](const TransportContext&) { return false; },
       [](const TransportContext&, transport::Bootstrap&) -> std::unique_ptr<transport::Transport> {
         throw Error(Code::internal, "nobody wants this one");
       }},
      {[](const TransportContext&) { return true; },
       [&](const TransportContext& context,
           transport::Bootstrap&) -> std::unique_ptr<transport::Transport> {
         if (context.placement.rank() == kBad)
           throw Error(Code::port_down, "the test wants no start");
         return std::make_unique<HostileTransport>(net, context.placement.rank());
       }}};
  ThreadBootstrap::Meeting meeting(P);
  const auto outcomes = run_ranks(P, [&](int rank) {
    ThreadBootstrap bootstrap(meeting, rank);
    Engine(settings, bootstrap, Engine::Options{.log = {}, .transports = kinds});
  });
  for (int rank = 0; rank < P; ++rank) {
    const Outcome& outcome = outcomes[static_cast<std::size_t>(rank)];
    CHECK(outcome.code == (rank == kBad ? Code::port_down : Code::bootstrap_failed));
    if (rank != kBad) CHECK(outcome.peer == kBad);
  }
}
