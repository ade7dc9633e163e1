// An algorithm's messages, in so few words that its time is computed in a microsecond for any
// number of ranks: rounds, and in each of them the messages of the rank on the critical path, the
// busiest node and all ranks together. A sketch is composed of families (families.hpp); which
// algorithm is made of which is in sketches.cpp. No schedule is built. Pure.
#pragma once

#include <cstdint>
#include <utility>
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
  Bytes bytes = 0;     // of a message
  double rounds = 1;   // on the critical path; 0: only what the busiest rank does
  Count out, in;       // in a round, of the rank on the critical path: what it sends and gets
  Count all;           // of all ranks
  double leaving = 0;  // from the busiest node to others
  double border = 0;   // of these, from its busiest rank
  double combined = 0, copied = 0;  // bytes, by the rank on the critical path
  double woken = 0;                 // ranks that wait for a message
  double busy = 1;                  // in how many of the rounds the busiest rank takes part
  double share = 1;                 // of all segments have such messages
  double passing = 0;    // if not 0: of one segment, in all rounds, from the busiest node to others
  bool parted = false;   // one of them, on the critical path, leaves as two
  bool exchange = true;  // a rank sends and receives in the same round
  bool relays = false;   // a rank sends what it has received in the round before
  bool after_all = false;   // begins when all segments of the stages before have come
  bool leaders = false;     // only the leaders of nodes take part,
  bool one_side = false;    // or these only send, or only receive
  bool hands_down = false;  // a rank sends in all these stages after the one in which it receives
  bool by_rank = false;     // messages are received in the order of ranks
  bool combines_last = false;      // operands are combined when all have come
  bool staggered = false;          // no rank of a node waits there for the node's port
  bool repeats = false;            // nor here, if that is free before the next round's messages
  bool others_at_borders = false;  // other ranks than in the stages before send to other nodes
  // A round that `joins` waits until the messages of the `open` rounds just before it have been
  // sent, but not until they have come; the next one waits for all. Rounds that are `beside` follow
  // each other, but wait for none of the open ones.
  enum class Order : std::uint8_t { in_turn, open, joins, beside } order = Order::in_turn;
  double needed = 0;  // messages of an open round that come before the one that joins
};

class Sketch {
 public:
  void begin(const Topology& place);
  // The stages that follow are of another level, of ranks that are placed like this.
  void level(const Topology& place);
  // Whether messages of the stages that follow are combined.
  void combining(bool combines) { combines_ = combines; }

  // For the families. The reference is valid until the next stage is added.
  Stage& add(Bytes bytes);
  std::vector<Stage>& stages() noexcept { return stages_; }
  void set_step(std::vector<Stage> step) { step_ = std::move(step); }
  // At least `peers` ranks are spoken to at this level.
  void meets(double peers);
  // A rank sends to so many ranks near and far, and none of this part to more.
  void sends_to(const Count& ranks);
  // As many as it sends to in the stages from this number on, if no rank is met in two of them.
  void sends_anew(std::size_t first_stage);

  // Once, beside what the last stage does.
  void copies(double bytes);
  void needs_scratch(Bytes bytes) { scratch_ += bytes; }
  // Whether some ranks may begin the next call before others have got this one's messages.
  void one_way(bool is) { one_way_ = is; }
  // Messages are such parts of the vector at most; segments are cut from messages.
  void sends_parts(int parts) { parts_ = parts; }
  // Ranks begin with different parts of the vector, or send whole ones to one rank after another,
  // so segments do not follow each other from this level to the next one.
  void sends_blocks() { blocks_ = true; }
  // If this is one of so many segments, messages that are parts of the vector are fewer, and are
  // segments, too, if they are as long.
  void cut(double segments, Bytes segment);
  void without_bytes();

  const Topology& place() const noexcept { return place_; }
  bool is_combining() const noexcept { return combines_; }
  bool is_one_way() const noexcept { return one_way_; }
  const std::vector<Stage>& stages() const noexcept { return stages_; }
  // The rounds of further segments; none: segments follow each other through the stages.
  const std::vector<Stage>& step() const noexcept { return step_; }
  int peers() const noexcept { return other_levels_ + peers_; }
  // The most ranks near, and far, that one rank sends to; and of both, which may be another rank.
  const Count& destinations() const noexcept { return destinations_; }
  double most_destinations() const noexcept {
    return has_levels_ ? destinations_.both() : most_destinations_;
  }
  Bytes scratch() const noexcept { return scratch_; }
  int parts() const noexcept { return parts_; }
  bool has_blocks() const noexcept { return blocks_; }

 private:
  Topology place_;
  std::vector<Stage> stages_, step_;
  int peers_ = 0, other_levels_ = 0, parts_ = 1;
  Count destinations_;
  double most_destinations_ = 0;
  Bytes scratch_ = 0;
  bool combines_ = false, one_way_ = false, has_levels_ = false, blocks_ = false;
};

}  // namespace tutti::models
