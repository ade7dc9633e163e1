// Plays several calls by CallsUnderWay (under_way.hpp), and checks how they end.
#include "collectives/analysis/interleaved.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace tutti::collectives {
namespace {

// One slot in each ring; the control ring has one anyway.
constexpr Medium kWhole{};
constexpr Medium kInPieces{.pieces = 2};

// The first mistake of a rank in its script; empty: the script is sound.
std::string fault_of(const Script& script, std::size_t calls) {
  std::vector<int> state(calls);  // 1: started; 2: its end was waited for
  for (const Action& action : script) {
    const bool starts = action.kind == Action::Kind::start;
    if (action.call >= calls || state[action.call] != (starts ? 0 : 1))
      return fmt::format("{} call {} out of turn", starts ? "starts" : "waits for", action.call);
    ++state[action.call];
  }
  const auto left = std::find_if(state.begin(), state.end(), [](int s) { return s != 2; });
  if (left == state.end()) return {};
  return fmt::format("does not end call {}", left - state.begin());
}

// The calls of each communicator, in the order of their numbers.
std::map<int, std::vector<std::uint32_t>> numbered(const Calls& calls, Rank rank) {
  std::map<int, std::vector<std::uint32_t>> all;
  for (const Action& action : calls.scripts[index(rank)])
    if (action.kind == Action::Kind::start)
      all[calls.communicators[action.call]].push_back(action.call);
  return all;
}

// Ranks 0 and `rank` start different calls under one number. Their messages meet.
Verdict mixed_up(const Calls& calls, int communicator, std::size_t number, Rank rank) {
  std::vector<Schedule> all;
  all.reserve(calls.scripts.size());
  const auto call_of = [&](Rank one) { return numbered(calls, one)[communicator][number]; };
  for (Rank one = 0; one < calls.P(); ++one)
    all.push_back(calls.calls[call_of(one)]->schedules[index(one)]);
  const Verdict met = World(all).messages();
  return {met.ok() ? Violation::wrong_result : met.violation,
          fmt::format("number {} of communicator {} is call {} ({}) on rank 0 and call {} ({}) on "
                      "rank {}: {}",
                      number, communicator, call_of(0), calls.calls[call_of(0)]->name,
                      call_of(rank), calls.calls[call_of(rank)]->name, rank,
                      met.ok() ? "each takes the messages of the other for its own" : met.message)};
}

struct Drawn {
  std::mt19937_64 random;
  std::size_t below(std::size_t limit) { return random() % limit; }
};

// Makes moves until none changes anything.
template <class Make>
void drive(CallsUnderWay& state, Turns turns, std::uint64_t seed, Make&& make) {
  Drawn drawn{std::mt19937_64(seed)};
  for (bool moved = true; moved;) {
    moved = false;
    const std::size_t first =
        turns == Turns::drawn && state.moves() > 0 ? drawn.below(state.moves()) : 0;
    for (std::size_t tried = 0; tried < state.moves(); ++tried) {
      const std::size_t moves = state.moves();
      const std::size_t move =
          turns == Turns::newest_first ? moves - 1 - tried : (first + tried) % moves;
      if (!make(move)) continue;
      moved = true;
      if (turns == Turns::drawn) break;
    }
  }
}

Verdict play(const CallsUnderWay& first, Turns turns, std::uint64_t seed) {
  CallsUnderWay state = first;
  drive(state, turns, seed, [&](std::size_t move) { return state.make(move); });
  std::string wrong = state.fault();
  if (wrong.empty()) wrong = state.end();
  if (wrong.empty()) return {};
  std::vector<std::string> trace;
  CallsUnderWay again = first;
  drive(again, turns, seed, [&](std::size_t move) { return again.make(move, trace); });
  return {Violation::deadlock, with_trace(wrong, trace)};
}

// All moves, or all about one ring if no others can bring new ones about it: a persistent set. To
// make others first leads to the same ends.
class FewerOrders {
 public:
  explicit FewerOrders(CallsUnderWay state) : state_(std::move(state)) { choose(); }

  std::size_t moves() const noexcept { return moves_.size(); }
  bool make(std::size_t move) { return went_on(state_.make(moves_[move])); }
  bool make(std::size_t move, std::vector<std::string>& trace) {
    return went_on(state_.make(moves_[move], trace));
  }
  void append_key(std::string& key) const { state_.append_key(key); }
  std::string fault() const { return state_.fault(); }
  std::string end() const { return state_.end(); }

 private:
  bool went_on(bool changed) {
    if (changed) choose();
    return changed;
  }

  void choose() {
    for (std::size_t ring = 0; ring < state_.rings(); ++ring) {
      if (!state_.is_settled(ring)) continue;
      moves_.clear();
      for (std::size_t move = 0; move < state_.moves(); ++move)
        if (state_.ring_of(move) == ring) moves_.push_back(move);
      if (std::any_of(moves_.begin(), moves_.end(),
                      [&](std::size_t move) { return CallsUnderWay(state_).make(move); }))
        return;
    }
    moves_.resize(state_.moves());
    std::iota(moves_.begin(), moves_.end(), std::size_t{0});
  }

  CallsUnderWay state_;
  std::vector<std::size_t> moves_;
};

// The fault of the first call that has one: it cannot be played.
Verdict fault_of(const Calls& calls) {
  for (const WholeCall* call : calls.calls)
    if (!call->fault.ok()) return call->fault;
  return {};
}

Verdict play_rendezvous(const Calls& calls, const CallsUnderWay::Layout& layout) {
  std::vector<Knowledge> knowledge;
  knowledge.reserve(calls.calls.size());
  for (const WholeCall* call : calls.calls) knowledge.emplace_back(call->world, call->problems);
  CallsUnderWay state(layout, knowledge);
  drive(state, Turns::oldest_first, 0, [&](std::size_t move) { return state.make(move); });
  if (const std::string stuck = state.end(); !stuck.empty()) return {Violation::deadlock, stuck};
  for (std::size_t call = 0; call < knowledge.size(); ++call) {
    Verdict verdict = knowledge[call].verdict();
    if (verdict.ok()) continue;
    verdict.message =
        fmt::format("call {} ({}): {}", call, calls.calls[call]->name, verdict.message);
    return verdict;
  }
  return {};
}

}  // namespace

Verdict check_scripts(const Calls& calls) {
  if (Verdict fault = fault_of(calls); !fault.ok()) return fault;
  for (Rank rank = 0; rank < calls.P(); ++rank)
    if (const std::string wrong = fault_of(calls.scripts[index(rank)], calls.calls.size());
        !wrong.empty())
      return {Violation::out_of_bounds, fmt::format("rank {} {}", rank, wrong)};
  for (Rank rank = 1; rank < calls.P(); ++rank)
    for (const auto& [communicator, mine] : numbered(calls, rank)) {
      const std::vector<std::uint32_t> theirs = numbered(calls, 0)[communicator];
      for (std::size_t number = 0; number < mine.size(); ++number)
        if (mine[number] != theirs[number]) return mixed_up(calls, communicator, number, rank);
    }
  return {};
}

Verdict run_interleaved(const Calls& calls, const Medium& medium, Turns turns, std::uint64_t seed) {
  if (Verdict fault = fault_of(calls); !fault.ok()) return fault;
  const CallsUnderWay::Layout layout(calls);
  return play(CallsUnderWay(layout, medium), turns, seed);
}

Verdict run_interleaved_rendezvous(const Calls& calls) {
  if (Verdict fault = fault_of(calls); !fault.ok()) return fault;
  return play_rendezvous(calls, CallsUnderWay::Layout(calls));
}

Exploration search_interleaved(const Calls& calls, const Medium& medium, std::size_t most_states) {
  if (Verdict fault = fault_of(calls); !fault.ok()) return {fault};
  const CallsUnderWay::Layout layout(calls);
  return explore(FewerOrders(CallsUnderWay(layout, medium)), most_states);
}

Verdict verify_interleaved(const Calls& calls, std::uint64_t seed) {
  Verdict verdict = check_scripts(calls);
  if (!verdict.ok()) return verdict;
  const CallsUnderWay::Layout layout(calls);
  verdict = play_rendezvous(calls, layout);
  if (verdict.ok()) verdict = play(CallsUnderWay(layout, kWhole), Turns::oldest_first, 0);
  if (verdict.ok()) verdict = play(CallsUnderWay(layout, kInPieces), Turns::newest_first, 0);
  if (verdict.ok()) verdict = play(CallsUnderWay(layout, kWhole), Turns::drawn, seed);
  return verdict;
}

}  // namespace tutti::collectives
