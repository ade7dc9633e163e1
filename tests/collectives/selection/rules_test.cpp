// Tables of rules, what is read and what is refused; and the choice from all sources.
#include "collectives/selection/rules.hpp"

#include <catch2/catch.hpp>
#include <functional>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "tests/collectives/selection/texts.hpp"

using namespace tutti;
using namespace tutti::collectives;
using namespace tutti::collectives::test;
using Catch::Contains;

namespace {

Error failure(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error;
  }
  return Error{Code::success, ""};
}

void table_refused(const std::string& text, const std::string& says,
                   Code code = Code::bad_configuration) {
  INFO(text.substr(0, 200));
  const Error error = failure([&] { parse_table(text); });
  CHECK(error.code == code);
  CHECK_THAT(error.message, Contains(says));
}

std::string rule(const std::string& fields) { return R"({"rules": [{)" + fields + "}]}"; }

Problem call_of(Collective collective, int P, Bytes bytes) {
  return {{.collective = collective, .bytes = bytes}, P};
}

// The choice where no rule fits.
Choice unchosen() { return {find(Collective::barrier, "chain"), {}, false, "not by hand"}; }

Choice chosen(const Problem& problem, const Rules& rules) {
  return choose(problem, {.P = problem.P}, rules).value_or(unchosen());
}

}  // namespace

TEST_CASE("rules: a table is read", "[rules]") {
  const auto rules = parse_table(R"json({
    // as people write it
    "rules": [
      {"collective": "allgather", "algorithm": "prefer neighbor-exchange", "ranks": 6, "comment": "anything"},
      {"collective": "allgather", "algorithm": "bruck(k=2)", "ranks": [3, 64], "ranks_per_node": 1, "bytes": [0, 1024]},
      {"collective": "barrier", "algorithm": "hierarchical(across=dissemination(k=3))", "bytes": [7, null]}
    ],
    "note": "others may keep here what they like"
  })json");
  REQUIRE(rules.size() == 3);
  CHECK(rules[0].collective == Collective::allgather);
  CHECK(rules[0].choice.preferred);
  CHECK(rules[0].ranks.holds(6));
  CHECK_FALSE(rules[0].ranks.holds(5));
  CHECK_FALSE(rules[0].ranks.holds(7));
  CHECK(rules[0].bytes.holds(0));
  CHECK(rules[0].bytes.holds(Bytes{1} << 60));
  CHECK(rules[1].choice.parameters.k == 2);
  for (const auto& [value, inside] : {std::pair{2, false}, {3, true}, {64, true}, {65, false}})
    CHECK(rules[1].ranks.holds(value) == inside);
  CHECK_FALSE(rules[1].ranks_per_node.holds(2));
  CHECK(rules[2].choice.parameters.across == Nested{find(Collective::barrier, "dissemination"), 3});
  CHECK_FALSE(rules[2].bytes.holds(6));
  CHECK(rules[2].bytes.holds(Bytes{1} << 60));
  CHECK(parse_table(R"({"rules": []})").empty());
}

TEST_CASE("rules: a wrong table is refused, and the rule named", "[rules]") {
  for (const char* text :
       {"", "{", "rules", "{\"rules\": [}", "\xff", "{\"rules\": []} more", "4e488"})
    table_refused(text, "it is not JSON");
  for (const char* text :
       {"[]", "{}", "3", "null", R"({"rules": {}})", R"({"rules": null})", R"({"Rules": []})"})
    table_refused(text, "it has no array \"rules\"");
  for (const char* text :
       {"3", "null", "[]", "{}", R"({"collective": "bcast"})", R"({"algorithm": "chain"})",
        R"({"collective": 3, "algorithm": "chain"})",
        R"({"collective": "bcast", "algorithm": ["chain"]})"})
    table_refused(
        R"({"rules": [{"collective": "bcast", "algorithm": "chain"}, )" + std::string{text} + "]}",
        "rule 2 needs a \"collective\" and an \"algorithm\", both texts");
  const std::string chain = R"("collective": "bcast", "algorithm": "chain")";
  table_refused(rule(chain + R"(, "size": 3)"),
                "rule 1: there is no \"size\"; there are collective");
  for (const char* interval : {"-1", "1.5", "\"3\"", "true", "null", "{}", "[]", "[1]", "[1, 2, 3]",
                               "[null, 3]", "[-1, 3]", "[1, -3]", "[1, 2.5]", "[\"1\", 2]",
                               "18446744073709551615", "[0, 9223372036854775808]"})
    for (const char* name : {"ranks", "ranks_per_node", "bytes"})
      table_refused(rule(chain + ", \"" + name + "\": " + interval),
                    "rule 1: \"" + std::string{name} + "\" is a number or [least, most]");
  table_refused(rule(chain + R"(, "bytes": [8, 4])"), "rule 1: \"bytes\": 8 is more than 4");
  table_refused(rule(chain + R"(, "comment": 3)"), "rule 1: the \"comment\" is not a string");
}

TEST_CASE("rules: a choice in a table is one, for the collective of its rule", "[rules]") {
  const auto with = [](const std::string& collective, const std::string& algorithm) {
    return R"({"rules": [{"collective": "barrier", "algorithm": "flat-tree"}, {"collective": ")" +
           collective + R"(", "algorithm": ")" + algorithm + "\"}]}";
  };
  table_refused(with("bcast", "ring"), "rule 2: bcast has no algorithm 'ring'",
                Code::unknown_algorithm);
  table_refused(with("bcast", ""), "rule 2: bcast has no algorithm ''", Code::unknown_algorithm);
  table_refused(with("bcast", "chain(k=2)"), "rule 2: unknown parameter 'k=2'");
  table_refused(with("broadcast", "chain"), "rule 2: there is no collective 'broadcast'");
  table_refused(with("", "chain"), "rule 2: there is no collective ''");
  table_refused(with("barrier=flat-tree;bcast", "chain"), "rule 2: there is no collective");
  table_refused(with("bcast", "chain;barrier=flat-tree"),
                "rule 2: 'chain;barrier=flat-tree' is more than one choice");
  table_refused(with("bcast", "chain;bcast=linear"), "rule 2:");
}

TEST_CASE("rules: long and deep tables are refused, and soon", "[rules]") {
  const int many = 200000;
  table_refused(times("[", many), "it is not JSON");
  table_refused(times("[", many) + times("]", many), "no array \"rules\"");
  table_refused(R"({"rules": )" + times("[", many) + times("]", many) + "}", "rule 1 needs");
}

TEST_CASE("rules: the schema is JSON, and says what is read", "[rules]") {
  auto schema = nlohmann::json::parse(table_schema());
  auto& properties = schema["properties"]["rules"]["items"]["properties"];
  CHECK(schema["required"] == nlohmann::json{"rules"});
  CHECK(schema["properties"]["rules"]["items"]["required"] ==
        nlohmann::json{"collective", "algorithm"});
  CHECK(schema["properties"]["rules"]["items"]["additionalProperties"] == false);
  REQUIRE(properties["collective"]["enum"].size() == kCollectives);
  for (std::size_t c = 0; c < kCollectives; ++c)
    CHECK(properties["collective"]["enum"][c] == name_of(static_cast<Collective>(c)));
  // Each property is read, and there are no others.
  for (const auto& [name, property] : properties.items()) {
    INFO(name);
    if (name == "collective" || name == "algorithm") continue;
    const bool interval = property.contains("$ref");
    if (interval) CHECK(property["$ref"] == "#/$defs/interval");
    const std::string chain = R"("collective": "bcast", "algorithm": "chain", ")" + name + "\": ";
    CHECK(parse_table(rule(chain + (interval ? "[1, null]" : "\"text\""))).size() == 1);
  }
  const Error error = failure(
      [] { parse_table(rule(R"("collective": "bcast", "algorithm": "chain", "nonsense": 1)")); });
  const std::string listed = error.message.substr(error.message.find("there are ") + 10);
  CHECK(std::count(listed.begin(), listed.end(), ',') + 1 ==
        static_cast<std::ptrdiff_t>(properties.size()));
  for (const auto& [name, property] : properties.items()) CHECK_THAT(listed, Contains(name));
  // The interval: a number from 0, or two of which the second may be null.
  auto& interval = schema["$defs"]["interval"]["oneOf"];
  REQUIRE(interval.size() == 2);
  CHECK(interval[0]["minimum"] == 0);
  REQUIRE(interval[1]["prefixItems"].size() == 2);
  CHECK(interval[1]["prefixItems"][0]["type"] == "integer");
  CHECK(interval[1]["prefixItems"][0]["minimum"] == 0);
  CHECK(interval[1]["prefixItems"][1]["minimum"] == 0);
  // The examples in the descriptions can be read.
  const std::string examples = properties["algorithm"]["description"];
  const std::string mark = "such as ", other = " or ";
  const auto first = examples.find(mark) + mark.size(), second = examples.find(other, first);
  REQUIRE(second != examples.npos);
  CHECK(only("allgather=" + examples.substr(first, second - first)).parameters.k == 3);
  CHECK(only("allgather=" + examples.substr(second + other.size())).preferred);
}

TEST_CASE("rules: what is forced comes before the table, of which the first rule that fits counts",
          "[rules]") {
  Rules rules;
  rules.table = parse_table(R"({"rules": [
    {"collective": "bcast", "algorithm": "linear", "ranks": [16, null]},
    {"collective": "bcast", "algorithm": "chain", "bytes": [1000, 2000]},
    {"collective": "bcast", "algorithm": "binary", "bytes": [0, 1500]},
    {"collective": "bcast", "algorithm": "tau-binomial", "ranks": 4, "bytes": [3000, null]}
  ]})");
  const auto name = [&](int P, Bytes bytes) {
    return chosen(call_of(Collective::bcast, P, bytes), rules).algorithm->name;
  };
  CHECK(name(16, 1200) == "linear");
  CHECK(name(15, 1200) == "chain");  // the rules overlap
  CHECK(name(15, 1000) == "chain");
  CHECK(name(15, 2000) == "chain");
  CHECK(name(15, 999) == "binary");
  CHECK(name(4, 3000) == "tau-binomial");
  CHECK_FALSE(choose(call_of(Collective::bcast, 5, 3000), {.P = 5}, rules));  // no rule fits
  CHECK_FALSE(choose(call_of(Collective::barrier, 16, 0), {.P = 16}, rules));
  CHECK_THAT(std::string{chosen(call_of(Collective::bcast, 4, 3000), rules).reason},
             Contains("`table`"));
  rules.forced = parse_choices("bcast=splitted-binary");
  CHECK(name(16, 1200) == "splitted-binary");
  CHECK_THAT(std::string{chosen(call_of(Collective::bcast, 16, 1200), rules).reason},
             Contains("`algorithm`"));
  // Ranks per node; and the mean of blocks that differ.
  rules = {};
  rules.table = parse_table(rule(
      R"json("collective": "allgather", "algorithm": "bruck(k=3)", "ranks_per_node": [2, 4], "bytes": 10)json"));
  Problem problem = call_of(Collective::allgather, 4, 999);
  problem.counts = {0, 40, 0, 0};
  CHECK(choose(problem, {.P = 4, .max_ranks_per_node = 2}, rules)->parameters.k == 3);
  CHECK_FALSE(choose(problem, {.P = 4, .max_ranks_per_node = 1}, rules));
  problem.counts = {0, 44, 0, 0};
  CHECK_FALSE(choose(problem, {.P = 4, .max_ranks_per_node = 2}, rules));
}

TEST_CASE("rules: a choice that does not apply is an error that says why, unless it is preferred",
          "[rules]") {
  const auto why = [](const Problem& problem, const Rules& rules) {
    const Error error = failure([&] { chosen(problem, rules); });
    CHECK((error.code == Code::algorithm_not_applicable || error.code == Code::success));
    return error.message;
  };
  Rules rules;
  rules.forced = parse_choices(
      "allgather=neighbor-exchange;reduce=binary;alltoall=bruck;scatter=binomial(k=2);bcast="
      "multicast");
  const Problem odd = call_of(Collective::allgather, 5, 8);
  CHECK_THAT(
      why(odd, rules),
      Contains(
          "neighbor-exchange cannot run this allgather: it needs an even number of ranks, not 5") &&
          Contains("allgather=prefer neighbor-exchange"));
  CHECK(why(call_of(Collective::allgather, 6, 8), rules).empty());
  Problem ordered = call_of(Collective::reduce, 4, 8);
  ordered.commutative = false;
  CHECK_THAT(why(ordered, rules),
             Contains("binary cannot run this reduce: it does not keep the order of the ranks"));
  Problem reproducible = call_of(Collective::reduce, 4, 8);
  reproducible.left_fold = true;
  CHECK_THAT(why(reproducible, rules), Contains("reproducible"));
  Problem uneven = call_of(Collective::alltoall, 2, 8);
  uneven.counts = uneven.receive_counts = {1, 2};
  CHECK_THAT(why(uneven, rules), Contains("its blocks must have one length"));
  Problem unknown = call_of(Collective::scatter, 4, 8);
  unknown.counts_known = false;
  CHECK_THAT(why(unknown, rules),
             Contains("binomial(k=2) cannot run this scatter: only the root knows the counts"));
  Problem alone = call_of(Collective::bcast, 4, 8);
  alone.datagrams = false;
  CHECK_THAT(why(alone, rules), Contains("needs a multicast group"));

  // Preferred: the table is asked, then the model.
  rules.forced = parse_choices("allgather=prefer neighbor-exchange");
  CHECK(chosen(call_of(Collective::allgather, 6, 8), rules).algorithm->name == "neighbor-exchange");
  CHECK_FALSE(choose(odd, {.P = 5}, rules));
  rules.table = parse_table(rule(R"("collective": "allgather", "algorithm": "dissemination")"));
  CHECK(chosen(odd, rules).algorithm->name == "dissemination");
  rules.table = parse_table(rule(R"("collective": "allgather", "algorithm": "neighbor-exchange")"));
  CHECK_THAT(why(odd, rules), Contains("even number of ranks"));
  rules.table =
      parse_table(rule(R"("collective": "allgather", "algorithm": "prefer neighbor-exchange")"));
  CHECK_FALSE(choose(odd, {.P = 5}, rules));
}

TEST_CASE("rules: the level across the nodes must apply to the number of nodes", "[rules]") {
  Rules rules;
  rules.forced = parse_choices("allgather=hierarchical(across=neighbor-exchange)");
  Problem problem = call_of(Collective::allgather, 6, 8);
  problem.node = {0, 0, 0, 1, 1, 1};
  CHECK(chosen(problem, rules).algorithm->name == "hierarchical");
  problem.node = {0, 0, 1, 1, 2, 2};
  const Error error = failure([&] { chosen(problem, rules); });
  CHECK(error.code == Code::algorithm_not_applicable);
  CHECK_THAT(error.message, Contains("across the nodes: it needs an even number of ranks, not 3"));
  problem.node.clear();  // one node: nothing goes across
  CHECK(chosen(problem, rules).algorithm->name == "hierarchical");
}

TEST_CASE("rules: who asks for datagrams", "[rules]") {
  Rules rules;
  CHECK_FALSE(wants_datagrams(rules));
  rules.forced = parse_choices("bcast=binomial;barrier=flat-tree");
  CHECK_FALSE(wants_datagrams(rules));
  rules.table = parse_table(rule(R"("collective": "bcast", "algorithm": "prefer multicast")"));
  CHECK(wants_datagrams(rules));
  rules.table.clear();
  rules.forced = parse_choices("bcast=multicast");
  CHECK(wants_datagrams(rules));
}
