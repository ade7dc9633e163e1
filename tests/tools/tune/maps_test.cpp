#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tools/tune/tune.hpp"

namespace tutti::tools {
namespace {

using collectives::Collective;
using nlohmann::json;

models::Median time(double value, double low, double high) {
  return {.value = value, .low = low, .high = high, .count = 11, .outliers = 0};
}

// Two candidates, the second of which runs by default.
Point point(Bytes bytes, models::Median ring, models::Median bruck) {
  Point one{.collective = Collective::allgather,
            .P = 4,
            .ranks_per_node = 4,
            .bytes = bytes,
            .candidates = {},
            .by_default = 1};
  for (const char* const name : {"ring", "bruck"})
    one.candidates.push_back({{collectives::find(Collective::allgather, name)}, name, 0, {}, {}});
  one.candidates[0].measured = ring;
  one.candidates[1].measured = bruck;
  return one;
}

Point faster(Bytes bytes) { return point(bytes, time(1, 0.9, 1.1), time(2, 1.9, 2.1)); }
Point slower(Bytes bytes) { return point(bytes, time(2, 1.9, 2.1), time(1, 0.9, 1.1)); }
Point unclear(Bytes bytes) { return point(bytes, time(1, 0.9, 5), time(2, 1.9, 2.1)); }

json rules_of(const std::vector<Point>& points) {
  return json::parse(table_of(points, true))["rules"];
}

}  // namespace

TEST_CASE("a point is decided if its best is surely faster than what runs by default, or than all",
          "[tune]") {
  CHECK(faster(8).decided());
  CHECK(slower(8).decided());
  CHECK_FALSE(unclear(8).decided());
  CHECK(unclear(8).rival() == 1);
  // The best one is what runs by default: then it is the next best one that counts.
  const Point confirmed = point(8, time(2, 1.05, 9), time(1, 0.9, 1.1));
  CHECK(confirmed.best_measured() == confirmed.by_default);
  CHECK(confirmed.rival() == 0);
  CHECK_FALSE(confirmed.decided());
  Point final = confirmed;  // which was not measured as often
  final.candidates[1].finalist = true;
  CHECK(final.decided());
  Point alone = unclear(8);
  alone.candidates[1].measured.reset();  // nothing to compare it with
  CHECK(alone.decided());
  alone.by_default = -1;
  CHECK(alone.decided());
  CHECK(Point{}.decided());
  CHECK(undecided_text({faster(8), slower(8), alone}).empty());
  CHECK_THAT(undecided_text({unclear(8)}),
             Catch::Contains("allgather of 8 B on 4 ranks: ring takes 1.000 us [0.900, 5.000], the "
                             "model's choice bruck takes 2.000 us"));
}

TEST_CASE("what is not decided has no rule, and no rule reaches over it", "[tune]") {
  const auto all = rules_of({faster(8), faster(64), faster(512)});
  REQUIRE(all.size() == 1);
  CHECK(all[0]["bytes"] == json({0, nullptr}));
  const auto hole = rules_of({faster(8), unclear(64), faster(512)});
  REQUIRE(hole.size() == 2);
  CHECK(hole[0]["bytes"] == json({0, 63}));
  CHECK(hole[1]["bytes"] == json({512, nullptr}));
  CHECK(hole[0]["algorithm"] == "prefer ring");
  const auto begin = rules_of({unclear(8), slower(64)});
  REQUIRE(begin.size() == 1);
  CHECK(begin[0]["bytes"] == json({64, nullptr}));
  CHECK(begin[0]["algorithm"] == "prefer bruck");
  CHECK(rules_of({unclear(8)}).empty());
}

TEST_CASE("a time far from the model, though others are near it, makes no rule", "[tune]") {
  const auto predicted = [](Point one) {
    one.candidates[0].predicted = {40, 1.4};  // the last one selects
    one.candidates[1].predicted = {40, 2};
    return one;
  };
  const auto far = [&](Bytes bytes) {
    return predicted(point(bytes, time(2135, 2100, 2200), time(9999, 9900, 9999)));
  };
  const std::vector<Point> one_far{predicted(faster(8)), predicted(faster(64)), far(512)};
  const auto rules = rules_of(one_far);
  REQUIRE(rules.size() == 1);
  CHECK(rules[0]["bytes"] == json({0, 511}));
  CHECK(outliers_text(one_far) ==
        "  allgather of 512 B on 4 ranks: ring takes 2135.000 us, where the model says 1.400 us\n");
  const std::vector<Point> all_far{far(8), far(64), far(512)};  // then it is the model that errs
  CHECK(rules_of(all_far).size() == 1);
  CHECK(outliers_text(all_far).empty());
}

TEST_CASE("what a model loses is counted where measurements can tell", "[tune]") {
  const std::vector<Oracle> oracles{{"model", {}}};
  // By which bruck is best, of which ring is the better one as measured.
  const auto trusting_bruck = [](Point one) {
    one.candidates[0].predicted = {2};
    one.candidates[1].predicted = {1};
    return one;
  };
  const Point lost = trusting_bruck(faster(8)), perhaps = trusting_bruck(unclear(64)),
              right = trusting_bruck(slower(512));
  CHECK(lost.penalty(0)->percent == Approx(100));
  CHECK(lost.penalty(0)->decided);
  CHECK(perhaps.penalty(0)->percent == Approx(100));
  CHECK_FALSE(perhaps.penalty(0)->decided);
  CHECK(right.penalty(0)->percent == 0);
  CHECK(right.penalty(0)->decided);
  const auto all = comparisons_of({lost, perhaps, right}, oracles);
  REQUIRE(all.size() == 1);
  CHECK(all[0].points == 3);
  CHECK(all[0].decided == 2);
  CHECK(all[0].worst_penalty == Approx(100));
  CHECK(all[0].where == "allgather of 8 B on 4 ranks");
  const auto none = comparisons_of({perhaps}, oracles);
  REQUIRE(none.size() == 1);
  CHECK(none[0].decided == 0);
  CHECK(none[0].where.empty());
  const auto text = json::parse(json_of({perhaps}, oracles, {}));
  CHECK(text["comparison"][0]["worst_penalty_percent"].is_null());
}

}  // namespace tutti::tools
