// Meaning of a kernel's text, and errors in it, which are refused with their line.
#include "models/kernel/text.hpp"

#include <catch2/catch.hpp>

#include <string>

#include "base/error.hpp"

namespace tutti::models::kernel {
namespace {

std::string text_refused(const std::string& text) {
  try {
    parse_kernel(text);
  } catch (const Error& error) {
    CHECK(error.code == Code::bad_configuration);
    return error.message;
  }
  return "taken";
}

using Catch::Matchers::Contains;

}  // namespace

TEST_CASE("kernel: lines say what each rank does, in their order") {
  const Kernel kernel = parse_kernel(R"(# a comment
ranks 4
node 0-2
node 3
let block = 32KiB
unit block
group ends = 3,0
speed 1 = 0.5
all: compute 2*1.5ms   # each
rank ends: bcast 3*block root=0 among=ends algorithm=k-chain(k=2); barrier
rank 1, 2: barrier
repeat 2 {
  rank 1: send 4k to=+1
  rank 2: recv 4096 from=^3
}
)");
  REQUIRE(kernel.P() == 4);
  CHECK(kernel.node == std::vector<int>{0, 0, 0, 1});
  CHECK(kernel.unit == "block");
  CHECK(kernel.unit_bytes == 32768);
  CHECK(kernel.groups == std::vector<std::vector<Rank>>{{0, 1, 2, 3}, {3, 0}});
  REQUIRE(kernel.calls.size() == 2);
  CHECK(kernel.calls[0].root == 1);  // rank 0 is the second one of the group
  CHECK(kernel.calls[0].bytes == 3 * 32768);
  CHECK(kernel.calls[0].choice.parameters.k == 2);
  CHECK(kernel.calls[1].choice.algorithm == nullptr);
  REQUIRE(kernel.ranks[0].size() == 3);
  CHECK(kernel.ranks[0][0].time == 3000);
  CHECK(kernel.ranks[1][0].time == 6000);  // half as fast
  REQUIRE(kernel.ranks[1].size() == 4);
  CHECK(kernel.ranks[1][3].kind == Kind::send);
  CHECK(kernel.ranks[1][3].peer == 2);
  CHECK(kernel.ranks[1][3].line == 13);
  CHECK(kernel.ranks[2][3].peer == 1);
  CHECK(to_string(kernel, kernel.ranks[0][1]) == "bcast of 3 block with root 0 among 2 ranks");
  CHECK(to_string(kernel, kernel.ranks[1][3]) == "send 4096 bytes to rank 2");
}

TEST_CASE("kernel: repetitions stand within each other, and headers end with their block") {
  const Kernel kernel = parse_kernel(R"(ranks 2
rank 0: repeat 3 { repeat 2
  { compute 1us; rank 1: compute 2us }
  compute 3us }
)");
  CHECK(kernel.ranks[0].size() == 9);
  CHECK(kernel.ranks[1].size() == 6);
  CHECK(kernel.ranks[0][2].time == 3);
}

TEST_CASE("kernel: what cannot be read is named with its line") {
  CHECK(text_refused("") == "it does not name the number of ranks: `ranks 4`");
  CHECK_THAT(text_refused("all: compute 1us"), Contains("line 1: the first line says"));
  const auto with_two = [](const std::string& text) { return text_refused("ranks 2\n" + text); };
  for (const char* time :
       {"nan", "1", "1.5", "-1ms", "infus", "1 ms", "1e999s", "1ms*1ms", "xms", "nanms", ""})
    CHECK_THAT(with_two(std::string("all: compute ") + time), Contains("line 2: "));
  for (const char* size : {"nan", "-1", "1.5k", "4q", "4 KiB", "2048G", "1T*2", "x", "2*", ""})
    CHECK_THAT(with_two(std::string("all: allreduce ") + size), Contains("line 2: "));
  CHECK_THAT(with_two("rank 2: compute 1us"), Contains("line 2: there is no rank 2 among 2 ranks"));
  CHECK_THAT(with_two("rank 0: send 1 to=2"), Contains("there is no rank 2 among 2 ranks"));
  CHECK_THAT(with_two("rank 0: send 1 to=0"),
             Contains("rank 0 would exchange messages with itself"));
  CHECK_THAT(with_two("rank 0: send 1"), Contains("send needs to=RANK"));
  CHECK_THAT(with_two("rank 0,0: compute 1us"), Contains("rank 0 is named twice"));
  CHECK_THAT(with_two("rank x: compute 1us"), Contains("'x' is neither a rank nor a group"));
  CHECK_THAT(with_two("compute 1us"), Contains("line 2: no `rank 0-3:` or `all:` above"));
  CHECK_THAT(with_two("all: bcst 8"), Contains("did you mean bcast?"));
  CHECK_THAT(with_two("all: bcast 8 rot=1"), Contains("did you mean root?"));
  CHECK_THAT(with_two("all: bcast 8 root=2"), Contains("there is no rank 2"));
  CHECK_THAT(with_two("all: bcast 8 algorithm=bogus"), Contains("line 2: "));
  CHECK_THAT(with_two("all: barrier 8"), Contains("barrier has no size"));
  CHECK_THAT(with_two("all: bcast 8 among=0"), Contains("rank 1 is not among the ranks"));
  CHECK_THAT(with_two("all: bcast 8 among=1 root=0"), Contains("does not take part"));
  CHECK_THAT(with_two("all: repeat 2 { compute 1us"), Contains("'}' is missing"));
  CHECK_THAT(with_two("all: compute 1us }"), Contains("'}' ends nothing"));
  CHECK_THAT(with_two("all: repeat 0 { compute 1us }"), Contains("repeats nothing"));
  CHECK_THAT(with_two("all: repeat 1T { compute 1us }"), Contains("operations"));
  CHECK_THAT(with_two("speed 0 = nan\nall: compute 1us"), Contains("above 0"));
  CHECK_THAT(with_two("speed 0 = 0\nall: compute 1us"), Contains("above 0"));
  CHECK_THAT(with_two("node 0\nall: compute 1us"), Contains("rank 1 is on no node"));
  CHECK_THAT(with_two("ranks 2"), Contains("is given twice"));
  CHECK_THAT(with_two("unit block"), Contains("no `let block"));
}

TEST_CASE("kernel: a rank without lines") {
  CHECK(text_refused("ranks 3\nrank 0,2: compute 1us\nstage") == "rank 1 has no lines");
}

TEST_CASE("kernel: messages that do not meet") {
  CHECK(text_refused("ranks 2\nrank 0: send 4k to=1\nrank 1: compute 1us") ==
        "line 2: rank 0 sends a message that rank 1 never receives");
  CHECK(text_refused("ranks 2\nrank 0: compute 1us\nrank 1: recv 4k from=0") ==
        "line 3: rank 1 waits for a message that rank 0 never sends");
  CHECK(text_refused("ranks 2\nrank 0: isend 4k to=1\nrank 1: recv 8k from=0") ==
        "line 2: rank 0 sends 4096 bytes to rank 1, which receives 8192 (line 3)");
}

TEST_CASE("kernel: collectives that ranks do not call alike") {
  CHECK(text_refused("ranks 2\nrank 0: barrier; bcast 8\nrank 1: barrier; bcast 16") ==
        "line 3: rank 1 calls bcast of 16 bytes with root 0 where rank 0 calls bcast of 8 bytes "
        "with root 0 (line 2)");
  CHECK(text_refused("ranks 3\nall: barrier\nrank 0,1: barrier") ==
        "line 3: rank 0 calls barrier, which rank 2 does not");
  CHECK(text_refused("ranks 2\nall: compute 1us\nrank 1: barrier") ==
        "line 3: rank 1 calls barrier, which rank 0 does not");
  CHECK(text_refused("ranks 2\nrank 0: barrier\nrank 1: allreduce 8") ==
        "line 3: rank 1 calls allreduce of 8 bytes where rank 0 calls barrier (line 2)");
}

}  // namespace tutti::models::kernel
