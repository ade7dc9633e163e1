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
