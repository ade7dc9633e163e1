// Helpers: the schedules of all ranks of one problem, and what can be counted in them.
#pragma once

#include <algorithm>
#include <map>
#include <numeric>
#include <string_view>
#include <tuple>
#include <vector>

#include "collectives/registry.hpp"
#include "collectives/verifier.hpp"

namespace tutti::collectives::test {

inline std::vector<Schedule> build_all(std::string_view name, Problem problem, Parameters parameters = {}) {
  const Algorithm* algorithm = find(problem.collective, name);
  std::vector<Schedule> all;
  for (problem.rank = 0; problem.rank < problem.P; ++problem.rank) all.push_back(algorithm->build(problem, parameters));
  return all;
}

inline Problem barrier_of(int P) { return {Collective::barrier, P, 0, 0, 0, false}; }
inline Problem bcast_of(int P, Bytes bytes, Rank root = 0) { return {Collective::bcast, P, 0, root, bytes, false}; }
inline Problem allgather_of(int P, Bytes bytes, bool in_place = false) { return {Collective::allgather, P, 0, 0, bytes, in_place}; }

inline int count(const Schedule& schedule, StepKind kind) {
  return static_cast<int>(std::count_if(schedule.steps.begin(), schedule.steps.end(), [&](const Step& step) { return step.kind == kind; }));
}

inline int messages(const std::vector<Schedule>& all) {
  return std::accumulate(all.begin(), all.end(), 0, [](int sum, const Schedule& s) { return sum + count(s, StepKind::send); });
}

inline Bytes bytes_sent(const Schedule& schedule) {
  Bytes sum = 0;
  for (const Step& step : schedule.steps) sum += step.kind == StepKind::send ? step.source.length : 0;
  return sum;
}

inline Bytes bytes_copied(const Schedule& schedule) {
  Bytes sum = 0;
  for (const Step& step : schedule.steps) sum += step.kind == StepKind::copy ? step.source.length : 0;
  return sum;
}

// The longest chain of messages each of which waits for the one before it: the number of rounds that are paid for.
inline int rounds(const std::vector<Schedule>& all) {
  std::vector<std::vector<int>> depth;
  for (const Schedule& schedule : all) depth.emplace_back(schedule.steps.size(), 0);
  int deepest = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t r = 0; r < all.size(); ++r) {
      for (StepId id = 0; id < all[r].steps.size(); ++id) {
        const Step& step = all[r].steps[id];
        const auto raise = [&](int& to, int value) {
          if (value > to) to = value, changed = true;
        };
        for (StepId next : all[r].successors_of(id)) raise(depth[r][next], depth[r][id]);
        if (step.kind == StepKind::send) {
          const auto peer = static_cast<std::size_t>(step.peer);
          for (StepId other = 0; other < all[peer].steps.size(); ++other) {
            const Step& receive = all[peer].steps[other];
            if (receives(receive.kind) && receive.peer == static_cast<Rank>(r) && receive.ordinal == step.ordinal) {
              raise(depth[peer][other], depth[r][id] + 1);
            }
          }
        }
        deepest = std::max(deepest, depth[r][id]);
      }
    }
  }
  return deepest;
}

// Rounds in which every rank sends at most `ports` messages and gets at most as many, the earliest step first; 0: any number. This is what
// the papers call rounds. -1: it does not end.
inline int rounds(const std::vector<Schedule>& all, int ports) {
  struct End {
    std::size_t rank;
    StepId id;
  };
  struct Message {
    StepId send, receive;
    std::size_t from, to;
  };
  std::map<std::tuple<Rank, Rank, Ordinal>, StepId> receive_of;
  std::vector<std::vector<std::uint32_t>> waits(all.size());
  std::vector<std::vector<char>> arrived(all.size());
  std::size_t left = 0;
  for (const Schedule& schedule : all) {
    for (StepId id = 0; id < schedule.steps.size(); ++id) {
      const Step& step = schedule.steps[id];
      waits[static_cast<std::size_t>(schedule.rank)].push_back(step.predecessors);
      if (receives(step.kind)) receive_of[{step.peer, schedule.rank, step.ordinal}] = id;
      ++left;
    }
    arrived[static_cast<std::size_t>(schedule.rank)].resize(schedule.steps.size());
  }
  std::vector<End> done;
  std::vector<Message> waiting;
  const auto ready = [&](std::size_t rank, StepId id) {
    const Step& step = all[rank].steps[id];
    if (!is_message(step.kind) || (receives(step.kind) && arrived[rank][id])) done.push_back({rank, id});
    if (step.kind == StepKind::send)
      waiting.push_back({id, receive_of.at({static_cast<Rank>(rank), step.peer, step.ordinal}), rank, static_cast<std::size_t>(step.peer)});
  };
  const auto settle = [&] {
    while (!done.empty()) {
      const End end = done.back();
      done.pop_back();
      --left;
      for (StepId next : all[end.rank].successors_of(end.id))
        if (--waits[end.rank][next] == 0) ready(end.rank, next);
    }
  };
  for (std::size_t rank = 0; rank < all.size(); ++rank)
    for (StepId id = 0; id < waits[rank].size(); ++id)
      if (all[rank].steps[id].predecessors == 0) ready(rank, id);
  settle();
  for (int round = 0;; ++round) {
    if (left == 0) return round;
    std::sort(waiting.begin(), waiting.end(), [](const Message& a, const Message& b) {
      return std::tuple(a.send, a.receive, a.from) < std::tuple(b.send, b.receive, b.from);
    });
    std::vector<int> out(all.size()), in(all.size());
    std::vector<Message> later;
    for (const Message& m : waiting) {
      if (ports > 0 && (out[m.from] == ports || in[m.to] == ports)) {
        later.push_back(m);
        continue;
      }
      ++out[m.from], ++in[m.to];
      done.push_back({m.from, m.send});
      arrived[m.to][m.receive] = 1;
      if (waits[m.to][m.receive] == 0) done.push_back({m.to, m.receive});
    }
    if (done.empty()) return -1;
    waiting = later;
    settle();
  }
}

}  // namespace tutti::collectives::test
