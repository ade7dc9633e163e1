// The papers' formulas: by hand, and against the simulator.
#include "models/papers/closed_forms.hpp"

#include <cmath>

#include "models/simulation/chance.hpp"
#include "tests/base/sanitized.hpp"
#include "tests/models/predicted.hpp"

using namespace tutti;
using namespace tutti::models;
using namespace tutti::models::test;

namespace {

// Fixed: each run has the same parameters and calls.
class Drawn {
 public:
  explicit Drawn(std::uint64_t seed) : chance_(seed) {}

  Model model(std::size_t kind) {
    const double G = time(1e-5, 0.1);
    switch (kind % 7) {
      case 0: return models::Hockney{time(), G};
      case 1: return models::SplitHockney{time(), time(), G, time(1e-5, 0.1)};
      case 2: return models::LogP{time(), time(), time(), time()};
      case 3: return models::LogGP{time(), time(), time(), time(), G};
      case 4: {
        const double o_s = time(), o_r = time(), g = std::max({o_s, o_r, time()});
        const auto line = [](double at_one, double per_byte) {
          return Curve{{{1, at_one}, {1 << 20, at_one + per_byte * (1 << 20)}}};
        };
        return models::PLogP{time(), line(o_s, G * chance_.uniform()),
                             line(o_r, G * chance_.uniform()), line(g, G)};
      }
      case 5: {
        const auto transfer = [&] {
          const double at_none = whole(0, 1) == 1 ? time() : 0;
          return LognP::Transfer{
              .o = Curve{{{0, at_none}, {1 << 20, at_none + time(1e-5, 0.1) * (1 << 20)}}},
              .g = {},
              .l = {}};
        };
        const auto ends = transfer();
        if (whole(0, 1) == 1) return models::LognP{{ends, ends}};
        return models::LognP{{ends, transfer(), ends}};
      }
      default: {
        const double o_s = time(), o_r = time();
        return models::LogfP{time(), o_s, o_s + time(), o_r, o_r + time(), time(), whole(1, 6)};
      }
    }
  }
  Asked call() {
    constexpr int kRanks[] = {2, 3, 4, 5, 7, 8, 9, 15, 16, 27, 31, 32};
    Asked asked;
    asked.P = kRanks[static_cast<std::size_t>(whole(0, 11))];
    asked.bytes = std::llround(time(1, 5000));
    if (whole(0, 1) == 1) asked.bytes = asked.bytes / asked.P * asked.P + asked.P;
    if (whole(0, 1) == 1) asked.segment = whole(1, 900);
    if (asked.segment > 0) asked.segment = std::max(asked.segment, asked.bytes / 32);
    if (whole(0, 1) == 1 && asked.segment > 0) asked.bytes = asked.segment * whole(2, 8);
    asked.k = whole(0, 3) == 0 ? whole(2, 3) : 1;
    if (whole(0, 1) == 1) asked.reduce_per_byte = time(1e-5, 0.1);
    return asked;
  }

  Asked call_of_levels(const Model& within) {
    Asked asked{.P = 4 << whole(0, 3), .bytes = std::llround(time(1, 5000))};
    if (whole(0, 3) == 0) asked.P = 12;
    asked.within = &within;
    asked.per_node = 2 << whole(0, 1);
    if (whole(0, 1) == 1) asked.mapping = Asked::Mapping::in_turn;
    return asked;
  }

 private:
  // As many short as long ones; now and then none.
  double time(double least = 0.05, double most = 50) {
    const double at = chance_.uniform();
    if (least < 1 && at > 0.95) return 0;
    return least * std::pow(most / least, at / 0.95);
  }
  int whole(int least, int most) {
    return least + static_cast<int>(chance_.uniform() * (most - least + 1));
  }
  Chance chance_;
};

}  // namespace

TEST_CASE("closed forms: what is claimed of each holds") {
  const std::vector<ClosedForm> forms = closed_forms();
  std::vector<Asked> calls = calls_to_compare();
  std::erase_if(calls, [](const Asked& call) { return call.P > tests::unless_sanitized(32, 9); });
  for (const Comparison& found : compare(forms, models_to_compare(), calls)) {
    INFO(found.form->where << ' ' << name_of(found.form->collective) << ' ' << found.form->algorithm
                           << ": " << found.form->text << "; simulated/formula " << found.all.least
                           << " to " << found.all.most << "; " << found.first_broken);
    CHECK(found.all.count > 0);
    CHECK(found.broken == 0);
    CHECK(found.assumed.count > 0);
    CHECK((found.form->claim == Claim::equal || !found.form->why.empty()));
    // A claim that is too weak is wrong, too.
    if (found.form->claim != Claim::equal)
      CHECK(found.all.most - found.all.least + std::abs(found.all.most - 1) > 1e-9);
  }
}

TEST_CASE("closed forms: no claim is false under parameters and for calls drawn at random") {
  constexpr std::size_t kSets = tests::unless_sanitized(600, 120);
  const std::vector<ClosedForm> forms = closed_forms();
  Drawn drawn(20260101);
  std::vector<int> cases(forms.size()), assumed(forms.size());
  for (std::size_t set = 0; set < kSets; ++set) {
    const Model model = drawn.model(set);
    const Model within = drawn.model(set);
    const Asked calls[] = {drawn.call(), drawn.call(), drawn.call(), drawn.call_of_levels(within)};
    const auto all = compare(forms, {&model, 1}, calls);
    for (std::size_t i = 0; i < all.size(); ++i) {
      INFO(forms[i].where << ' ' << name_of(forms[i].collective) << ' ' << forms[i].algorithm
                          << ": " << forms[i].text << "; " << all[i].first_broken);
      CHECK(all[i].broken == 0);
      cases[i] += all[i].all.count;
      assumed[i] += all[i].assumed.count;
    }
  }
  // A form that is never asked is not tested.
  for (std::size_t i = 0; i < forms.size(); ++i) {
    INFO(forms[i].where << ' ' << forms[i].algorithm << ": " << forms[i].text);
    CHECK(cases[i] >= static_cast<int>(kSets / 60));
    CHECK(assumed[i] > 0);
  }
}

TEST_CASE("closed forms: some are of a difference of times") {
  const Model model = models::LogGP{.L = 5, .o_s = 1, .o_r = 1, .g = 2, .G = 0};
  const Asked asked{.P = 4, .bytes = 1};
  int found = 0;
  for (const ClosedForm& form : closed_forms()) {
    if (form.quantity == Quantity::time) continue;
    ++found;
    // Two rounds of 7 us; the root's second child hears after 2 us and 7 us.
    if (form.quantity == Quantity::spread) CHECK(simulated(form, model, asked) == Approx(5));
    // The root's children hear after 7 us, 9 us and 11 us at most.
    if (form.quantity == Quantity::gain) CHECK(simulated(form, model, asked) >= 3);
    CHECK(*time_of(form, model, asked) == Approx(form.quantity == Quantity::spread ? 5 : 2.5));
  }
  CHECK(found == 2);
}

// Trees that are not full, cut into segments: OCC's clusters have 24 nodes.
TEST_CASE("closed forms: what is corrected for segments agrees on 24 ranks") {
  const Model models[] = {Hockney{50, 0.01}, kBoba};
  for (const int segments : {2, 4, 6, 16, 64}) {
    const Asked asked{.P = 24, .bytes = 1024 * segments, .segment = 1024, .reduce_per_byte = 0.001};
    int agreed = 0;
    for (const ClosedForm& form : closed_forms()) {
      const bool is_splitted = form.algorithm == "splitted-binary",
                 is_reduce = form.algorithm == "binary" && form.collective == Collective::reduce;
      if (!(is_splitted || is_reduce) || !form.where.ends_with("corrected")) continue;
      for (const Model& model : models) {
        const auto time = time_of(form, model, asked);
        const bool equal = time && Approx(*time) == simulated(form, model, asked);
        INFO(form.text << ", " << segments << " segments");
        if (time && (is_reduce || std::holds_alternative<Hockney>(model))) CHECK(equal);
        agreed += equal ? 1 : 0;
      }
    }
    CHECK(agreed >= (segments > 2 ? 3 : 2));
  }
}

TEST_CASE("closed forms: the word is that of the two times") {
  const ClosedForm exact{.where = "",
                         .collective = Collective::bcast,
                         .algorithm = "chain",
                         .text = "",
                         .time = nullptr,
                         .claim = Claim::equal,
                         .why = ""};
  static constexpr Assumption kNever{"what never is",
                                     [](const Model&, const Asked&) { return false; }};
  ClosedForm bound = exact;
  bound.claim = Claim::not_above;
  bound.assumes[0] = &kNever;
  const Model model = kBoba;
  const auto words = [&](const ClosedForm& form, double simulated, double formula,
                         bool plain = true) {
    return sentence_of(
        form, judge(form, model, {.P = 2, .bytes = 1, .plain = plain}, simulated, formula));
  };
  CHECK(words(exact, 1, 1) == "agrees");
  CHECK(words(exact, 0, 0) == "agrees");
  CHECK(words(exact, 1, 2) == "differs, which it should not");
  CHECK(words(exact, 1, 2, false).find("differs; it assumes that only messages") == 0);
  CHECK(words(bound, 1, 1) == "agrees");
  CHECK(words(bound, 1, 2) == "differs; it assumes what never is, which is not so here");
  bound.assumes[0] = nullptr;
  CHECK(words(bound, 1, 2) == "an upper bound");
  CHECK(words(bound, 2, 1) == "differs, which it should not");
}
