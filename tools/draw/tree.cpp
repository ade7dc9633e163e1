// Draws the tree of a collective.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/index.hpp"
#include "tools/drawing/nodes.hpp"
#include "tools/draw/picture.hpp"
#include "tools/drawing/svg.hpp"

namespace tutti::tools {
namespace {

constexpr double kAcross = 30, kMostAcross = 56, kTreeLeft = 30, kTreeLeast = 400, kRadius = 12;
// From one row of ranks to the next; with more room for the order of children above them.
constexpr double kDown = 40, kDownToChildren = 62;
constexpr const char* kRootColour = "#d1245b";
// Below other ranks chains that are longer go to and fro; a tree that is a chain does always.
constexpr std::size_t kLongestChain = 3;
constexpr double kWidestChain = 16;
constexpr double kAlongChain = 1.4;   // from one rank to the next, of kAcross
constexpr double kBesideChain = 1.8;  // from its right end to what is beside it

[[noreturn]] void no_tree(const std::string& why) {
  throw Error(Code::bad_configuration, "its messages form no tree: " + why + "; see --kind rounds");
}

// Leaves stand side by side, and parents in the middle above their children.
class Layout {
 public:
  explicit Layout(const MessageTree& tree)
      : x(tree.children.size()),
        row(tree.children.size()),
        tree_(tree),
        chain_(x.size()),
        comb_(x.size()) {
    measure_chain(tree.root);
    measure_comb(tree.root);
    place(tree.root, 0);
    width = *std::max_element(x.begin(), x.end()) + 1;
    const auto rows = static_cast<std::size_t>(*std::max_element(row.begin(), row.end()));
    y.assign(rows + 1, 0);
    std::vector<bool> numbered(rows + 1);
    for (std::size_t rank = 0; rank < x.size(); ++rank)
      if (tree.children[rank].size() > 1) numbered[index(row[rank])] = true;
    for (std::size_t i = 1; i < y.size(); ++i)
      y[i] = y[i - 1] + (numbered[i - 1] ? kDownToChildren : kDown);
  }
  std::vector<double> x;  // of each rank, in kAcross
  std::vector<int> row;   // of each rank
  std::vector<double> y;  // of each row
  double width = 0;

 private:
  // How many ranks follow each other from here on to a leaf, none of which has two children.
  void measure_chain(Rank rank) {
    const auto& children = tree_.children[index(rank)];
    for (const Rank child : children) measure_chain(child);
    if (children.empty()) chain_[index(rank)] = 1;
    if (children.size() != 1) return;
    const std::size_t rest = chain_[index(children[0])];
    chain_[index(rank)] = rest == 0 ? 0 : rest + 1;
  }

  // The child along whose side a comb goes on, and the chain that is the tooth.
  struct Tooth {
    Rank next, chain;
  };
  Tooth tooth(Rank rank) const {
    const auto& children = tree_.children[index(rank)];
    const auto length = [&](Rank child) {
      return chain_[index(child)] == 0 ? x.size() : chain_[index(child)];
    };
    const bool first = length(children[0]) > length(children[1]);
    return first ? Tooth{children[0], children[1]} : Tooth{children[1], children[0]};
  }

  // How many ranks follow each other from here on each of which has a chain beside the next one, as
  // the leaders of nodes have if both levels are chains; the last one has only its chain.
  void measure_comb(Rank rank) {
    const auto& children = tree_.children[index(rank)];
    for (const Rank child : children) measure_comb(child);
    if (chain_[index(rank)] > 0) comb_[index(rank)] = 1;
    if (children.size() != 2) return;
    const auto [next, chain] = tooth(rank);
    const std::size_t rest = comb_[index(next)];
    comb_[index(rank)] = rest == 0 || chain_[index(chain)] == 0 ? 0 : rest + 1;
  }

  // The ranks below each other, each with its chain to the right. Else each would stand half its
  // chain's width to the right of the one above.
  void place_comb(Rank rank, int level) {
    const double left = next_;
    double right = left;
    for (;;) {
      row[index(rank)] = level;
      x[index(rank)] = left;
      const auto& children = tree_.children[index(rank)];
      next_ = left + kAlongChain;
      const bool last = children.size() < 2;
      if (!children.empty()) level += place_chain(last ? children[0] : tooth(rank).chain, level);
      right = std::max(right, next_);
      if (last) break;
      rank = tooth(rank).next;
    }
    next_ = right;
  }

  void place(Rank rank, int level) {
    if (comb_[index(rank)] > kLongestChain) return place_comb(rank, level);
    if (chain_[index(rank)] > (rank == tree_.root ? 1 : kLongestChain))
      return static_cast<void>(place_chain(rank, level));
    row[index(rank)] = level;
    const auto& children = tree_.children[index(rank)];
    for (const Rank child : children) place(child, level + 1);
    x[index(rank)] =
        children.empty() ? next_++ : (x[index(children.front())] + x[index(children.back())]) / 2;
  }

  // To the right, down, to the left, down, … A tree that is a chain, and one with a comb, has long
  // rows. Returns how many.
  int place_chain(Rank rank, int level) {
    const auto length = static_cast<double>(chain_[index(rank)]);
    const bool alone = rank == tree_.root || comb_[index(tree_.root)] > kLongestChain;
    const double rows = alone ? std::ceil(length / kWidestChain) : std::floor(std::sqrt(length));
    const int columns = static_cast<int>(std::ceil(length / rows));
    for (int i = 0;; ++i) {
      const int column = i % columns;
      row[index(rank)] = level + i / columns;
      x[index(rank)] = next_ + kAlongChain * (i / columns % 2 == 0 ? column : columns - 1 - column);
      if (tree_.children[index(rank)].empty()) break;
      rank = tree_.children[index(rank)][0];
    }
    next_ += kAlongChain * (columns - 1) + kBesideChain;
    return static_cast<int>(rows);
  }

  const MessageTree& tree_;
  std::vector<std::size_t> chain_;  // from each rank on; 0: no chain
  std::vector<std::size_t> comb_;   // likewise
  double next_ = 0;
};

// Ranks as circles, in the colours of their nodes.
class TreePainter {
 public:
  explicit TreePainter(const Drawn& what)
      : tree_(tree_of(what)),
        layout_(tree_),
        nodes_(what.node),
        across_(std::clamp(kTreeLeast / layout_.width, kAcross, kMostAcross)),
        width_(std::max(across_ * layout_.width, kTreeLeast)),
        head_(svg::head(kTreeLeft, width_, what.title, note())) {
    head_.drawn += nodes_.legend(kTreeLeft, width_, head_.bottom);
  }

  std::string draw() const {
    std::string edges, numbers, circles;
    for (Rank rank = 0; index(rank) < tree_.children.size(); ++rank) {
      const auto& children = tree_.children[index(rank)];
      for (std::size_t i = 0; i < children.size(); ++i) {
        edges += edge(rank, children[i]);
        if (children.size() > 1)
          numbers += svg::text(x(children[i]) + 3, y(children[i]) - kRadius - 5,
                               std::to_string(i + 1), R"(font-size="9.5" fill="#c2611f")");
      }
      circles += circle(rank);
    }
    return svg::document(2 * kTreeLeft + width_, head_.bottom + 36 + layout_.y.back() + 34,
                         head_.drawn + R"(<g fill="none" stroke="#8b98a8" stroke-width="1.4">)" +
                             edges + "</g>\n" + numbers + circles + "\n");
  }

 private:
  double x(Rank rank) const {
    const double left = kTreeLeft + (width_ - across_ * layout_.width) / 2 + across_ / 2;
    return left + across_ * layout_.x[index(rank)];
  }
  double y(Rank rank) const {
    return head_.bottom + 36 + layout_.y[index(layout_.row[index(rank)])];
  }

  std::string note() const {
    std::string text = fmt::format("messages go {} the root ({})",
                                   tree_.upwards ? "up to" : "down from", tree_.root);
    if (any_side_by_side()) text += ", in a chain along its arrows";
    const auto several = [](const auto& children) { return children.size() > 1; };
    if (std::any_of(tree_.children.begin(), tree_.children.end(), several))
      text += fmt::format("; small numbers: the order in which a rank {} its children",
                          tree_.upwards ? "hears from" : "serves");
    if (nodes_.shown()) text += "; thick lines go to other nodes";
    return text;
  }

  bool side_by_side(Rank one, Rank other) const {
    return layout_.row[index(one)] == layout_.row[index(other)];
  }
  bool any_side_by_side() const {
    for (Rank rank = 0; index(rank) < tree_.children.size(); ++rank)
      for (const Rank child : tree_.children[index(rank)])
        if (side_by_side(rank, child)) return true;
    return false;
  }

  // Down, across, and down to the child, beside whose line its number stands. In a chain across,
  // with the tip of an arrow in the direction of the message.
  std::string edge(Rank parent, Rank child) const {
    const bool beside = side_by_side(parent, child);
    const std::string down = beside ? "" : fmt::format(" V{:.1f}", y(child) - kRadius - 19);
    return fmt::format(R"(<path d="M{:.1f},{:.1f}{} H{:.1f}{}"{}/>)", x(parent), y(parent), down,
                       x(child), beside ? tip(parent, child) : fmt::format(" V{:.1f}", y(child)),
                       nodes_.apart(parent, child) ? R"( stroke-width="2.6")" : "");
  }

  std::string tip(Rank parent, Rank child) const {
    constexpr double kLength = 5, kHalf = 4;
    const double length = (x(child) > x(parent)) != tree_.upwards ? kLength : -kLength;
    const double middle = (x(parent) + x(child)) / 2, behind = middle - length / 2;
    return fmt::format(" M{0:.1f},{1:.1f} L{2:.1f},{3:.1f} L{0:.1f},{4:.1f}", behind,
                       y(parent) - kHalf, middle + length / 2, y(parent), y(parent) + kHalf);
  }

  std::string circle(Rank rank) const {
    const bool is_root = rank == tree_.root, framed = is_root && nodes_.shown();
    const std::string colour = nodes_.shown() ? nodes_.colour(rank)
                               : is_root      ? kRootColour
                                              : "#2f6db5";
    return fmt::format(R"(<circle cx="{:.1f}" cy="{:.1f}" r="{}" fill="{}" stroke="{}" )"
                       R"(stroke-width="{}"/>)",
                       x(rank), y(rank), kRadius, colour, framed ? kRootColour : "white",
                       framed ? 3 : 1.5) +
           svg::text(x(rank), y(rank) + 4, std::to_string(rank),
                     R"(font-size="11" text-anchor="middle" fill="white")");
  }

  const MessageTree tree_;
  const Layout layout_;
  const NodeMarks nodes_;
  const double across_, width_;
  svg::Head head_;
};

}  // namespace

MessageTree tree_of(const Drawn& what) {
  using collectives::Collective;
  const bool up = what.collective == Collective::reduce || what.collective == Collective::gather;
  const bool down = what.collective == Collective::bcast || what.collective == Collective::scatter;
  if (!up && !down)
    throw Error(Code::bad_configuration,
                "trees are drawn of bcast, scatter, gather and reduce; see --kind rounds");
  const std::size_t P = what.schedules.size();
  MessageTree tree{.upwards = up, .children = std::vector<std::vector<Rank>>(P)};
  std::vector<Rank> parent(P, -1);
  for (Rank rank = 0; index(rank) < P; ++rank)
    for (const auto& step : what.schedules[index(rank)].steps) {
      if (!collectives::is_message(step.kind)) continue;
      if (collectives::receives(step.kind) == up) {  // from (to) a child
        auto& mine = tree.children[index(rank)];
        if (std::find(mine.begin(), mine.end(), step.peer) == mine.end()) mine.push_back(step.peer);
      } else if (parent[index(rank)] >= 0 && parent[index(rank)] != step.peer) {
        no_tree(fmt::format("rank {} has two parents, {} and {}", rank, parent[index(rank)],
                            step.peer));
      } else {
        parent[index(rank)] = step.peer;
      }
    }
  const auto roots = std::count(parent.begin(), parent.end(), -1);
  if (roots != 1) no_tree(fmt::format("{} ranks have no parent", roots));
  tree.root = static_cast<Rank>(std::find(parent.begin(), parent.end(), -1) - parent.begin());
  std::size_t reached = 0;
  for (std::vector<Rank> open{tree.root}; !open.empty() && reached <= P; ++reached) {
    const Rank rank = open.back();
    open.pop_back();
    open.insert(open.end(), tree.children[index(rank)].begin(), tree.children[index(rank)].end());
  }
  if (reached != P) no_tree("some ranks are in a circle");
  return tree;
}

std::string draw_tree(const Drawn& what) { return TreePainter{what}.draw(); }

}  // namespace tutti::tools
