// What an algorithm sends, in so few words that its time is computed in a microsecond for any
// number of ranks: rounds, and what the rank on the critical path, the busiest node and all ranks
// together send in each of them. A sketch is composed of families (tree, star, ring, doubling, …);
// which algorithm is made of which is in sketches.cpp. No schedule is built. Pure.
#pragma once

#include <vector>

#include "base/types.hpp"

namespace tutti::models {

// Where the ranks of a collective, or of one of its levels, are.
struct Place {
  int P = 1;
  int nodes = 1;
  int q = 1;             // ranks of the node that has most
  bool in_order = true;  // the ranks of each node follow each other
  bool in_turn = false;  // rank r is on node r mod nodes
  int copies = 1;        // as many such groups do the same at the same time
};

// Messages within a node and between nodes.
struct Count {
  double near = 0, far = 0;
  double both() const noexcept { return near + far; }
};

// Rounds that are alike, one after another.
struct Stage {
  Bytes bytes = 0;     // of a message
  double rounds = 1;   // on the critical path
  Count out, in;       // in a round, of the rank on the critical path: what it sends and gets
  Count all;           // of all ranks
  double leaving = 0;  // from the busiest node to others
  double border = 0;   // of these, from its busiest rank
  double combined = 0, copied = 0;  // bytes, by the rank on the critical path
  double woken = 0;                 // ranks that wait for a message
  double busy = 1;                  // in how many of the rounds the busiest rank takes part
  double passing = 0;    // if not 0: of one segment, in all rounds, from the busiest node to others
  bool exchange = true;  // a rank sends and receives in the same round
  bool combines_last = false;      // what has come is combined when all has come
  bool staggered = false;          // no rank of a node waits there for the node's port
  bool others_at_borders = false;  // other ranks than in the stages before send to other nodes
};

class Sketch {
 public:
  enum class Way : bool { down, up };
  enum class Bytewise : bool { whole, blocks };

  void begin(const Place& place) {
    place_ = place;
    stages_.clear();
    step_.clear();
    peers_ = other_levels_ = 0;
    scratch_ = 0;
    combines_ = one_way_ = false;
  }
  // What follows is another level, of ranks that are placed like this.
  void level(const Place& place) {
    place_ = place;
    other_levels_ += peers_;
    peers_ = 0;
  }
  // What arrives in the stages that follow is combined.
  Sketch& combining(bool combines) {
    combines_ = combines;
    return *this;
  }

  // --- families; `bytes`: of a message, or of one rank's block
  // One rank and all others.
  void star(Bytes bytes, Way way);
  // In each round every rank that has a part of the ranks cuts it into k + 1 parts. blocks: a
  // message holds those of a subtree. The n-way binomial tree gives away the nearest ranks first,
  // halving (TAU's binomial tree) the farthest, so that its later rounds stay within nodes.
  enum class Keeps : bool { farthest, nearest };
  void tree(int k, Bytes bytes, Way way, Bytewise bytewise = Bytewise::whole,
            Keeps keeps = Keeps::farthest);
  void k_ary(int k, Bytes bytes, Way way);
  void chains(int k, Bytes bytes, Way way);
  // P − 1 rounds to the next rank.
  void ring(Bytes bytes, double rounds);
  // P / 2 exchanges with the one and the other neighbour by turns, of two blocks but for the first.
  void exchange_with_neighbors(Bytes bytes);
  // ⌈log_{k+1} P⌉ rounds of k messages to r + y(k+1)^i. `grows`: the bytes double, or what the base
  // is, up to those of all ranks.
  void dissemination(int k, Bytes bytes, bool grows, double messages = 1);
  // ⌈log2 P⌉ rounds; in each a rank sends the blocks that it has to the rank one skip away.
  void circulant(Bytes bytes);
  // log2 P rounds. `growth`: the bytes of the first one, of which later ones have growth times as
  // many.
  void bine(Bytes bytes, double growth);
  // The tree of the same skips. Each further segment takes one round more, in which all ranks send.
  void circulant_tree(Bytes bytes, Way way);
  // log2 of the largest power of two rounds with r ^ 2^i. `growth`: the bytes of the first round
  // (2^0), of which later ones have growth times as many. Other ranks: `lent` before, `given`
  // after.
  void doubling(Bytes first, double growth, Bytes lent, Bytes given, double messages = 1);
  // One round of an exchange in groups of `radix`. Only `partners` of the P ranks take part; those
  // of a group are `distance` ranks apart.
  void among_partners(double distance, double partners, Bytes bytes, int radix);
  // ⌈log2 P⌉ rounds; in round i rank r sends to r + 2^i what it has combined so far.
  void scan(Bytes bytes);
  // All ranks to all, at once or one after another.
  void at_once(Bytes bytes);
  void pairwise(Bytes bytes);
  // All ranks send `messages` messages to each of those 1, 2, … `to` times that far away.
  void shift(double distance, Bytes bytes, double to = 1, double messages = 1, double rounds = 1);
  // Up: a rank gets `messages` messages, each from another rank; down: it sends as many. far: they
  // leave the node. `all`: messages of all ranks together.
  void hand_over(Bytes bytes, Way way, double messages, bool far, double all);

  // One rank copies so many bytes before the first message.
  void copies_first(double bytes) {
    Stage& stage = add(0);
    stage.copied = bytes;
    stage.busy = 0;
  }
  // Once, beside what the last stage does.
  void copies(double bytes) {
    if (!stages_.empty()) stages_.back().copied += bytes / stages_.back().rounds;
  }
  // When all messages of the last stage have come.
  void combines(double bytes) {
    if (stages_.empty()) return;
    stages_.back().combined += bytes / stages_.back().rounds;
    stages_.back().combines_last = true;
  }
  // The last hops go against those before: they leave a node where those came in. Requires two
  // paths of the same ranks.
  void turn_back() {
    const bool apart = place_.in_order && place_.nodes > 1 && place_.q > 1;
    if (apart && !stages_.empty()) stages_[stages_.size() - 2].others_at_borders = true;
  }
  void needs_scratch(Bytes bytes) { scratch_ += bytes; }
  // Some ranks may begin the next call before others have got this one's messages.
  void one_way() { one_way_ = true; }
  void two_way() { one_way_ = false; }
  // So many ranks are spoken to at this level, at least.
  void meets(double peers);

  void without_bytes() {
    for (Stage& stage : stages_) stage.bytes = 0;
    for (Stage& stage : step_) stage.bytes = 0;
  }

  const Place& place() const noexcept { return place_; }
  // Whether each aligned run of so many ranks lies within a node.
  bool within_node(double ranks) const noexcept;
  const std::vector<Stage>& stages() const noexcept { return stages_; }
  int peers() const noexcept { return other_levels_ + peers_; }
  Bytes scratch() const noexcept { return scratch_; }
  bool is_one_way() const noexcept { return one_way_; }
  // The rounds of further segments; none: segments follow each other through the stages.
  const std::vector<Stage>& step() const noexcept { return step_; }

 private:
  Stage& add(Bytes bytes);
  // Exchanges with the next ranks, so many across a border.
  void round_about(Bytes bytes, double far_rounds, double near_rounds);
  // So many hops from rank to rank.
  void path(double hops, Bytes bytes, Way way);
  // Whether any two ranks that are so far apart share a node.
  bool shares_node(double distance) const noexcept;
  // Messages that leave a node if all its ranks send that far.
  double leaving(double distance) const noexcept;

  Place place_;
  std::vector<Stage> stages_, step_;
  int peers_ = 0, other_levels_ = 0;
  Bytes scratch_ = 0;
  bool combines_ = false, one_way_ = false;
};

}  // namespace tutti::models
