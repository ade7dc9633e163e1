// Platforms go out as JSON and come back; what is wrong in a file is named with its place.
#include "models/platform/json.hpp"

#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "tests/models/predicted.hpp"

using namespace tutti;
using namespace tutti::models;
using namespace tutti::models::test;

namespace {

std::string platform_complaint(std::string_view text) {
  try {
    parse_platform(text);
    return "none";
  } catch (const Error& error) {
    return error.message;
  }
}

std::string about_loggp(const std::string& parameters) {
  return platform_complaint(R"({"model": "loggp", "parameters": )" + parameters + "}");
}

}  // namespace

TEST_CASE("json: every model and every published platform survives the way out and in") {
  for (const Model& model : models::models()) {
    const Platform platform{.name = "x", .between = model, .reduce_per_byte = 0.5};
    if (std::holds_alternative<LogfP>(model)) CHECK(std::get<LogfP>(model).f == 1);
    CHECK(to_json(parse_platform(to_json(platform).dump())) == to_json(platform));
  }
  for (const Published& some : published()) {
    if (!some.complete) continue;
    INFO(some.name);
    const Platform platform = parse_platform(some.json);
    CHECK(to_json(parse_platform(to_json(platform).dump())) == to_json(platform));
  }
}

TEST_CASE("json: tables and transfers") {
  const Platform platform = parse_platform(
      R"({"within": {"model": "lognp", "parameters": {"transfers":
                     [{"o": 1}, {"o": [[0, 1], [8, 2]]}]}},
          "between": {"model": "hockney", "parameters": {"alpha": [[0, 10], [100, 20]], "beta": 0}},
          "compute": {"reduce_per_byte": 0.25}, "shared_ports": true, "adapters": 2})");
  CHECK(time_of(*platform.within, 4) == near(2.5));
  CHECK(time_of(platform.between, 50) == near(15));
  CHECK(platform.reduce_per_byte == 0.25);
  CHECK(platform.shared_ports);
  CHECK(platform.adapters == 2);
  CHECK(parse_platform(to_json(platform).dump()).adapters == 2);
}

TEST_CASE("json: what is wrong is named with its place") {
  CHECK_THAT(platform_complaint("{"), Catch::Contains("not JSON") && Catch::Contains("line 1"));
  CHECK_THAT(platform_complaint("[]"), Catch::Contains("must be an object"));
  CHECK_THAT(platform_complaint(
                 R"({"model": "hockney", "parameters": {"alpha": 1, "beta": 0}, "adapters": 0})"),
             Catch::Contains("adapters: must be a whole number from 1 to 64, not 0"));
  CHECK_THAT(platform_complaint("{}"), Catch::Contains("model: is missing"));
  CHECK_THAT(platform_complaint(R"({"format": 0})"), Catch::Contains("reads format 1, not 0"));
  CHECK_THAT(platform_complaint(R"({"model": "loggpp", "parameters": {}})"),
             Catch::Contains("no model 'loggpp'") && Catch::Contains("loggp,"));
  CHECK_THROWS_WITH(model_named("tau-lop"),
                    Catch::Contains("no times of single messages") && Catch::Contains("hockney, "));
  CHECK_THAT(platform_complaint(R"({"modell": "loggp"})"), Catch::Contains("no 'modell' here"));
  CHECK_THAT(about_loggp(R"({"L": 1, "o": 1, "g": 1})"),
             Catch::Contains("parameters.G: is missing"));
  CHECK_THAT(about_loggp(R"({"L": -1, "o": 1, "g": 1, "G": 0})"),
             Catch::Contains("parameters.L: must be zero or more, not -1"));
  CHECK_THAT(about_loggp(R"({"L": "1", "o": 1, "g": 1, "G": 0})"),
             Catch::Contains("parameters.L: must be a number"));
  CHECK_THAT(about_loggp(R"({"L": 1, "o": 1, "g": 1, "G": 0, "H": 3})"),
             Catch::Contains("no 'H' here, but G, L, g, o, o_r, o_s"));
  CHECK_THAT(about_loggp("7"), Catch::Contains("parameters: must be an object"));
  CHECK_THAT(platform_complaint(R"({"between": {"model": "logp", "parameters": {}}})"),
             Catch::Contains("within: is missing"));
  CHECK_THAT(platform_complaint(
                 R"({"model": "hockney", "parameters": {"alpha": [[8, 1], [8, 2]], "beta": 0}})"),
             Catch::Contains("parameters.alpha[1]: bytes must ascend"));
  CHECK_THAT(
      platform_complaint(R"({"model": "hockney", "parameters": {"alpha": [[8]], "beta": 0}})"),
      Catch::Contains("parameters.alpha[0]: must be [bytes, value]"));
  CHECK_THAT(platform_complaint(R"({"model": "plogp", "parameters": {"L": 1, "o": 5, "g": 4}})"),
             Catch::Contains("parameters.g: must not be less"));
  CHECK_THAT(platform_complaint(R"({"model": "piecewise", "parameters": {"ranges": [
                 {"alpha": 1, "beta": 1}, {"alpha": 1, "beta": 1}]}})"),
             Catch::Contains("ranges[0].up_to: is missing"));
}

TEST_CASE("json: the gap may depend on how many ranks a rank sends to") {
  const std::string text =
      R"({"model": "logp", "parameters": {"L": 5, "o": 1, "g": 4},
          "gap_by_destinations": [[1, 1], [16, 1], [32, 0.5]]})";
  const Platform platform = parse_platform(text);
  const Curve& factor = *platform.gap_by_destinations.between;
  CHECK(factor(1) == 1);
  CHECK(factor(24) == near(0.75));
  CHECK(factor(1000) == 0.5);
  CHECK_FALSE(platform.gap_by_destinations.within);
  CHECK(parse_platform(to_json(platform).dump()).gap_by_destinations.between == factor);
  CHECK_FALSE(to_json(platform_of("boba")).contains("gap_by_destinations"));

  Changes changes;
  changes.parameters = {{"gap_by_destinations", 0.25}, {"g", 8}};
  changes.model = "loggp";
  changes.parameters.emplace_back("G", 0.5);
  const Platform changed = parse_platform(text, changes);
  CHECK((*changed.gap_by_destinations.between)(7) == 0.25);
  CHECK(std::get<models::LogGP>(changed.between).g == 8);

  const std::string metropolis(find_published("metropolis")->json);
  changes = {};
  changes.parameters = {{"within.gap_by_destinations", 2}, {"between_sockets.L", 1}};
  const GapByDestinations levels = parse_platform(metropolis, changes).gap_by_destinations;
  CHECK((*levels.within)(3) == 2);
  CHECK_FALSE(levels.between);
  const Platform both = parse_platform(metropolis, changes);
  CHECK(to_json(parse_platform(to_json(both).dump())) == to_json(both));
}

TEST_CASE("json: a table over destinations begins at 1 and ascends, and its factors are above 0") {
  const auto complaint = [](const std::string& table) {
    return platform_complaint(R"({"model": "logp", "parameters": {"L": 5, "o": 1, "g": 4},
                                  "gap_by_destinations": )" +
                              table + "}");
  };
  CHECK(complaint("[[1, 1], [2, 0.5]]") == "none");
  CHECK_THAT(complaint("\"1\""), Catch::Contains("gap_by_destinations: must be a number, or an "
                                                 "array of [destinations, factor], not \"1\""));
  CHECK_THAT(complaint("[]"), Catch::Contains("gap_by_destinations: a table needs at least"));
  CHECK_THAT(complaint("0"), Catch::Contains("gap_by_destinations: must be above zero, not 0"));
  CHECK_THAT(complaint("1e400"), Catch::Contains("not JSON"));
  CHECK_THAT(complaint("[[2, 1]]"),
             Catch::Contains("gap_by_destinations[0]: the first point is that of 1 destination"));
  CHECK_THAT(complaint("[[1, 1], [4, 1], [4, 2]]"),
             Catch::Contains("gap_by_destinations[2]: destinations must ascend"));
  CHECK_THAT(complaint("[[1, 1], [2, 0]]"),
             Catch::Contains("gap_by_destinations[1][1]: must be above zero, not 0"));
  CHECK_THAT(complaint("[[1, 1], [2, -1]]"), Catch::Contains("must be zero or more, not -1"));
  CHECK_THAT(complaint("[[1, 1], [2.5, 1]]"), Catch::Contains("must be a whole number"));
  CHECK_THAT(complaint("[[1]]"),
             Catch::Contains("gap_by_destinations[0]: must be [destinations, factor]"));
  CHECK_THAT(platform_complaint(
                 R"({"within": {"model": "logp", "parameters": {"L": 5, "o": 1, "g": 4}},
                     "between": {"model": "logp", "parameters": {"L": 5, "o": 1, "g": 4}},
                     "gap_by_destinations": 2})"),
             Catch::Contains("belongs in `within` or in `between`"));
}

TEST_CASE("json: what is wrong may be of any depth and length") {
  const std::string deep = std::string(200000, '[') + std::string(200000, ']');
  CHECK_THAT(platform_complaint(deep), Catch::Contains("must be an object, not an array"));
  CHECK_THAT(about_loggp(R"({"L": )" + deep + R"(, "o": 1, "g": 1, "G": 0})"),
             Catch::Contains("parameters.L: must be a number, not an array"));
  const std::string text(100000, 'x');
  for (const std::string& wrong :
       {text, "{\"" + text + "\": 1}", R"({"model": ")" + text + R"(", "parameters": {}})",
        R"({"name": 1, "model": "logp", "parameters": ")" + text + "\"}"})
    CHECK(platform_complaint(wrong).size() < 1000);
}

TEST_CASE("json: messages between sockets are a level of their own, or one made by a change") {
  const std::string text(find_published("metropolis")->json);
  CHECK_FALSE(parse_platform(text).between_sockets);
  Changes changes;
  changes.parameters = {{"between_sockets.L", 12}, {"within.g", 34}};
  const Platform platform = parse_platform(text, changes), unchanged = parse_platform(text);
  const auto& within = std::get<models::LogGP>(*platform.within);
  const auto& across = std::get<models::LogGP>(*platform.between_sockets);
  const auto& before = std::get<models::LogGP>(*unchanged.within);
  CHECK(across.L == 12);
  CHECK(across.g == before.g);
  CHECK(within.L == before.L);
  CHECK(within.g == 34);
  CHECK(to_json(parse_platform(to_json(platform).dump())) == to_json(platform));
  changes.parameters = {{"between_sockets.q", 1}};
  CHECK_THROWS_WITH(parse_platform(text, changes), Catch::Contains("between_sockets"));
  changes.parameters = {{"between_sockets.L", 1}};
  const std::string one_level(find_published("boba")->json);
  CHECK_THROWS_WITH(parse_platform(one_level, changes),
                    Catch::Contains("between_sockets: needs a model within nodes"));
}

TEST_CASE("json: parameters and the model can be changed") {
  const std::string_view boba = find_published("boba")->json;
  CHECK(time_of(parse_platform(boba, {.parameters = {{"L", 1}, {"o", 2.5}}}).between, 1) ==
        near(6));
  CHECK(std::get<LogP>(parse_platform(boba, {.model = "logp"}).between).g == 8.683);
  const auto loggps = parse_platform(boba, {.model = "loggps", .parameters = {{"S", 100}}});
  CHECK(std::get<LogGPS>(loggps.between).S == 100);
  CHECK_THROWS_WITH(parse_platform(boba, {.model = "loggps"}),
                    Catch::Contains("parameters.S: is missing"));
  CHECK_THROWS_WITH(parse_platform(boba, {.parameters = {{"x", 1}}}),
                    Catch::Contains("no 'x' here"));
  CHECK_THROWS_WITH(parse_platform(boba, {.parameters = {{"L", -1}}}),
                    Catch::Contains("zero or more, not -1"));
  const auto two = parse_platform(find_published("metropolis")->json,
                                  {.parameters = {{"within.L", 0}, {"G", 0}}});
  CHECK(std::get<models::LogGP>(*two.within).L == 0);
  CHECK(std::get<models::LogGP>(two.between).L == 32.986);
  CHECK(std::get<models::LogGP>(two.between).G == 0);
}
