// One message under each model, by the numbers that the papers print.
#include "models/platform/point_to_point.hpp"

#include "tests/models/predicted.hpp"

using namespace tutti;
using namespace tutti::models;
using namespace tutti::models::test;

TEST_CASE("models: one message of the published platforms") {
  CHECK(time_of(platform_of("boba").between, 1) == near(46.7));
  CHECK(time_of(platform_of("boba").between, 1025) == near(46.7 + 15.36));
  CHECK(time_of(platform_of("frodo").between, 1001) == near(61.22 + 16.4 + 84));
  CHECK(time_of(platform_of("ib-figure-4.2").between, 100) == near(31));
  CHECK(time_of(platform_of("ib-figure-5.7").between, 8) == near(8.5));
  CHECK(time_of(platform_of("lusitania").between, 1) == near(1.2));
  CHECK(time_of(*platform_of("metropolis").within, 1) == near(1.902));
  CHECK(time_of(platform_of("metropolis").between, 1) == near(38.741));
}

TEST_CASE("models: Bunyip's elements have 8 bytes") {  // BEO §3.1
  const Model bunyip = platform_of("bunyip").between;
  CHECK(costs_of(bunyip, 8).send == near(24 + 0.0825));
  CHECK(costs_of(bunyip, 8).receive == near(180 + 1.063));
  CHECK(time_of(bunyip, 8000) == near(204 + 1145.5));
}

TEST_CASE("models: congestion is a factor on what bytes take") {
  CHECK(time_of(congested(kBoba, 3), 1025) == near(46.7 + 3 * 15.36));
  CHECK(time_of(congested(Hockney{2, 0.5}, 3), 100) == near(2 + 3 * 50));
  CHECK(time_of(congested(LogP{20, 5, 6, 10}, 3), 100) == near(31));
  const PLogP table{20, 1, 1, Curve{{{0, 5}, {100, 25}}}};
  CHECK(time_of(congested(table, 3), 0) == near(25));
  CHECK(time_of(congested(table, 3), 100) == near(20 + 5 + 3 * 20));
  CHECK(time_of(congested(Piecewise{{{100, 1, 2}, {kNever, 3, 4}}}, 2), 200) == near(3 + 2 * 800));
}

TEST_CASE("models: BlueGene/P's ranges end where HPM says") {  // HPM eq. 1
  const Model bluegene = platform_of("BlueGene-P").between;
  CHECK(time_of(bluegene, 0) == near(4.5));
  CHECK(time_of(bluegene, 256) == near(4.5 + 0.68352));
  CHECK(time_of(bluegene, 257) == near(5.7 + 0.68619));
  CHECK(time_of(bluegene, 1024) == near(5.7 + 2.73408));
  CHECK(time_of(bluegene, 1025) == near(9.8 + 2.73675));
}

TEST_CASE("models: LogGP takes a message of no bytes for one of one") {
  CHECK(time_of(kBoba, 0) == time_of(kBoba, 1));
}

TEST_CASE("models: LogGPS adds o_s + L above S") {  // IB §5.1.2
  const LogGPS model{30.40, 8.15, 8.15, 8.683, 0.015, 1000};
  CHECK(time_of(model, 1000) == near(time_of(kBoba, 1000)));
  CHECK(time_of(model, 1001) == near(time_of(kBoba, 1001) + 8.15 + 30.40));
}

TEST_CASE("models: an overhead per byte counts at either end") {  // HPM §3
  CHECK(time_of(LogGPO{10, 1, 2, 3, 0.5, 0.25}, 5) == near(10 + 3 + 4 * 0.5 + 2 * 5 * 0.25));
}

TEST_CASE("models: PLogP is L + g(m), with o_s and o_r within g") {  // OCC §3.1
  const PLogP model{20, Curve{{{0, 2}, {100, 4}}}, Curve{3}, Curve{{{0, 5}, {100, 25}}}};
  CHECK(time_of(model, 0) == near(25));
  CHECK(time_of(model, 50) == near(35));
  CHECK(costs_of(model, 50).send == near(3));
  CHECK(costs_of(model, 50).receive == near(3));
  CHECK(costs_of(model, 1000).gap == near(25));  // beyond the table its last value stays
}

TEST_CASE("models: log_nP adds its transfers") {  // TAU eqs. 2.4, 2.5
  const LognP two{{{.o = 3}, {.o = 3}}};
  CHECK(time_of(two, 8) == near(6));
  const LognP three{{{.o = 3}, {.o = 1, .g = 7, .l = 2}, {.o = 4}}};
  CHECK(time_of(three, 8) == near(3 + 9 + 4));
  CHECK(costs_of(three, 8).receive == near(4));
}

TEST_CASE("models: LogfP's overhead falls from o_max to o_min") {  // IB §4.3.2
  const auto model = std::get<LogfP>(platform_of("ib-figure-5.7").between);
  CHECK(model.o_s(1) == near(2.0));
  CHECK(model.o_s(2) == near(1.25));
  CHECK(model.o_s(1000000) == Approx(0.5).margin(1e-5));
  CHECK(model.o_r(1) == near(1.5));
}

TEST_CASE("models: a factor on the gap leaves a message's bytes and all else as they are") {
  const models::LogGP loggp{10, 1, 2, 3, 0.5};
  const Costs costs = costs_of(loggp, 5), halved = with_gap(loggp, costs, 0.5);
  CHECK(halved.gap == near(1.5 + 4 * 0.5));
  CHECK(halved.spacing == costs.spacing);
  CHECK(halved.send == costs.send);
  CHECK(halved.held == costs.held);
  CHECK(halved.flight == costs.flight);
  CHECK(with_gap(loggp, costs, 1).gap == costs.gap);
  // As many messages are free of the gap as before.
  const Model logfp = platform_of("ib-figure-5.8").between;
  CHECK(with_gap(logfp, costs_of(logfp, 8), 2).ahead == near(3 * 6.0));
  // A table may have shorter gaps than that of a message without bytes.
  const PLogP falling{20, Curve{0}, Curve{0}, Curve{{{0, 8}, {100, 2}}}};
  CHECK(with_gap(falling, costs_of(falling, 100), 0.5).gap == 0);
  CHECK(with_gap(falling, costs_of(falling, 100), 1.5).gap == near(6));
}
