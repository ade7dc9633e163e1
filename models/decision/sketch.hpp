// An algorithm's messages, in so few words that its time is computed in a microsecond for any
// number of ranks: rounds, and in each of them the messages of the rank on the critical path, the
// busiest node and all ranks together. A sketch is composed of families (families.hpp); which
// algorithm is made of which is in sketches_trees.cpp, sketches_exchanges.cpp and
// sketches_levels.cpp. No schedule is built. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "base/types.hpp"
#include "models/decision/topology.hpp"

namespace tutti::models {

// Messages within a node and between nodes.
struct Count {
  double near = 0, far = 0;
  static Count of(double count, bool far) noexcept {
    return far ? Count{0, count} : Count{count, 0};
  }
  double both() const noexcept { return near + far; }
};

// Rounds that are alike, one after another.
struct Stage {
  Bytes bytes = 0;      // of a message
  double rounds = 1;    // on the critical path; 0: only what the busiest rank does
  Count out, in;        // in a round, of the rank on the critical path: what it sends and gets
  Count all;            // of all ranks
  double leaving = 0;   // from the busiest node to others
  double border = 0;    // of these, from its busiest rank
  double others = 0;    // meanwhile from another node, which has
  Bytes of_others = 0;  // messages of another length
  double combined = 0, copied = 0;  // bytes, by the rank on the critical path
  double woken = 0;                 // ranks that wait for a message
  double busy = 1;                  // in how many of the rounds the busiest rank takes part
  double share = 1;                 // of all segments have such messages
  double passing = 0;    // if not 0: of one segment, in all rounds, from the busiest node to others
  bool parted = false;   // one of them, on the critical path, leaves as two
  bool exchange = true;  // a rank sends and receives in the same round
  bool relays = false;   // a rank sends what it has received in the round before
  bool after_all = false;  // begins when all segments of the stages before have come
  bool leaders = false;    // only the leaders of nodes take part,
  bool one_side = false;   // or these only send, or only receive
  bool stays = false;  // the critical path goes on when the port is free again, or within the node
  bool hands_down = false;  // a rank sends in all these stages after the one in which it receives
  bool by_rank = false;     // messages are received in the order of ranks
  bool combines_last = false;      // operands are combined when all have come
  bool staggered = false;          // no rank of a node waits there for the node's port
  bool repeats = false;            // nor here, if they have waited in the round before
  bool others_at_borders = false;  // other ranks than in the stages before send to other nodes
  // A round that `joins` waits until the messages of the `open` rounds just before it have been
  // sent, but not until they have come; the next one waits for all. Rounds that are `beside` follow
  // each other, but wait for none of the open ones.
  enum class Order : std::uint8_t { in_turn, open, joins, beside } order = Order::in_turn;
  double needed = 0;  // messages of an open round that come before the one that joins
};

// A sketch, as estimates read it.
struct Sketch {
  std::vector<Stage> stages;
  // The rounds of further segments; empty: segments follow each other through the stages.
  std::vector<Stage> step;
  int peers = 0;  // of the rank that speaks to most
  // The most ranks near, and far, that one rank sends to; and of both, which may be another rank.
  Count destinations;
  double most_destinations = 0;
  Bytes scratch = 0;
  // Messages are such parts of the vector at most; segments are cut from messages.
  int parts = 1;
  // Some ranks may begin the next call before others have got this one's messages.
  bool one_way = false;
};

// If this is one of so many segments, messages that are parts of the vector are fewer, and are
// segments, too, if they are as long.
void cut_messages(Sketch& sketch, double segments, Bytes segment);
// Its messages, as if all were empty.
Sketch without_bytes(const Sketch& sketch);

}  // namespace tutti::models
