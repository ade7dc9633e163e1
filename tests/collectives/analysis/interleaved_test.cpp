// Several calls at once: those that may go together do, and each way to go wrong is named.
#include "collectives/analysis/interleaved.hpp"

#include <fmt/format.h>

#include "tests/base/sanitized.hpp"
#include "tests/collectives/analysis/spoil.hpp"

using namespace tutti;
using namespace tutti::collectives;
using namespace tutti::collectives::test;

namespace {

constexpr Medium kNothingAside{.ring = {.slots = 1, .sets_aside = false}};
constexpr Medium kTwoSlots{.ring = {.slots = 2, .sets_aside = false}};
constexpr std::uint64_t kNever = 0, kAlways = ~std::uint64_t{0};

WholeCall whole_call(std::string_view name, const Problem& problem,
                     const Parameters& parameters = {}) {
  return {std::string(name_of(problem.collective)) + " " + std::string(name),
          problems_of_all_ranks(problem), build_all(name, problem, parameters)};
}

// All of one communicator; rank r waits between them by waits[r].
Calls started_in_order(const std::vector<const WholeCall*>& calls,
                       const std::vector<std::uint64_t>& waits) {
  Calls all{calls, {}, std::vector<int>(calls.size(), 0)};
  std::vector<std::uint32_t> order;
  order.reserve(calls.size());
  all.scripts.reserve(waits.size());
  for (std::uint32_t i = 0; i < calls.size(); ++i) order.push_back(i);
  for (const std::uint64_t each : waits) all.scripts.push_back(script_of(order, each));
  return all;
}

// Two calls, each on a communicator of its own; rank 1 starts the second one first.
Calls crossed_starts(const WholeCall& a, const WholeCall& b, std::uint64_t waits_0,
                     std::uint64_t waits_1) {
  Calls all{{&a, &b}, {}, {0, 1}};
  all.scripts.push_back(script_of(std::vector<std::uint32_t>{0, 1}, waits_0));
  all.scripts.push_back(script_of(std::vector<std::uint32_t>{1, 0}, waits_1));
  return all;
}

void must_hold(const Verdict& verdict) {
  INFO(verdict.message);
  CHECK(verdict.ok());
}

void must_find(const Verdict& verdict, Violation expected, const std::vector<std::string>& says) {
  INFO(verdict.message);
  CHECK(name_of(verdict.violation) == name_of(expected));
  for (const std::string& words : says) CHECK_THAT(verdict.message, Catch::Contains(words));
}

}  // namespace

TEST_CASE("scripts: what is started, and waited for before the next start") {
  const std::vector<std::uint32_t> order{2, 0, 1};
  const auto text = [&](std::uint64_t waits) {
    std::string all;
    for (const Action& action : script_of(order, waits))
      all += fmt::format("{}{}", action.kind == Action::Kind::start ? 's' : 'w', action.call);
    return all;
  };
  CHECK(text(0b000) == "s2s0s1w2w0w1");
  CHECK(text(0b001) == "s2w2s0s1w0w1");
  CHECK(text(0b010) == "s2s0w2s1w0w1");
  CHECK(text(0b100) == "s2s0w0s1w2w1");
  CHECK(text(0b111) == "s2w2s0w0s1w1");
}

TEST_CASE("interleaved: calls in the same order end, whoever waits between them") {
  const Problem reduce{{.collective = Collective::allreduce, .bytes = 6}, 3};
  const WholeCall calls[] = {whole_call("dissemination", barrier_of(3)),
                             whole_call("linear", bcast_of(3, 6, 1), {1, 3}),
                             whole_call("ring", reduce)};
  for (unsigned ranks = 0; ranks < 512; ranks += tests::unless_sanitized(1U, 37U)) {
    INFO("waits " << ranks);
    must_hold(verify_interleaved(started_in_order({&calls[0], &calls[1], &calls[2]},
                                                  {ranks & 7U, ranks >> 3 & 7U, ranks >> 6}),
                                 ranks));
  }
}

TEST_CASE("interleaved: all orders of progress, where they are few") {
  const WholeCall barrier = whole_call("dissemination", barrier_of(2));
  const WholeCall down = whole_call("linear", bcast_of(2, 6));
  const WholeCall up = whole_call("linear", bcast_of(2, 6, 1), {1, 3});
  for (const WholeCall* first : {&barrier, &down, &up})
    for (const WholeCall* second : {&barrier, &down, &up})
      for (const std::uint64_t waits_0 : {kNever, kAlways})
        for (const std::uint64_t waits_1 : {kNever, kAlways}) {
          INFO(first->name << ", " << second->name);
          const Exploration all = search_interleaved(
              started_in_order({first, second}, {waits_0, waits_1}), {}, 1U << 20);
          must_hold(all.verdict);
          CHECK(all.complete);
          CHECK(all.states > 10);
        }
}

TEST_CASE("interleaved, found: calls that two ranks start in opposite order and wait for") {
  const WholeCall a = whole_call("dissemination", barrier_of(2));
  const WholeCall b = whole_call("dissemination", barrier_of(2));
  const Calls blocking = crossed_starts(a, b, kAlways, kAlways);
  const std::vector<std::string> says{
      "rank 0 step 0 (send message 0 to rank 1) of call 0 (barrier dissemination) waits for ever",
      "which that rank starts only after call 1 (barrier dissemination) has ended there",
      "which that rank starts only after call 0 (barrier dissemination) has ended there",
      "and so round in a circle"};
  must_find(verify_interleaved(blocking), Violation::deadlock, says);
  must_find(run_interleaved_rendezvous(blocking), Violation::deadlock, {"round in a circle"});
  // Every execution ends alike.
  for (const Turns turns : {Turns::oldest_first, Turns::newest_first, Turns::drawn})
    must_find(run_interleaved(blocking, {}, turns, 7), Violation::deadlock,
              {"round in a circle", "after: ", "is sent"});
  must_find(search_interleaved(blocking, {}, 1U << 20).verdict, Violation::deadlock,
            {"round in a circle", "after: "});
  // It is enough that one rank goes on.
  for (const auto& [waits_0, waits_1] : {std::pair{kNever, kAlways}, {kAlways, kNever}}) {
    const Calls one_goes_on = crossed_starts(a, b, waits_0, waits_1);
    must_hold(verify_interleaved(one_goes_on));
    const Exploration all = search_interleaved(one_goes_on, {}, 1U << 20);
    must_hold(all.verdict);
    CHECK(all.complete);
  }
}

TEST_CASE("interleaved, found: a call whose schedules are not well formed is not played") {
  const WholeCall sound = whole_call("dissemination", barrier_of(2));
  auto to_nobody = sound.schedules, after_nothing = sound.schedules;
  to_nobody[0].steps[0].peer = 7;
  after_nothing[1].steps[0].first_successor = 100;
  after_nothing[1].steps[0].successor_count = 1;
  for (const auto& [spoiled, says] : {std::pair{to_nobody, "rank 0 sends to rank 7 of 2"},
                                      std::pair{after_nothing, "its successors do not exist"}}) {
    const WholeCall broken("broken", sound.problems, spoiled);
    const Calls calls = started_in_order({&sound, &broken}, {kNever, kNever});
    for (const Verdict& verdict :
         {verify_interleaved(calls), run_interleaved(calls, {}, Turns::oldest_first),
          run_interleaved_rendezvous(calls), search_interleaved(calls, {}, 1U << 20).verdict})
      must_find(verdict, Violation::out_of_bounds, {says});
  }
}

TEST_CASE("interleaved, found: two slots are needed where there is one, if nothing is set aside") {
  const WholeCall a = whole_call("linear", bcast_of(2, 6)),
                  b = whole_call("linear", bcast_of(2, 8));
  // Rank 0 sends both messages; rank 1 wants the second one first.
  const Calls calls = crossed_starts(a, b, kNever, kAlways);
  must_find(
      run_interleaved(calls, kNothingAside, Turns::oldest_first), Violation::deadlock,
      {"of call 1 (bcast linear) waits for ever for the slot in which the message of rank 0 step "
       "0 (send message 0 to rank 1) of call 0 (bcast linear) lies",
       "which that rank starts only after call 1 (bcast linear) has ended there",
       "after: rank 0 step 0 (send message 0 to rank 1) of call 0 (bcast linear) is sent"});
  must_find(search_interleaved(calls, kNothingAside, 1U << 20).verdict, Violation::deadlock,
            {"slot"});
  must_hold(run_interleaved(calls, kTwoSlots, Turns::oldest_first));
  must_hold(search_interleaved(calls, kTwoSlots, 1U << 20).verdict);
  must_hold(verify_interleaved(calls));
  must_hold(search_interleaved(calls, {}, 1U << 20).verdict);
}

TEST_CASE("interleaved, found: ranks whose calls of one communicator are not the same") {
  const auto swapped = [](const WholeCall& a, const WholeCall& b) {
    Calls calls = crossed_starts(a, b, kNever, kNever);
    calls.communicators = {3, 3};
    return verify_interleaved(calls);
  };
  const WholeCall down = whole_call("linear", bcast_of(2, 6));
  must_find(
      swapped(down, whole_call("linear", bcast_of(2, 6, 1))), Violation::unmatched_message,
      {"number 0 of communicator 3 is call 0 (bcast linear) on rank 0 and call 1 (bcast linear) "
       "on rank 1",
       "is never received"});
  must_find(swapped(down, whole_call("linear", bcast_of(2, 8))), Violation::size_mismatch,
            {"sends 6 bytes, ", "expects 8"});
  must_find(swapped(down, whole_call("linear", bcast_of(2, 6))), Violation::wrong_result,
            {"each takes the messages of the other for its own"});
}

TEST_CASE("interleaved, found: the wrong bytes of one of the calls") {
  const Problem problem = allgather_of(4, 8, true);
  auto all = build_all("ring", problem);
  all[3].steps[nth(all[3], StepKind::send, 0)].source.offset -= 8;
  const WholeCall wrong{"allgather ring", problems_of_all_ranks(problem), all};
  const WholeCall right = whole_call("dissemination", barrier_of(4));
  must_find(
      verify_interleaved(started_in_order({&right, &wrong}, {kNever, kNever, kAlways, kNever})),
      Violation::wrong_result, {"call 1 (allgather ring): rank ", " of the output holds"});
}

TEST_CASE("interleaved, found: a receive that nobody sends, and scripts that make no sense") {
  const WholeCall barrier = whole_call("dissemination", barrier_of(2));
  auto all = build_all("linear", bcast_of(2, 6));
  remove_step(all[0], 0);
  const WholeCall unsent{"bcast linear", problems_of_all_ranks(bcast_of(2, 6)), all};
  must_find(verify_interleaved(started_in_order({&barrier, &unsent}, {kNever, kNever})),
            Violation::unmatched_message, {"never sent"});
  Calls calls = started_in_order({&barrier, &barrier}, {kNever, kNever});
  calls.scripts[1].pop_back();
  must_find(verify_interleaved(calls), Violation::out_of_bounds, {"rank 1 does not end call 1"});
  calls.scripts[1].push_back({Action::Kind::start, 1});
  must_find(verify_interleaved(calls), Violation::out_of_bounds,
            {"rank 1 starts call 1 out of turn"});
}
