// Goes through all that can happen, in every order, each state once. Pure.
//
// A state is copied, and has
//   std::size_t moves() const            how many moves may be tried
//   bool make(std::size_t move)          makes one; false: it changes nothing
//   bool make(std::size_t move, std::vector<std::string>& trace)   the same; and says what it did
//   void append_key(std::string&) const  all that what follows depends on
//   std::string fault() const            what is wrong in this very state; empty: nothing
//   std::string end() const              the same where no move changes anything
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstddef>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "collectives/analysis/verdict.hpp"

namespace tutti::collectives {

struct Exploration {
  Verdict verdict;         // deadlock: what is wrong, and the moves that lead there
  std::size_t states = 0;  // different ones that were visited
  bool complete = true;    // false: there are more than were to be visited
};

// How a fault and what led to it are told.
inline std::string with_trace(const std::string& fault, const std::vector<std::string>& trace) {
  return fmt::format("{}, after: {}", fault, fmt::join(trace, "; "));
}

// Depth first, until there is a fault. That a state comes again on the way from itself is one, too:
// the moves could go on for ever.
template <class State>
Exploration explore(const State& first, std::size_t most_states) {
  struct Frame {
    State state;
    bool* open;  // whether it is on the way
    std::size_t next = 0;
    bool moved = false;
  };
  Exploration result;
  std::unordered_map<std::string, bool> seen;  // and whether the state is on the way
  std::vector<Frame> way;
  std::string key, fault;
  const auto visit = [&](State&& state) {
    key.clear();
    state.append_key(key);
    const auto [place, is_new] = seen.emplace(key, true);
    if (!is_new) {
      if (place->second) fault = "the same moves can go on for ever";
      return;
    }
    fault = state.fault();
    way.push_back({std::move(state), &place->second});
  };
  visit(State(first));
  while (!way.empty() && fault.empty()) {
    if (seen.size() > most_states) {
      result.complete = false;
      break;
    }
    Frame& frame = way.back();
    if (frame.next < frame.state.moves()) {
      State after = frame.state;
      if (!after.make(frame.next++)) continue;
      frame.moved = true;
      visit(std::move(after));  // invalidates `frame`
      continue;
    }
    if (!frame.moved) fault = frame.state.end();
    if (!fault.empty()) {
      frame.next = 0;  // none of its moves was made
      break;
    }
    *frame.open = false;
    way.pop_back();
  }
  result.states = seen.size();
  if (fault.empty()) return result;
  std::vector<std::string> trace;
  State again = first;
  for (const Frame& frame : way)
    if (frame.next != 0) again.make(frame.next - 1, trace);
  result.verdict = {Violation::deadlock, with_trace(fault, trace)};
  return result;
}

}  // namespace tutti::collectives
