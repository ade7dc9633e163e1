// Sketches of k-ary trees. Pure.
//
// A rank has its children one after another, so the last rank of a level waits longest, unless the
// last level has few: a rank there waits for fewer messages, and one of the level before may end
// after it.
#include <algorithm>
#include <bit>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "models/decision/families.hpp"

namespace tutti::models::families {
namespace {

// The stages of a tree, one for each of its levels.
struct Levels {
  std::size_t begin = 0;
  double last = 0;  // ranks in the last one
};

// The ranks of a level follow each other, so a node has many of them, whose children are on other
// nodes: all share its port.
Levels levels_of(SketchBuilder& sketch, int ranks, int k, Bytes bytes, Way way) {
  const Topology& place = sketch.place();
  Levels levels{sketch.stages().size()};
  for (double before = 0, width = 1; before + width < ranks;) {
    const double below = std::min(width * k, ranks - before - width);
    const double children = std::min<double>(k, below), parents = ceil_div(below, children);
    const bool near = place.nodes == 1 || (place.in_order && before + width + below <= place.q);
    const double of_a_node =
        place.in_order ? std::min<double>(parents, place.q) : ceil_div(parents, place.nodes);
    Stage& stage = sketch.add(bytes);
    stage.out = Count::of(way == Way::down ? children : 1, !near);
    stage.in = Count::of(way == Way::down ? 1 : children, !near);
    stage.all = Count::of(below * place.copies, !near);
    stage.border = near ? 0 : children;
    stage.leaving = near ? 0 : std::min(of_a_node * children, below) * place.copies;
    stage.woken = below * place.copies;
    stage.combined =
        sketch.is_combining() && way == Way::up ? children * static_cast<double>(bytes) : 0;
    stage.exchange = false;
    stage.busy = 0;
    sketch.sends_to(stage.out);
    before += width;
    width = levels.last = below;
  }
  return levels;
}

Count& to_children(Stage& stage, Way way) { return way == Way::down ? stage.out : stage.in; }

// This number of the children's messages is on the path.
void wait_for(Stage& stage, double messages, Way way) {
  Count& many = to_children(stage, way);
  stage.leaving *= messages / many.both();
  many = Count::of(messages, many.far > 0);
  stage.border = many.far;
  if (stage.combined > 0) stage.combined = messages * static_cast<double>(stage.bytes);
}

// Draws the path to that of the first `last` ranks of the last level which waits most, first of all
// for messages between nodes. The numbers of the children on a path are the digits of the rank's
// place in its level.
void draw_longest(std::span<Stage> levels, int k, double last, Way way) {
  double place = last - 1;
  std::pair<double, double> left_over{0, 0}, most{0, 0};  // far, near
  std::size_t lowered = levels.size();
  for (std::size_t i = levels.size(); i-- > 0; place = std::floor(place / k)) {
    const double digit = std::fmod(place, k);
    wait_for(levels[i], digit + 1, way);
    double& of_kind = to_children(levels[i], way).far > 0 ? left_over.first : left_over.second;
    of_kind -= 1;
    if (digit > 0 && left_over > most) {
      most = left_over;
      lowered = i;
    }
    of_kind += k - digit;
  }
  if (lowered == levels.size()) return;
  // After a lower digit all others may be the highest.
  wait_for(levels[lowered], to_children(levels[lowered], way).both() - 1, way);
  for (Stage& stage : levels.subspan(lowered + 1)) wait_for(stage, k, way);
}

// A rank of the level before may have waited for more messages.
void end_early(SketchBuilder& sketch, std::size_t begin, int k, Way way) {
  std::vector<Stage>& stages = sketch.stages();
  const std::size_t end = stages.size();
  double messages = 0;
  for (std::size_t i = begin; i < end; ++i) messages += to_children(stages[i], way).both();
  if (messages >= static_cast<double>(end - begin - 1) * k) return;
  for (std::size_t i = begin; i < end; ++i) {
    stages[i].order = Stage::Order::open;
    if (i + 1 == end) break;
    Stage beside = stages[i];
    wait_for(beside, k, way);
    beside.all = {};  // counted already
    beside.order = Stage::Order::beside;
    stages.push_back(beside);
  }
}

// The work of the busiest rank for each further segment: it takes part in one level, as a child and
// as a parent. Only the root is no child.
Stage busiest_of(std::span<const Stage> levels, int k, Way way) {
  const auto more = [](const Stage& a, const Stage& b) { return a.leaving < b.leaving; };
  auto busiest = std::max_element(levels.begin(), levels.end(), more);
  const bool of_root = busiest == levels.begin();
  if (of_root && levels.size() > 1 && levels[1].leaving == busiest->leaving) {
    const Count& many = way == Way::down ? levels[1].out : levels[1].in;
    if (many.both() == k) ++busiest;
  }
  Stage stage = *busiest;
  stage.exchange = busiest != levels.begin();
  stage.rounds = 0;
  stage.busy = 1;
  return stage;
}

// Beside the first level: not before it, as all ranks begin there.
void add_beside(std::vector<Stage>& stages, std::size_t first, const Stage& busiest) {
  const auto order = stages[first].order;
  stages.insert(stages.begin() + static_cast<std::ptrdiff_t>(first) + 1, busiest)->order = order;
}

}  // namespace

void k_ary(SketchBuilder& sketch, int k, Bytes bytes, Way way) {
  const Topology& place = sketch.place();
  if (place.P < 2) return;
  if (k == 1) return chains(sketch, 1, bytes, way);
  const Levels levels = levels_of(sketch, place.P, k, bytes, way);
  std::vector<Stage>& stages = sketch.stages();
  const std::span drawn = std::span{stages}.subspan(levels.begin);
  const double children_met = to_children(drawn.front(), way).both();
  Stage busiest = busiest_of(drawn, k, way);
  if (place.nodes > 1 && !place.in_order) {
    // A node has ranks in all levels, whose messages share its port: of k children that follow each
    // other some are on their parent's node.
    const double most = std::min(k, place.P - 1), parents = std::ceil((place.P - 1) / most);
    const double far = most - std::floor(most / place.nodes);
    busiest.leaving = std::max(busiest.leaving, ceil_div(parents, place.nodes) * far);
  }
  if (drawn.size() == 1) {
    busiest.rounds = 1;
    busiest.hands_down = way == Way::down;
    drawn.front() = busiest;
  } else {
    draw_longest(drawn, k, levels.last, way);
    end_early(sketch, levels.begin, k, way);
    add_beside(stages, levels.begin, busiest);
  }
  sketch.meets(children_met + 1);
}

// Two sides, the odd ranks and the even ones, are binary trees. A rank that is alone in the last
// level has no partner: it gets its own half before its parent's partner does, and the other half
// from the root.
void two_sides(SketchBuilder& sketch, Bytes bytes) {
  const Topology& place = sketch.place();
  const bool alone = std::has_single_bit(static_cast<unsigned>(place.P));
  const Levels levels = levels_of(sketch, alone ? place.P - 1 : place.P, 2, bytes, Way::down);
  std::vector<Stage>& stages = sketch.stages();
  const std::span drawn = std::span{stages}.subspan(levels.begin);
  const std::size_t depth = drawn.size();
  // The root has no partner, so the busiest rank is one of its children, except with 4 ranks.
  double children = 2;
  if (depth == 1) children = alone ? 2 : 0;
  if (depth == 2) children = std::min(2.0, std::ceil(levels.last / 2));
  Stage busiest = busiest_of(drawn, 2, Way::down);
  busiest.exchange = depth > 1 || !alone;
  busiest.out = Count::of(children, busiest.out.far > 0);
  // With the exchange, as much as the root of 3 ranks sends.
  const double sent = std::max(1.0, children);
  if (busiest.border > 0) busiest.border = sent;
  if (place.q == 1) busiest.leaving = sent * place.copies;
  if (depth > 1) draw_longest(drawn.subspan(1), 2, std::floor(levels.last / 2), Way::down);
  end_early(sketch, levels.begin, 2, Way::down);
  add_beside(stages, levels.begin, busiest);
  sketch.meets(children + 2);
  sketch.sends_to(Count::of(children + 1, place.nodes > 1));
}

void halves(SketchBuilder& sketch, Bytes bytes) {
  const Topology& place = sketch.place();
  Stage& stage = sketch.add(bytes);
  stage.out = stage.in = Count::of(2, place.nodes > 1);
  stage.all = Count::of(2 * place.copies, place.nodes > 1);
  stage.border = stage.out.far;
  stage.leaving = stage.border * place.copies;
  stage.woken = place.copies;
  stage.exchange = false;
  stage.hands_down = true;
  sketch.meets(1);
  sketch.sends_to(Count::of(1, place.nodes > 1));
}

}  // namespace tutti::models::families
