// Times of kernels that can be computed by hand, what became of each rank's time, and deadlocks.
#include "models/kernel/cost.hpp"

#include <string>

#include "base/error.hpp"
#include "models/kernel/text.hpp"
#include "tests/models/predicted.hpp"

namespace tutti::models::kernel {
namespace {

using namespace tutti::models::test;

// L = 30, o = 10, g = 12, no time for bytes: a message takes 50.
const Platform kWithoutBytes = platform_of(models::LogGP{30, 10, 10, 12, 0});

Cost cost_of_text(const std::string& text, const Platform& platform = kWithoutBytes,
                  SimulationOptions setting = {}) {
  const Kernel kernel = parse_kernel(text);
  setting.node = kernel.node;
  if (setting.node.empty())
    for (Rank rank = 0; rank < kernel.P(); ++rank) setting.node.push_back(rank);
  return cost_of(kernel, platform, setting,
                 [&](const Problem& problem) { return chosen_by(platform, problem); });
}

std::string why_refused(const std::string& text, const SimulationOptions& setting = {}) {
  try {
    cost_of_text(text, kWithoutBytes, setting);
  } catch (const Error& error) {
    CHECK(error.code == Code::bad_configuration);
    return error.message;
  }
  return "taken";
}

}  // namespace

TEST_CASE("kernel cost: computation, messages, and who waits in which line") {
  const Cost found = cost_of_text(R"(ranks 2
rank 0: compute 100us; send 8 to=1
rank 1: compute 5us
rank 1: recv 8 from=0; compute 1us
)");
  CHECK(found.result.time == near(151));
  CHECK(found.ranks[0].finished == near(110));
  CHECK(found.ranks[0].computing == near(100));
  CHECK(found.ranks[0].communicating == near(10));
  CHECK(found.ranks[0].waiting == near(0));
  CHECK(found.ranks[1].finished == near(151));
  CHECK(found.ranks[1].computing == near(6));
  CHECK(found.ranks[1].communicating == near(10));
  CHECK(found.ranks[1].waiting == near(135));
  CHECK(found.ranks[1].waits_in == 4);
  REQUIRE(found.lines.size() == 1);
  CHECK(found.lines[0].line == 4);
  CHECK(found.lines[0].waiting == near(135));
  CHECK(found.lines[0].waits_longest == 1);
}

TEST_CASE("kernel cost: messages that are begun go on while the rank computes") {
  const std::string blocking = R"(ranks 2
rank 0: recv 8 from=1; compute 45us
rank 1: send 8 to=0; compute 45us
)";
  const std::string begun = R"(ranks 2
rank 0: irecv 8 from=1; compute 40us; wait
rank 1: isend 8 to=0; compute 45us; wait
)";
  CHECK(cost_of_text(blocking).result.time == near(50 + 45));
  const Cost found = cost_of_text(begun);
  CHECK(found.ranks[0].finished == near(50));  // the message comes at 40
  CHECK(found.ranks[0].waiting == near(0));
  CHECK(found.ranks[1].finished == near(55));
}

TEST_CASE("kernel cost: ranks of another speed") {
  const Cost found = cost_of_text("ranks 3\nspeed 2 = 0.25\nall: compute 10us\n");
  CHECK(found.ranks[0].finished == near(10));
  CHECK(found.ranks[2].finished == near(40));
}

TEST_CASE("kernel cost: collectives follow each other as calls in a row do") {
  const std::string once = "ranks 4\nall: bcast 8 algorithm=linear\n";
  CHECK(cost_of_text(once).result.time ==
        near(simulated("linear", bcast_of(4, 8), kWithoutBytes).time));
  // The root sends the second one before the first one has arrived everywhere.
  CHECK(cost_of_text("ranks 4\nall: repeat 2 { bcast 8 algorithm=linear }\n").result.time ==
        near(5 * 12 + 50));
}

TEST_CASE("kernel cost: groups run at once, and may call in different orders") {
  const Cost found = cost_of_text(R"(ranks 4
group left = 0,1
group right = 1,2
rank 0: barrier among=left algorithm=dissemination
rank 1: barrier among=right algorithm=dissemination; barrier among=left algorithm=dissemination
rank 2: barrier among=right algorithm=dissemination
rank 3: compute 1us
rank 0: send 8 to=1
rank 1: recv 8 from=0
)");
  CHECK(found.result.time == near(150));
  CHECK(found.ranks[2].finished == near(50));
  CHECK(found.ranks[0].waits_in == 4);
}

TEST_CASE("kernel cost: a group's ranks keep its order") {
  // Rank 2 is the first one of its group, and a chain goes 2, 0, 1.
  const Cost found = cost_of_text(R"(ranks 3
rank 0-2: bcast 8 among=2,0,1 root=2 algorithm=chain
)");
  CHECK(found.ranks[0].finished == near(60));  // it has sent on
  CHECK(found.ranks[1].finished == near(100));
}

TEST_CASE("kernel cost: the model names algorithms, of what is on the nodes of the group") {
  const Cost found = cost_of_text(R"(ranks 4
node 0,1
node 2,3
all: allreduce 64k
)");
  REQUIRE(found.choices.size() == 1);
  CHECK(found.choices[0].algorithm != nullptr);
  CHECK(why_refused("ranks 3\nall: allgather 8 algorithm=bine\n").find("power of two") !=
        std::string::npos);
}

TEST_CASE("kernel cost: a deadlock is named") {
  CHECK(why_refused("ranks 3\nrank 0: recv 8 from=1; send 8 to=1\n"
                    "rank 1: recv 8 from=0; send 8 to=0\nrank 2: compute 1us\n") ==
        "the program deadlocks: rank 0 waits for rank 1 in line 2 (recv 8 bytes from rank 1); "
        "rank 1 waits for rank 0 in line 3 (recv 8 bytes from rank 0)");
  const std::string sends_first =
      "ranks 2\nrank 0: send 8 to=1; recv 8 from=1\n"
      "rank 1: send 8 to=0; recv 8 from=0\n";
  CHECK(why_refused(sends_first) == "taken");
  // Messages that wait for their receivers.
  const SimulationOptions rendezvous{
      .limits = protocols::Limits{
          .line = 0, .small = 0, .eager = 4, .writes = true, .fetches = false, .in_pieces = false}};
  CHECK(why_refused(sends_first, rendezvous)
            .find("rank 1 waits for rank 0 in line 3 (send 8 bytes") != std::string::npos);
}

TEST_CASE("kernel cost: too many steps are refused") {
  CHECK(
      why_refused("ranks 64\nall: repeat 60000 { alltoall 8 algorithm=linear }\n").find("steps") !=
      std::string::npos);
}

}  // namespace tutti::models::kernel
