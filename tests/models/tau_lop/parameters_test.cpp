// Parameters of τ-Lop from JSON and back, what is refused, and the times they give.
#include "models/tau_lop/parameters.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "base/error.hpp"

using namespace tutti;
using namespace tutti::models::tau_lop;

namespace {

constexpr const char* kFile = R"({"format": 1, "model": "tau-lop", "name": "here",
  "within": {"overhead": 0.5, "transfer": {"1": [[0, 0], [1000, 10]], "3": [[0, 0], [1000, 20]]}},
  "between": {"overhead": [[0, 3], [1000, 4]], "transfer": {"1": [[0, 1], [1000, 11]]}},
  "combine": {"1": [[0, 0], [1000, 5]]}, "segment": 8192, "segments_above": 16384})";

double transfer(Bytes bytes, int tau, int channel = kMemory) {
  const auto parameters = parse_parameters(kFile);
  return time_of(Cost{Term{Kind::transfer, channel, bytes, tau}}, parameters);
}

void refused(const char* path, const nlohmann::json& value, const char* why) {
  auto file = nlohmann::json::parse(kFile);
  file[nlohmann::json::json_pointer(path)] = value;
  CHECK_THROWS_WITH(parse_parameters(file.dump()), Catch::Contains(why));
}

}  // namespace

TEST_CASE("tau-lop: times from tables") {
  CHECK(transfer(500, 1) == Approx(5));
  CHECK(transfer(500, 2) == Approx(7.5));  // between two contentions
  CHECK(transfer(500, 6) == Approx(20));   // beyond the last: in proportion
  CHECK(transfer(4000, 1) == Approx(40));  // beyond the table
  CHECK(transfer(500, 1, kNetwork) == Approx(6));
  const auto parameters = parse_parameters(kFile);
  Cost cost{Term{Kind::overhead, kNetwork, 500, 1}, 2};
  cost += Cost::greatest({Cost{Term{Kind::transfer, kMemory, 1000, 1}},
                          Cost{Term{Kind::transfer, kNetwork, 1000, 1}}});
  cost += Cost{Term{Kind::combine, kMemory, 1000, 1}};
  CHECK(time_of(cost, parameters) == Approx(2 * 3.5 + 11 + 5));
}

TEST_CASE("tau-lop: what can never be the greatest is left out") {
  const Cost few{Term{Kind::transfer, kMemory, 10, 2}}, many{Term{Kind::transfer, kMemory, 20, 3}};
  CHECK(Cost::greatest({few, many, few}) == many);
  const Cost other{Term{Kind::transfer, kNetwork, 1, 1}};
  CHECK(Cost::greatest({few, other}).maxima().size() == 1);
  // Fewer bytes, of more at once; and the same once and twice.
  const Cost crowded{Term{Kind::transfer, kMemory, 10, 4}};
  for (const auto& both : {std::vector{crowded, many}, std::vector{many, crowded}}) {
    const Cost greatest = Cost::greatest(both);
    REQUIRE(greatest.maxima().size() == 1);
    CHECK(greatest.maxima().front().of.size() == 2);
  }
  const Cost twice{Term{Kind::transfer, kMemory, 10, 2}, 2};
  CHECK(Cost::greatest({few, twice}) == twice);
  CHECK(Cost::greatest({twice, many}).maxima().size() == 1);
  CHECK(Cost::greatest({}) == Cost{});
}

TEST_CASE("tau-lop: parameters as JSON") {
  const auto parameters = parse_parameters(kFile);
  CHECK(to_json(parse_parameters(to_json(parameters).dump())) == to_json(parameters));
  refused("/format", 2, "this program reads format 1");
  refused("/model", "loggp", "model: must be tau-lop");
  refused("/within/transfer", nlohmann::json::object(), "within.transfer.1: is missing");
  refused("/within/transfer/two", 1, "'two' is not a number of transfers");
  refused("/between/overhead", -1, "between.overhead: must be zero or more");
  refused("/between/latency", 1, "there is no 'latency' here");
  refused("/segment", "8k", "segment: must be a whole number");
  refused("/colour", 1, "there is no 'colour' here");
  const nlohmann::json limits = {{"line", 48},       {"small", 480},   {"eager", 8192},
                                 {"cut", 0},         {"writes", true}, {"fetches", false},
                                 {"in_pieces", true}};
  auto file = nlohmann::json::parse(kFile);
  file["protocols"] = {{"within", limits}, {"between", limits}};
  CHECK(to_json(parse_parameters(file.dump()))["protocols"] == file["protocols"]);
  refused("/protocols", {{"within", limits}}, "protocols.between: is missing");
  file["protocols"]["between"]["eager"] = 40;
  refused("/protocols", file["protocols"], "protocols.between: line, small and eager must ascend");
  file["protocols"]["between"]["writes"] = 1;
  refused("/protocols", file["protocols"], "protocols.between.writes: must be true or false");
  CHECK_THROWS_WITH(parse_parameters("{"), Catch::Contains("not JSON"));
  CHECK_THROWS_WITH(parse_parameters(R"({"model": "tau-lop"})"),
                    Catch::Contains("within: is missing"));
}
