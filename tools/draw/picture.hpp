// The pictures of `tutti draw` and what they are made from; times in microseconds. Pure, but for
// what reads files.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "collectives/schedule/problem.hpp"
#include "collectives/schedule/schedule.hpp"
#include "models/simulation/simulator.hpp"

namespace tutti::tools {

// A time chart: one row a rank. Simulated, or recorded from a real run.
struct Chart {
  struct Bar {
    Rank rank, peer;  // −1: no message
    collectives::StepKind kind;
    Bytes bytes;
    double begin, end;
    double port;  // the port is busy until then; not after `end`: as long as the bar
    bool critical = false;
  };
  struct Message {
    Rank from, to;
    double left, arrived;
    bool critical = false;
  };
  struct Stay {
    double begin, end;
  };
  std::string title, note;
  int P = 0;
  std::vector<int> node;    // of each rank
  std::vector<Stay> stays;  // of each rank in the call; empty: all begin together
  double time = 0;          // when the last rank had finished
  std::vector<Bar> bars;
  std::vector<Message> messages;
};

// "bcast chain, 8 ranks, 4 a node, 64 KiB". `node`: of each rank.
std::string title_of(collectives::Collective collective, const std::string& algorithm,
                     std::span<const int> node, Bytes bytes);

// The chart of what was recorded. Throws Error{bad_configuration} if it has more steps than one can
// look at.
inline constexpr std::size_t kMostBars = 40000;
Chart chart_of(const models::Result& result, std::vector<int> node, const std::string& note);

// SVG. A second chart of as many ranks is laid over the first one: each row has both, the first
// one above, on one axis of time. If one takes much longer, they stand one below the other, each
// with an axis of its own.
std::string draw_chart(const Chart& chart, const Chart* below = nullptr);

// Words that several pictures share about one collective.
struct Drawn {
  std::string title;
  collectives::Collective collective;
  std::span<const collectives::Schedule> schedules;  // of all ranks
  std::span<const int> node{};                       // of each rank; empty: not known
};
// SVG: ranks from top to bottom, rounds from left to right, a line a message. Throws
// Error{bad_configuration} if there are more rounds than one can look at.
std::string draw_rounds(const Drawn& what);

// The tree of a rooted collective's messages. Throws Error{bad_configuration} if the messages form
// no tree.
struct MessageTree {
  Rank root = 0;
  bool upwards = false;                     // messages go to the root
  std::vector<std::vector<Rank>> children;  // of each rank, in the order of its messages
};
MessageTree tree_of(const Drawn& what);
std::string draw_tree(const Drawn& what);

// Text for other programs: LogGOPSim's GOAL (computation in nanoseconds), trace events of Chrome
// and Perfetto (JSON), Graphviz (the tree, or all steps and messages).
std::string goal_of(const Drawn& what, double reduce_per_byte, double copy_per_byte);
std::string chrome_of(const Chart& chart);
std::string dot_of_tree(const Drawn& what);
std::string dot_of_steps(const Drawn& what);

}  // namespace tutti::tools
