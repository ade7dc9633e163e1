// Rank 0's parameters count on all ranks, and communicators share the tables made of them.
#include "src/job/selection.hpp"

#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "base/error.hpp"
#include "models/decision/shipped.hpp"
#include "models/platform/json.hpp"
#include "models/platform/saved.hpp"
#include "tests/base/settings_folder.hpp"
#include "tests/transport/thread_bootstrap.hpp"

using namespace tutti;
using collectives::Collective;

namespace {

struct Agreed {
  std::optional<models::Platform> platform;
  std::string complaint;
};

// Platforms, or complaints, of two ranks whose settings `model` are these.
std::vector<Agreed> agreed(const std::string& first, const std::string& second) {
  tests::ThreadBootstrap::Meeting meeting(2);
  std::vector<Agreed> got(2);
  const auto rank = [&](int number, const std::string& model) {
    Configuration configuration;
    configuration.model = model;
    Agreed& mine = got[static_cast<std::size_t>(number)];
    try {
      tests::ThreadBootstrap bootstrap(meeting, number);
      mine.platform = agree_on_platform(configuration, "rxe", bootstrap, {}).platform;
    } catch (const Error& error) {
      mine.complaint = error.code == Code::bad_configuration ? error.message : "another code";
    }
  };
  std::thread other(rank, 1, second);
  rank(0, first);
  other.join();
  return got;
}

std::string complaint(const std::string& text) {
  const tests::SettingsFolder folder;
  const std::string path = folder.path + "/parameters.json";
  std::ofstream(path) << text;
  Configuration configuration;
  configuration.model = path;
  tests::ThreadBootstrap::Meeting meeting(1);
  try {
    tests::ThreadBootstrap bootstrap(meeting, 0);
    agree_on_platform(configuration, "shm", bootstrap, {});
  } catch (const Error& error) {
    CHECK(error.code == Code::bad_configuration);
    CHECK_THAT(error.message, Catch::Contains(path));
    return error.message;
  }
  return {};
}

}  // namespace

TEST_CASE("what was measured here is taken, what was measured elsewhere is named", "[selection]") {
  const tests::SettingsFolder folder;
  models::Platform measured = *models::find_shipped("rxe");
  measured.name = "measured";
  measured.cores.reset();
  measured.within.reset();
  measured.origin = {
      .machine = models::this_machine(), .wire = "rxe", .device = {}, .date = {}, .command = {}};
  const auto taken = [&](std::string& warning) {
    std::ofstream(models::saved_file("rxe")) << models::to_json(measured);
    tests::ThreadBootstrap::Meeting meeting(1);
    tests::ThreadBootstrap bootstrap(meeting, 0);
    return agree_on_platform({}, "rxe", bootstrap, [&](std::string_view line) { warning = line; })
        .platform;
  };
  std::string warning;
  const models::Platform here = taken(warning);
  CHECK(here.name == "measured");
  CHECK(warning.empty());
  // Parameters that a measurement lacks come from the shipped ones, and from the wire's own times.
  CHECK(here.within);
  REQUIRE(here.cores);
  CHECK(here.cores->per_message == Approx(models::find_shipped("rxe")->cores->per_message));
  // A tool that has no job reads the same, and says where.
  const PlatformHere alone = platform_here({}, "rxe", {});
  CHECK(models::to_json(alone.platform).dump() == models::to_json(here).dump());
  CHECK_THAT(alone.from, Catch::Contains(models::saved_file("rxe")));
  measured.origin.machine.cpu = "another";
  CHECK(taken(warning).name == "rxe");
  CHECK_THAT(warning, Catch::Contains("measured-rxe.json") && Catch::Contains("'another'"));
}

TEST_CASE("what is no file in the place of kept parameters is named, and the shipped ones taken",
          "[selection]") {
  const tests::SettingsFolder folder;
  const std::string path = models::saved_file("rxe");
  const auto warning = [] {
    std::string said;
    tests::ThreadBootstrap::Meeting meeting(1);
    tests::ThreadBootstrap bootstrap(meeting, 0);
    const auto agreed =
        agree_on_platform({}, "rxe", bootstrap, [&](std::string_view line) { said = line; });
    CHECK(agreed.platform.name == "rxe");
    return said;
  };
  std::filesystem::create_directory(path);
  CHECK(warning() == "cannot read " + path + ": it is a folder; the shipped parameters are taken");
  std::filesystem::remove(path);
  REQUIRE(mkfifo(path.c_str(), 0600) == 0);
  CHECK_THAT(warning(), Catch::EndsWith("not a file; the shipped parameters are taken"));
}

TEST_CASE("rank 0's parameters are everyone's, to the last digit", "[selection]") {
  const tests::SettingsFolder folder;
  const auto usual = agreed("", "hardware");
  REQUIRE((usual[0].platform && usual[1].platform));
  const auto text = [](const Agreed& rank) { return models::to_json(*rank.platform).dump(); };
  CHECK(usual[0].platform->name == "rxe");
  CHECK(text(usual[1]) == text(usual[0]));
  CHECK(text(usual[0]) == models::to_json(*models::find_shipped("rxe")).dump());
  CHECK(agreed("hardware", "")[1].platform->name == "hardware");
}

TEST_CASE("what rank 0 cannot read is an error on all ranks, in the same words", "[selection]") {
  const tests::SettingsFolder folder;
  const std::string broken = folder.path + "/broken.json";
  std::ofstream(broken) << "{";
  for (const std::string& name : {std::string("/nonexistent"), folder.path, broken})
    for (const Agreed& rank : agreed(name, "")) {
      CHECK_FALSE(rank.platform);
      CHECK_THAT(rank.complaint, Catch::Contains("the setting `model`: ") && Catch::Contains(name));
    }
  for (const std::string& name : {std::string("/nonexistent"), folder.path, broken}) {
    Configuration configuration;
    configuration.model = name;
    CHECK_THROWS_WITH(check_model(configuration),
                      Catch::Contains("the setting `model`: ") && Catch::Contains(name));
  }
  for (const char* name : {"", "measure", "shm"}) {
    Configuration configuration;
    configuration.model = name;
    CHECK_NOTHROW(check_model(configuration));
  }
  // Only rank 0's file is looked at.
  CHECK(agreed("", "/nonexistent")[1].platform);
}

TEST_CASE("a file of parameters that cannot be read is named", "[selection]") {
  CHECK_THAT(complaint("{"), Catch::Contains("not JSON"));
  CHECK_THAT(complaint(R"({"format": 0})"), Catch::Contains("reads format 1, not 0"));
  CHECK_THAT(complaint(R"({"model": "logp", "parameters": {"L": 1, "o": 1}})"),
             Catch::Contains("parameters.g: is missing"));
  CHECK_THAT(complaint(R"({"model": "logp", "parameters": {"L": 1, "o": 1, "g": 1},
                           "cores": {"wake": -1}})"),
             Catch::Contains("cores.wake: must be zero or more"));
  CHECK(complaint(R"({"model": "logp", "parameters": {"L": 1, "o": 1, "g": 1}})").empty());
}

TEST_CASE("communicators of equal facts share their tables", "[selection]") {
  const collectives::Rules rules;
  Selection selection(rules, *models::find_shipped("shm"));
  const collectives::Facts facts{4, 1, 4};
  const auto first = selection.decisions_for(facts);
  CHECK(selection.decisions_for(facts) == first);
  CHECK(selection.decisions_for({8, 1, 8}) != first);
}

TEST_CASE("the tables that were used last stay for the next communicator", "[selection]") {
  const collectives::Rules rules;
  Selection selection(rules, *models::find_shipped("shm"));
  const auto use = [&](int P) {
    const auto decisions = selection.decisions_for({P, 1, P});
    const std::size_t before = decisions->estimates();
    decisions->table({{.collective = Collective::allreduce, .bytes = 8}, P});
    return before == 0;  // whether it was made anew
  };
  constexpr int kMany = static_cast<int>(Selection::kMostUnused) + 2;
  const auto in_use = selection.decisions_for({2, 1, 2});
  CHECK(use(3));
  for (int P = 4; P < kMany; ++P) CHECK(use(P));
  CHECK_FALSE(use(3));  // from now on the last used one
  CHECK(use(2));
  CHECK(use(kMany + 1));
  CHECK(use(kMany + 2));
  CHECK_FALSE(use(3));
  CHECK(use(4));  // the first to go
  CHECK(selection.decisions_for({2, 1, 2}) == in_use);
}

TEST_CASE("a choice by hand comes before the model's", "[selection]") {
  collectives::Rules rules;
  Selection selection(rules, *models::find_shipped("shm"));
  const auto decisions = selection.decisions_for({4, 1, 4});
  const collectives::Problem problem{{.collective = Collective::bcast, .bytes = 8}, 4};
  CHECK(selection.choose(problem, *decisions).algorithm == decisions->select(problem).algorithm);
  rules.forced = collectives::parse_choices("bcast=chain");
  CHECK(selection.choose(problem, *decisions).algorithm->name == "chain");
  // And it is explained: what is said of the time is said of it.
  const auto told = selection.explain(problem, *decisions);
  CHECK(told["algorithm"].get<std::string>().starts_with("chain"));
  for (const auto& one : told["candidates"])
    if (one["algorithm"] == told["algorithm"])
      CHECK(one["latency"] == told["statement"]["latency"]);
}

TEST_CASE("a tree by hand gets the times of the model in use", "[selection]") {
  collectives::Rules rules;
  rules.forced = collectives::parse_choices("scatter=loggp(g=3)");
  const collectives::Problem problem{{.collective = Collective::scatter, .bytes = 8}, 4};
  const auto chosen = [&](std::string_view wire, const collectives::Facts& facts) {
    Selection selection(rules, *models::find_shipped(wire));
    const auto decisions = selection.decisions_for(facts);
    const auto choice = to_string(selection.choose(problem, *decisions));
    CHECK(selection.explain(problem, *decisions)["algorithm"] == choice);
    // The text that is shown repeats the choice.
    rules.forced = collectives::parse_choices("scatter=" + choice);
    CHECK(to_string(selection.choose(problem, *decisions)) == choice);
    rules.forced = collectives::parse_choices("scatter=loggp(g=3)");
    return choice;
  };
  CHECK(chosen("hardware", {4, 4, 1}) == "loggp(L=1.13,g=3,G=4e-05)");
  CHECK(chosen("hardware", {4, 1, 4}) == "loggp(L=0.09,g=3,G=4e-05)");
  CHECK(chosen("rxe", {4, 2, 2}) == "loggp(L=20,g=3,G=0.0052)");
}

TEST_CASE("the setting says for how many calls in a row algorithms are chosen", "[selection]") {
  const models::Platform& machine = *models::find_shipped("hardware");
  const auto chosen = [&](int calls) {
    Configuration configuration;
    configuration.calls_in_a_row = calls;
    const collectives::Rules rules;
    Selection selection(rules, for_program(machine, configuration));
    const collectives::Problem problem{{.collective = Collective::exscan, .bytes = 8}, 1000};
    return selection.choose(problem, *selection.decisions_for({1000, 1000, 1})).algorithm->name;
  };
  // A chain of ranks takes longest by itself, and is fastest where the calls follow each other.
  CHECK(chosen(1) == "recursive-doubling");
  CHECK(chosen(1000) == "linear");
  Configuration nothing_said;
  CHECK(for_program(machine, nothing_said).budget == machine.budget);
}

TEST_CASE("sums of reproducible reductions are explained as they run", "[selection]") {
  Configuration configuration;
  CHECK(explained_task(Collective::reduce, 8, configuration) ==
        collectives::Task{.collective = Collective::reduce, .bytes = 8});
  configuration.reproducible = true;
  const auto task = explained_task(Collective::reduce, 8, configuration);
  CHECK(task.left_fold);
  CHECK_FALSE(task.commutative);
  CHECK_FALSE(explained_task(Collective::bcast, 8, configuration).left_fold);
}

TEST_CASE("parameters say where they are from", "[selection]") {
  const tests::SettingsFolder folder;
  Configuration configuration;
  CHECK_THAT(platform_here(configuration, "shm", {}).from,
             Catch::Contains("Tutti's own for shm: none are in " + models::saved_file("shm")));
  std::ofstream(models::saved_file("shm")) << "{}";
  std::string warned;
  const auto note = [&](std::string_view text) { warned = text; };
  CHECK_THAT(platform_here(configuration, "shm", note).from,
             Catch::Contains("those in " + models::saved_file("shm") + " cannot be used"));
  CHECK_FALSE(warned.empty());
  std::filesystem::remove(models::saved_file("shm"));
  configuration.model = "measure";
  CHECK(platform_here(configuration, "shm", {}).to_measure);
  configuration.model = "rxe";
  CHECK(platform_here(configuration, "shm", {}).platform.name == "rxe");
  configuration.model = folder.path + "/mine.json";
  std::ofstream(configuration.model)
      << R"({"model": "logp", "parameters": {"L": 1, "o": 1, "g": 1}})";
  CHECK_THAT(platform_here(configuration, "shm", {}).from, Catch::Contains(configuration.model));
  configuration.model = "/nonexistent";
  CHECK_THROWS_WITH(platform_here(configuration, "shm", {}), Catch::Contains("/nonexistent"));
}

TEST_CASE("what was measured over shared memory counts for messages within nodes", "[selection]") {
  const tests::SettingsFolder folder;
  models::Platform measured = *models::find_shipped("shm");
  measured.within.reset();
  measured.between = models::LogGP{.L = 7, .o_s = 1, .o_r = 1, .g = 1, .G = 0};
  const models::Model seven = measured.between;
  const auto taken = [&](const char* wire) {
    measured.origin = {
        .machine = models::this_machine(), .wire = wire, .device = {}, .date = {}, .command = {}};
    std::ofstream(models::saved_file(wire)) << models::to_json(measured);
    tests::ThreadBootstrap::Meeting meeting(1);
    tests::ThreadBootstrap bootstrap(meeting, 0);
    return agree_on_platform({}, wire, bootstrap, {}).platform;
  };
  const models::Platform alone = taken("shm");
  CHECK(!alone.within);
  CHECK(parameters_to_json(alone.between) == parameters_to_json(seven));
  measured.between = models::find_shipped("rxe")->between;
  const models::Platform both = taken("rxe");
  REQUIRE(both.within);
  CHECK(parameters_to_json(*both.within) == parameters_to_json(seven));
}

TEST_CASE("processors may carry all bytes of what was measured", "[selection]") {
  const models::Platform measured = models::parse_platform(R"({"model": "plogp", "parameters": {
          "L": 0, "o_s": [[1, 48], [65536, 500]], "o_r": [[1, 14], [65536, 11]],
          "g": [[1, 48], [65536, 500]]}})");
  const models::Platform complete = models::completed(measured, "rxe");
  REQUIRE(complete.cores);
  CHECK(complete.cores->per_message == 0);
  CHECK(complete.cores->per_byte >= 0);
  CHECK_NOTHROW(models::parse_platform(models::to_json(complete).dump()));
}

TEST_CASE("measured parameters are wanted, and kept ones are such", "[selection]") {
  const tests::SettingsFolder folder;
  Configuration configuration;
  configuration.model = "measure";
  const auto agreed_alone = [&] {
    tests::ThreadBootstrap::Meeting meeting(1);
    tests::ThreadBootstrap bootstrap(meeting, 0);
    return agree_on_platform(configuration, "shm", bootstrap, {});
  };
  const AgreedPlatform before = agreed_alone();
  CHECK(before.to_measure);
  CHECK(before.platform.name == "shm");
  models::Platform measured = *models::find_shipped("shm");
  measured.name = "measured";
  measured.origin = models::origin_here("a test");
  measured.origin.wire = "shm";
  models::keep(measured);
  const AgreedPlatform after = agreed_alone();
  CHECK_FALSE(after.to_measure);
  CHECK(after.platform.name == "measured");
}
