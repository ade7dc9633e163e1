// Helpers that compare a schedule with a paper's text: who sends which block to whom, after what.
// The blocks of a pattern differ in length, so that a message's length says which block it carries.
#pragma once

#include <catch2/catch.hpp>
#include <ostream>
#include <utility>
#include <vector>

#include "tests/collectives/ranks.hpp"

namespace tutti::collectives::test {

// One message of a rank's text. `block`: whose block it carries.
struct Said {
  enum Way { sends, takes } way;
  Rank peer;
  int block;
  friend bool operator==(const Said&, const Said&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Said& said) {
    return out << (said.way == sends ? "to " : "from ") << said.peer << ": " << said.block;
  }
};
using Text = std::vector<Said>;

inline Bytes length_of_block(int block) { return 8 * (block + 1); }

// A problem of P blocks that can be told from each other.
inline Problem telling(Collective collective, int P) {
  Problem problem{{.collective = collective, .element = 8}, P};
  for (int block = 0; block < P; ++block) problem.counts.push_back(length_of_block(block));
  return problem;
}

inline std::vector<StepId> message_steps(const Schedule& schedule) {
  std::vector<StepId> ids;
  for (StepId id = 0; id < schedule.steps.size(); ++id)
    if (is_message(schedule.steps[id].kind)) ids.push_back(id);
  return ids;
}

inline Text text_of(const Schedule& schedule) {
  Text text;
  for (const StepId id : message_steps(schedule)) {
    const Step& step = schedule.steps[id];
    text.push_back({step.kind == StepKind::send ? Said::sends : Said::takes, step.peer,
                    static_cast<int>(length_of(step) / 8) - 1});
  }
  return text;
}

// Does `later` wait, directly or through others, for `earlier`?
inline bool waits(const Schedule& schedule, StepId later, StepId earlier) {
  std::vector<char> reached(schedule.steps.size());
  reached[earlier] = 1;
  for (StepId id = earlier; id < later; ++id)
    if (reached[id])
      for (const StepId next : schedule.successors_of(id)) reached[next] = 1;
  return reached[later] != 0;
}

// Do all sends (or all messages) wait for every message before them in the text?
enum class Those { sends, all };
inline bool in_text_order(const Schedule& schedule, Those those) {
  const std::vector<StepId> ids = message_steps(schedule);
  for (std::size_t i = 1; i < ids.size(); ++i) {
    if (those == Those::sends && schedule.steps[ids[i]].kind != StepKind::send) continue;
    for (std::size_t before = 0; before < i; ++before)
      if (!waits(schedule, ids[i], ids[before])) return false;
  }
  return true;
}

// BEO's model of time: a rank does one message after another in the order of its text; a send takes
// S, a receive R from when the message was sent, whatever else is under way.
struct SplitHockney {
  double alpha_s = 24, alpha_r = 180, beta_s = 0.0825, beta_r = 1.063;  // Bunyip's, §3.1; µs
  double S(double n) const { return alpha_s + beta_s * n; }             // of n elements of 8 bytes
  double R(double n) const { return alpha_r + beta_r * n; }
};
inline double time_of(const std::vector<Schedule>& all, const SplitHockney& model = {}) {
  struct Rank {
    std::vector<StepId> text;
    std::size_t at = 0;
    double time = 0;
    std::vector<std::vector<double>> sent;  // when, by peer and ordinal
  };
  std::vector<Rank> ranks(all.size());
  std::size_t left = 0;
  for (std::size_t r = 0; r < all.size(); ++r) {
    ranks[r].text = message_steps(all[r]);
    ranks[r].sent.resize(all.size());
    left += ranks[r].text.size();
  }
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t r = 0; r < all.size(); ++r) {
      for (Rank& rank = ranks[r]; rank.at < rank.text.size(); ++rank.at, --left, moved = true) {
        const Step& step = all[r].steps[rank.text[rank.at]];
        REQUIRE((step.peer >= 0 && index(step.peer) < ranks.size()));
        const auto peer = index(step.peer);
        const double n = static_cast<double>(length_of(step)) / 8;
        if (step.kind == StepKind::send) {
          rank.time += model.S(n);
          rank.sent[peer].push_back(rank.time);
        } else {
          const std::vector<double>& arrivals = ranks[peer].sent[r];
          if (arrivals.size() <= step.ordinal) break;
          rank.time = std::max(rank.time, arrivals[step.ordinal]) + model.R(n);
        }
      }
    }
  }
  double last = left == 0 ? 0 : -1;  // -1: the texts lock each other out
  for (const Rank& rank : ranks)
    if (left == 0) last = std::max(last, rank.time);
  return last;
}

}  // namespace tutti::collectives::test
