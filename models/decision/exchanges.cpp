// Sketches of exchanges, in which all ranks send in each round. Pure.
#include <algorithm>
#include <bit>
#include <cmath>

#include "models/decision/families.hpp"

namespace tutti::models::families {
namespace {

// Each rank sends `messages`, and `out` of those of a node leave it.
void count_all(Stage& stage, const Topology& place, double out, double messages) {
  stage.leaving = out * place.copies;
  stage.all.far = out * place.nodes * place.copies;
  stage.all.near = std::max(0.0, place.P * messages * place.copies - stage.all.far);
}

}  // namespace

Stage& shift(SketchBuilder& sketch, double distance, Bytes bytes, double to, double messages,
             double rounds) {
  const Topology& place = sketch.place();
  Stage& stage = sketch.add(bytes);
  double out = 0, far = 0;
  for (int y = 1; y <= to && place.nodes > 1; ++y) {
    const double leave = place.leaving(std::min(y * distance, place.P - 1.0));
    out += leave * messages;
    far += leave > 0 ? messages : 0;
  }
  messages *= to;
  stage.rounds = stage.busy = rounds;
  stage.out = stage.in = {messages - far, far};
  count_all(stage, place, out, messages);
  stage.border = far;
  stage.woken = place.P * place.copies;
  stage.combined = sketch.is_combining() ? messages * static_cast<double>(bytes) : 0;
  return stage;
}

void over_distances(SketchBuilder& sketch, std::span<const double> distances, Bytes bytes) {
  const Topology& place = sketch.place();
  Stage& stage = sketch.add(bytes);
  double out = 0, far = 0;
  for (const double distance : distances) {
    const double leave = place.nodes > 1 ? place.leaving(std::min(distance, place.P - 1.0)) : 0;
    out += leave;
    far += leave > 0 ? 1 : 0;
  }
  const auto messages = static_cast<double>(distances.size());
  stage.out = stage.in = {messages - far, far};
  count_all(stage, place, out, messages);
  stage.border = far;
  stage.woken = place.P * place.copies;
}

namespace {

// Exchanges with the next ranks, so many across a border. at_ends: so many of a node's ranks cross
// borders in these rounds, and none in the others; 0: as many as send to their next ranks.
void round_about(SketchBuilder& sketch, Bytes bytes, double far_rounds, double near_rounds,
                 double at_ends = 0) {
  for (const bool far : {true, false}) {
    const double rounds = far ? far_rounds : near_rounds;
    if (rounds <= 0) continue;
    Stage& stage = shift(sketch, 1, bytes, 1, 1, rounds);
    stage.out = stage.in = Count::of(1, far);
    if (at_ends == 0) continue;
    count_all(stage, sketch.place(), far ? at_ends : 0, 1);
    stage.border = far ? 1 : 0;
  }
  sketch.meets(2);
  sketch.sends_to(Count::of(1, far_rounds > 0));
}

}  // namespace

// A block that goes round passes every border.
void ring(SketchBuilder& sketch, Bytes bytes, double rounds) {
  const Topology& place = sketch.place();
  if (place.P < 2) return;
  const std::size_t begin = sketch.stages().size();
  const double borders = place.nodes == 1 ? 0 : place.in_order ? place.nodes : place.P;
  const double far_rounds = std::min(rounds, std::ceil(rounds * borders / (place.P - 1)));
  round_about(sketch, bytes, far_rounds, rounds - far_rounds);
  sketch.stages().back().repeats = true;
  if (far_rounds > 0) sketch.stages()[begin].repeats = true;
}

// Ranks exchange across a border every other time: if nodes have an even number of ranks, both
// ranks at a node's ends do so in the same rounds, and no rank does in those between; else one of
// them in each round.
void exchange_with_neighbors(SketchBuilder& sketch, Bytes bytes) {
  const Topology& place = sketch.place();
  const double further = std::floor(place.P / 2.0) - 1;
  const bool within = place.nodes == 1, all_far = !within && (!place.in_order || place.q == 1);
  const double at_ends = place.in_order && place.q > 1 ? 2 : 0;
  round_about(sketch, bytes, all_far ? 1 : 0, all_far ? 0 : 1, at_ends);
  sketch.sends_to(within ? Count{2, 0} : all_far ? Count{0, 2} : Count{1, 1});
  // A block goes on by a rank in each round, so its way crosses a border for each q ranks.
  const double crossings = std::min(std::ceil(further / 2), std::ceil(place.P / 2.0 / place.q));
  const double far_rounds = within ? 0 : all_far ? further : crossings;
  const std::size_t begin = sketch.stages().size();
  round_about(sketch, 2 * bytes, far_rounds, further - far_rounds, at_ends);
  if (within || all_far) return;
  // But messages cross it in all rounds in which its ranks exchange.
  const bool odd = place.q % 2 == 1;
  const double far = place.nodes * (odd ? further : 2 * std::ceil(further / 2));
  for (std::size_t i = begin; i < sketch.stages().size(); ++i) {
    Stage& stage = sketch.stages()[i];
    const bool crosses = stage.out.far > 0;
    stage.busy = std::ceil((further + (odd ? 1 : 0)) / 2);
    stage.staggered = odd;
    stage.all = Count::of((crosses ? far : place.P * further - far) / stage.rounds, crosses);
  }
}

// The distances to partners are 1, 1, 3, 5, 11, … ranks, to either side in turn.
void bine(SketchBuilder& sketch, Bytes bytes, double growth) {
  const Topology& place = sketch.place();
  const std::size_t begin = sketch.stages().size();
  double rounds = 0, distance = 1;
  for (double d = 1; d < place.P;
       d *= 2, ++rounds, bytes = static_cast<Bytes>(static_cast<double>(bytes) * growth)) {
    Stage& stage = shift(sketch, distance, bytes);
    stage.repeats = true;
    if (rounds == 0 && place.within_node(2)) {
      stage.out = stage.in = Count::of(1, false);
      stage.all = Count::of(place.P * place.copies, false);
      stage.leaving = stage.border = 0;
    } else if (place.nodes > 1 && place.in_order && place.q % 2 == 0) {
      // Even ranks go one way, odd ones the other: as many as one more or less than the distance.
      const double one = std::fmod(rounds, 2) == 0 ? -1 : 1;
      count_all(stage, place, std::min<double>(place.q, distance + one), 1);
    }
    distance = 2 * distance + (std::fmod(rounds, 2) == 0 ? -1 : 1);
  }
  sketch.meets(rounds);
  sketch.sends_anew(begin);
}

namespace {

// One round of an exchange with r ^ 2^i, of `partners` of the P ranks, d of them apart. Each of the
// first ones stands for a neighbour, too, which lends to it.
Stage& between_partners(SketchBuilder& sketch, double d, double partners, Bytes bytes) {
  const Topology& place = sketch.place();
  const double extra = place.P - partners;
  Stage& stage = shift(sketch, d, bytes);
  // Where neighbours lend to each other, partners lie shifted against the nodes.
  const bool shifted = extra > 0 && (std::fmod(extra, 2 * d) != 0 || !place.within_node(4 * d));
  const bool away =
      place.nodes > 1 && !place.shares_node(d) && (shifted || !place.within_node(2 * d));
  stage.out = stage.in = Count::of(1, away);
  stage.all = Count::of(partners * place.copies, away);
  stage.leaving = away ? place.q * place.copies : 0;
  stage.border = away ? 1 : 0;
  stage.woken = partners * place.copies;
  stage.repeats = true;
  return stage;
}

}  // namespace

void doubling(SketchBuilder& sketch, Bytes first, double growth, Bytes lent, Bytes given) {
  const Topology& place = sketch.place();
  const double partners = std::bit_floor(static_cast<unsigned>(place.P));
  const double extra = place.P - partners;
  const bool far = !place.within_node(2);
  if (extra > 0) hand_over(sketch, lent, Way::up, 1, far, extra);
  const std::size_t begin = sketch.stages().size();
  double bytes = static_cast<double>(first), rounds = 0;
  bool left = false;  // messages have left the node
  for (double d = 1; d < partners; d *= 2, bytes *= growth, ++rounds) {
    Stage& stage = between_partners(sketch, d, partners, static_cast<Bytes>(bytes));
    // The ranks of a node have got apart at its port, by more than shorter messages take there.
    stage.staggered = left && growth < 1;
    left = left || stage.leaving > 0;
  }
  sketch.sends_anew(begin);
  if (extra > 0) hand_over(sketch, given, Way::down, 1, far, extra);
  sketch.meets(rounds + (extra > 0 ? 1 : 0));
}

namespace {

// Which ranks lend in an allgather's exchange with r ^ 2^i, and what the partners have of it.
struct Lending {
  explicit Lending(const Topology& place)
      : partners(std::bit_floor(static_cast<unsigned>(place.P))), extra(place.P - partners) {
    // In order, the first node has all lenders if they are few.
    const bool at_first = place.in_order && 2 * extra < place.q;
    far = !at_first && !place.within_node(2);
    if (far && place.in_turn) {
      const bool even = std::fmod(place.nodes, 2) == 0;  // then every other node lends
      leaving = ceil_div(extra, even ? place.nodes / 2.0 : place.nodes);
    }
    helping = extra > 0 ? ceil_div(place.q, 2) : place.q;
    if (extra > 0 && place.in_turn) {
      // All partners that have lenders are on half of the nodes, if these are an even number.
      const bool even = std::fmod(place.nodes, 2) == 0;
      helping = even ? ceil_div(extra, place.nodes / 2.0) + ceil_div(partners - extra, place.nodes)
                     : ceil_div(partners, place.nodes);
    }
    alone = std::max(helping, std::min({static_cast<double>(place.q), partners / 2,
                                        extra > 0 ? partners - extra : partners}));
  }
  // The blocks of d partners that follow each other: of the first ones, and of those after them.
  double first(double d) const noexcept { return d + std::min(d, extra); }
  double second(double d) const noexcept { return d + std::clamp(extra - d, 0.0, d); }

  // A node of q ranks gets as many bytes as this number of the longest messages has, in a round
  // that is not the most distant one: if its ranks have lenders, or if they exchange with the last
  // partners that have some. If its ranks have none, all take part, with messages of d blocks.
  double at_port(double d, double q) const noexcept {
    const double last = std::fmod(extra, 2 * d), most = d + std::min(d, last);
    const double mixed = last == 0 ? 0 : last <= d ? d : 2 * d - last;
    return std::max(helping, std::min(q, mixed) * most / first(d));
  }

  double partners, extra;  // ranks that take part, and lenders
  bool far = false;        // the messages of lenders leave their nodes,
  double leaving = 1;      // this number from the busiest node
  double helping;          // partners of a node whose ranks lend to each other,
  double alone;            // and of one without lenders
};

// Lenders hand over `bytes`. Beside them come messages of `longest` bytes (0: none), those of the
// most distant round between nodes without lenders, where more ranks share a port.
void lend(SketchBuilder& sketch, const Lending& lending, Bytes bytes, Way way, Bytes longest) {
  if (lending.extra == 0) return;
  const Topology& place = sketch.place();
  hand_over(sketch, bytes, way, 1, lending.far, lending.extra);
  Stage& stage = sketch.stages().back();
  if (lending.far) stage.leaving = lending.leaving * place.copies;
  if (longest == 0 || lending.far || lending.alone == lending.helping || place.nodes == 1) return;
  stage.order = Stage::Order::open;
  Stage& beside = sketch.add(longest);
  beside.leaving = (lending.alone - lending.helping) * place.copies;
  beside.order = Stage::Order::beside;
}

}  // namespace

// A partner that stands for two ranks has two blocks, so the longest messages of a round are those
// of the first partners. Backwards, a partner without a lender sends at once: where lenders are on
// other nodes, its message and the lender's come to one port together, and only then goes the
// answer, of the other partners' blocks.
void doubling_blocks(SketchBuilder& sketch, Bytes block) {
  const Topology& place = sketch.place();
  const bool back = sketch.is_combining();
  const Lending lending(place);
  const double extra = lending.extra, rounds = std::log2(lending.partners);
  const double half = lending.partners / 2;
  const auto blocks = [&](double count) { return static_cast<Bytes>(count) * block; };
  const bool together = back && lending.far && extra > 0;
  // If one of two partners has no lender, its message comes while the other one waits for the
  // block.
  const bool joins = (together || !back) && extra > 0 && extra <= half;
  const double before = together ? place.P + lending.first(half) : back ? place.P : 1;
  lend(sketch, lending, blocks(before), Way::up, back ? blocks(lending.first(half)) : 0);
  if (joins) sketch.stages().back().order = Stage::Order::open;
  const std::size_t begin = sketch.stages().size();
  bool left = false;  // messages have left the node
  for (double i = 0; i < rounds; ++i) {
    const double d = std::exp2(back ? rounds - 1 - i : i);
    const bool answers = together && i == 0;
    Stage& stage = between_partners(sketch, d, lending.partners,
                                    blocks(answers ? lending.second(d) : lending.first(d)));
    if (i == 0 && joins) stage.order = Stage::Order::joins;
    if (stage.leaving > 0) {
      stage.leaving = (d < half ? lending.at_port(d, place.q) : lending.helping) * place.copies;
      if (extra > 0 && d < half) {
        // Short distances leave a node at its borders only.
        const double crossing = place.in_order ? std::min(lending.alone, 2 * d) : lending.alone;
        stage.others = crossing * place.copies;
        stage.of_others = blocks(d);
      }
    }
    stage.staggered = left && back;
    left = left || stage.leaving > 0;
  }
  sketch.sends_anew(begin);
  lend(sketch, lending, blocks(back ? 1 : place.P), Way::down,
       back ? 0 : blocks(lending.first(half)));
  sketch.meets(rounds + (extra > 0 ? 1 : 0));
}

Stage& among_partners(SketchBuilder& sketch, double distance, double partners, Bytes bytes,
                      int radix) {
  const Topology& place = sketch.place();
  const double messages = radix - 1;
  Stage& stage = sketch.add(bytes);
  const bool away =
      place.nodes > 1 && !place.shares_node(distance) && !place.within_node(distance * radix);
  stage.out = stage.in = Count::of(messages, away);
  stage.all = Count::of(partners * messages * place.copies, away);
  stage.border = away ? messages : 0;
  stage.leaving = away ? ceil_div(partners, place.nodes) * messages * place.copies : 0;
  stage.woken = partners * place.copies;
  stage.combined = sketch.is_combining() ? messages * static_cast<double>(bytes) : 0;
  stage.repeats = true;
  return stage;
}

// In the last round the last ranks get what the first ones have had for long, unless that takes all
// rounds, too: then it comes together with the message of the round before. No message goes back to
// a node before. A rank that has everything sends at once what it still has to send, so messages of
// later rounds are in the way of earlier ones.
void scan(SketchBuilder& sketch, Bytes bytes) {
  const Topology& place = sketch.place();
  const double all = std::ceil(std::log2(place.P));
  const std::size_t begin = sketch.stages().size();
  double round = 0;
  for (double d = 1; d < place.P; d *= 2, ++round) {
    if (d > 1 && place.P - d <= d / 2) {
      Stage& both = sketch.stages().back();
      const Count more = Count::of(1, !place.shares_node(d));
      both.out = both.in = place.in_order
                               ? Count::of(2, place.nodes > 1)
                               : Count{both.out.near + more.near, both.out.far + more.far};
      if (more.far > 0) both.leaving += std::min<double>(place.q, place.P - d);
      both.all = {2 * both.all.near, 2 * both.all.far};
      both.combined *= 2;
      break;
    }
    Stage& stage = shift(sketch, d, bytes);
    if (stage.leaving > 0) stage.leaving = (stage.leaving + place.q) / 2;
    // All hops that are shorter than a node cross one border together. If P is a power
    // of two, one path has all hops, and begins at the first rank.
    const bool whole = std::has_single_bit(static_cast<unsigned>(place.P));
    const bool within = whole ? 2 * d <= place.q : 2 * d < place.q;
    const bool beside = within || all - round >= place.nodes;
    if (place.in_order && beside) stage.out = stage.in = Count::of(1, false);
  }
  sketch.meets(2 * all);
  sketch.sends_anew(begin);
}

}  // namespace tutti::models::families
