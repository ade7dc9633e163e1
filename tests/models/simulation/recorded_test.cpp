// Recorded calls: what is read, what is refused, and how clocks come together.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "models/simulation/recorded.hpp"

using namespace tutti;
using namespace tutti::models;
using Catch::Contains;

namespace {

std::string head(int rank, const std::string& clock) {
  return fmt::format(
      R"({{"tutti_trace":1,"rank":{0},"ranks":3,"node":{0},"host":"h{0}","clock":"{1}"}})"
      "\n",
      rank, clock);
}

// A barrier of `P` ranks.
std::string call(int rank, const std::string& steps, int P = 2, int number = 7) {
  return fmt::format(
      R"({{"communicator":5,"first":0,"number":{},"rank":{},"ranks":{},"collective":"barrier",)"
      R"("algorithm":"dissemination","root":0,"bytes":0,"element":1,"digest":"00ff","begin":1000,)"
      R"("end":9000,"steps":[{}]}})"
      "\n",
      number, rank, P, steps);
}

std::string refusal(const std::string& text) {
  try {
    parse_recorded(text);
  } catch (const Error& error) {
    return error.message;
  }
  return "nothing";
}

const std::string kOne = head(0, "a") + call(0, R"(["send",1,8,0,1000,1100],["copy",-1,4,0,5,6])");

}  // namespace

TEST_CASE("a recorded rank is read") {
  const Recorded read = parse_recorded(kOne + "{\"calls\":1}\n");
  CHECK(read.host == "h0");
  REQUIRE(read.calls.size() == 1);
  const RecordedCall& only = read.calls[0];
  CHECK((only.name.communicator == 5 && only.name.number == 7 && only.P == 2));
  CHECK(only.collective == collectives::Collective::barrier);
  REQUIRE(only.steps.size() == 2);
  CHECK((only.steps[0].peer == 1 && only.steps[0].bytes == 8 && only.steps[0].end == 1100));
  CHECK(only.steps[1].kind == collectives::StepKind::copy);
}

TEST_CASE("what is no recording is refused, with its line") {
  CHECK_THAT(refusal(""), Contains("empty"));
  CHECK_THAT(refusal("{}\n"), Contains("line 1: this is not a file"));
  CHECK_THAT(refusal("[]\n"), Contains("line 1: this is not a file"));
  CHECK_THAT(refusal("{\"tutti_trace\":2}\n"), Contains("reads format 1"));
  CHECK_THAT(refusal(kOne), Contains("line 3: the last line is missing"));
  CHECK_THAT(refusal(kOne.substr(0, kOne.size() - 9)), Contains("line 2: it is cut off"));
  CHECK_THAT(refusal(kOne + "{\"calls\":2}\n"), Contains("2 calls should be above"));
  CHECK_THAT(refusal(kOne + "{\"calls\":1}\n{}\n"), Contains("after the last line"));
  const auto with = [](const std::string& steps) { return refusal(head(0, "a") + call(0, steps)); };
  CHECK_THAT(with(R"(["jump",1,8,0,1,2])"), Contains("line 2.steps[0]: there is no such"));
  CHECK_THAT(with(R"(["send",2,8,0,1,2])"), Contains("steps[0][1]"));
  CHECK_THAT(with(R"(["send",1,-8,0,1,2])"), Contains("steps[0][2]"));
  CHECK_THAT(with(R"(["send",1,8,0,3,2])"), Contains("steps[0][5]"));
  CHECK_THAT(with(R"(["send",1,18446744073709551615,0,1,2])"), Contains("steps[0][2]"));
  CHECK_THAT(with(R"(["send",1])"), Contains("[kind, peer, bytes"));
  CHECK_THAT(with(R"(["send",1,8,0,1,9223372036854775807])"), Contains("steps[0][5]"));
  CHECK_THAT(refusal(head(0, "a") + call(2, "")), Contains("no such rank among 2"));
  CHECK_THAT(refusal(head(0, "a") + call(0, "", 2000000000)), Contains("in a job of 3"));
}

TEST_CASE("the clocks of nodes come together by messages both ways") {
  // Rank 1's clock is 1,000,000 ns ahead; a message takes 300 ns there, and 500 ns back.
  const auto parsed = [](int rank, const std::string& clock, const std::string& steps, int P) {
    return parse_recorded(head(rank, clock) + call(rank, steps, P) + "{\"calls\":1}\n");
  };
  const std::vector<Recorded> both{
      parsed(0, "a", R"(["send",1,8,0,1000,1100],["recv",1,8,0,1000,2500])", 2),
      parsed(1, "b", R"(["recv",0,8,0,1000,1001300],["send",0,8,0,1002000,1002100])", 2)};
  const Alignment found = align(both);
  CHECK(found.loose.empty());
  CHECK(found.add[0] == 0);
  CHECK(found.add[1] == -999900);  // within the uncertainty of −1,000,000
  CHECK(found.uncertainty == 400);

  const std::vector<Recorded> one_way{parsed(0, "a", R"(["send",1,8,0,1000,1100])", 2),
                                      parsed(1, "b", R"(["recv",0,8,0,1000,1001300])", 2)};
  CHECK(align(one_way).loose == std::vector<std::size_t>{1});
  // As far apart as times can be; a third clock would be further, and is left alone.
  const std::string kMost = std::to_string(kMostTime);
  const auto far = [&](int rank, const std::string& clock, int late, int early) {
    const auto ends = [&](const char* kind, int peer, const std::string& at) {
      return fmt::format(R"(["{}",{},8,0,{},{}])", kind, peer, at, at);
    };
    std::string steps;
    for (const char* const kind : {"send", "recv"}) {
      if (late >= 0) steps += ends(kind, late, "0") + ",";
      if (early >= 0) steps += ends(kind, early, kMost) + ",";
    }
    return parsed(rank, clock, steps.substr(0, steps.size() - 1), 3);
  };
  const std::vector<Recorded> three{far(0, "a", 1, -1), far(1, "b", 2, 0), far(2, "c", -1, 1)};
  CHECK(align(three).add == std::vector<std::int64_t>{0, -kMostTime, 0});
  CHECK(align(three).loose == std::vector<std::size_t>{2});
  const std::vector<Recorded> one_clock{parsed(0, "a", R"(["send",1,8,0,1000,1100])", 2),
                                        parsed(1, "a", R"(["recv",0,8,0,1000,1001300])", 2)};
  CHECK(align(one_clock).loose.empty());
  CHECK(align(one_clock).add == std::vector<std::int64_t>{0, 0});
}

TEST_CASE("a call counts if all its ranks recorded it") {
  const auto parsed = [](int rank, int P) {
    return parse_recorded(head(rank, "a") + call(rank, "", P) + "{\"calls\":1}\n");
  };
  const std::vector<Recorded> files{parsed(1, 2), parsed(0, 2)};
  const std::vector<RecordedPlace> places = places_of(files, {5, 0, 7});
  REQUIRE(places.size() == 2);
  CHECK((places[0].file == 1 && places[1].file == 0));
  CHECK_THROWS_AS(places_of(files, {5, 0, 8}), Error);
  CHECK_THROWS_AS(places_of({parsed(1, 3), parsed(0, 3)}, {5, 0, 7}), Error);
}
