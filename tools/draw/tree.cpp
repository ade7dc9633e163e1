// The picture of a tree.
#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/index.hpp"
#include "tools/draw/picture.hpp"
#include "tools/drawing/svg.hpp"

namespace tutti::tools {
namespace {

constexpr double kAcross = 30, kDown = 74, kTreeLeft = 30, kTreeTop = 92, kRadius = 12;

[[noreturn]] void no_tree(const std::string& why) {
  throw Error(Code::bad_configuration, "its messages form no tree: " + why + "; see --kind rounds");
}

// Leaves stand side by side, and parents in the middle above their children.
class Layout {
 public:
  explicit Layout(const MessageTree& tree)
      : x(tree.children.size()), depth(tree.children.size()), tree_(tree) {
    place(tree.root, 0);
    deepest = *std::max_element(depth.begin(), depth.end());
    width = next_;
  }
  std::vector<double> x;
  std::vector<int> depth;
  int deepest = 0;
  double width = 0;

 private:
  void place(Rank rank, int level) {
    depth[index(rank)] = level;
    const auto& children = tree_.children[index(rank)];
    for (const Rank child : children) place(child, level + 1);
    x[index(rank)] =
        children.empty() ? next_++ : (x[index(children.front())] + x[index(children.back())]) / 2;
  }
  const MessageTree& tree_;
  double next_ = 0;
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
        no_tree(fmt::format("rank {} has both {} and {} above it", rank, parent[index(rank)],
                            step.peer));
      } else {
        parent[index(rank)] = step.peer;
      }
    }
  const auto roots = std::count(parent.begin(), parent.end(), -1);
  if (roots != 1) no_tree(fmt::format("{} ranks have none above them", roots));
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

std::string draw_tree(const Drawn& what) {
  const MessageTree tree = tree_of(what);
  const Layout layout{tree};
  const double least = 40 + 7.4 * static_cast<double>(what.title.size());
  const double width = std::max({2 * kTreeLeft + kAcross * layout.width, least, 620.});
  const double shift = (width - kAcross * layout.width) / 2 + kAcross / 2;
  const auto x = [&](Rank rank) { return shift + kAcross * layout.x[index(rank)]; };
  const auto y = [&](Rank rank) { return kTreeTop + kDown * layout.depth[index(rank)]; };
  std::string lines, numbers, circles;
  for (Rank rank = 0; rank < static_cast<Rank>(tree.children.size()); ++rank) {
    int order = 0;
    for (const Rank child : tree.children[index(rank)]) {
      // It arrives from above, where its number has room beside those of others.
      lines += fmt::format(
          R"(<path d="M{0:.1f},{1:.1f} C{0:.1f},{2:.1f} {3:.1f},{2:.1f} {3:.1f},{4:.1f}"/>)",
          x(rank), y(rank), y(child) - kDown * 0.45, x(child), y(child));
      ++order;
      if (tree.children[index(rank)].size() < 2) continue;
      const double above = y(child) - kRadius - 5;
      numbers += svg::rect(x(child) - 7, above - 10, 14, 12, R"(fill="white" rx="3")") +
                 svg::text(x(child), above, std::to_string(order),
                           R"(font-size="9.5" text-anchor="middle" fill="#c2611f")");
    }
    circles += fmt::format(
        R"(<circle cx="{:.1f}" cy="{:.1f}" r="{}" fill="{}" stroke="white" stroke-width="1.5"/>)",
        x(rank), y(rank), kRadius, rank == tree.root ? "#d1245b" : "#2f6db5");
    circles += svg::text(x(rank), y(rank) + 4, std::to_string(rank),
                         R"(font-size="11" text-anchor="middle" fill="white")");
  }
  const std::string note = fmt::format(
      "messages go {} the root ({}); small numbers: the order in which a rank {} its children",
      tree.upwards ? "up to" : "down from", tree.root, tree.upwards ? "hears from" : "serves");
  return svg::document(std::max(width, 40 + svg::kLetter * static_cast<double>(note.size())),
                       kTreeTop + kDown * layout.deepest + 34,
                       svg::text(20, 24, what.title, R"(font-size="15")") +
                           svg::text(20, 44, note, svg::kNote) +
                           R"(<g fill="none" stroke="#8b98a8" stroke-width="1.4">)" + lines +
                           "</g>\n" + numbers + circles + "\n");
}

}  // namespace tutti::tools
