// Draws the nodes of ranks in pictures.
#include "tools/drawing/nodes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/index.hpp"
#include "tools/drawing/svg.hpp"

namespace tutti::tools {
namespace {

constexpr std::size_t kMostNamed = 64;  // nodes in a legend

}  // namespace

std::string placement_of(std::span<const int> node) {
  std::map<int, std::size_t> ranks;
  for (const int of : node) ++ranks[of];
  std::size_t least = node.size(), most = 0;
  for (const auto& [of, count] : ranks) {
    least = std::min(least, count);
    most = std::max(most, count);
  }
  if (most <= 1) return {};
  if (ranks.size() == 1) return " on one node";
  return fmt::format(", {}{} a node", least == most ? "" : "up to ", most);
}

NodeMarks::NodeMarks(std::span<const int> node) : node_(node) {
  for (Rank rank = 0; index(rank) < node.size(); ++rank) {
    const int here = node[index(rank)];
    if (rank == 0 || here != node[index(rank - 1)]) first_.push_back(rank);
    if (std::find(names_.begin(), names_.end(), here) == names_.end()) names_.push_back(here);
  }
  shown_ = names_.size() > 1 && names_.size() < node.size();
  if (!shown_) return;
  const int greatest = *std::max_element(names_.begin(), names_.end());
  width_ = 16 + svg::kLetter * svg::letters_of(fmt::format("node {}", greatest));
}

bool NodeMarks::apart(Rank a, Rank b) const noexcept {
  return shown_ && node_[index(a)] != node_[index(b)];
}

int NodeMarks::group(Rank rank) const noexcept {
  return static_cast<int>(std::upper_bound(first_.begin(), first_.end(), rank) - first_.begin()) -
         1;
}

std::string NodeMarks::draw(double left, double top, double row, double begin, double end) const {
  if (!shown_) return {};
  std::string drawn;
  const double bracket = left + width_ - 6;
  for (std::size_t i = 0; i < first_.size(); ++i) {
    const double from = top + row * first_[i],
                 to = top + row * (i + 1 < first_.size() ? static_cast<double>(first_[i + 1])
                                                         : static_cast<double>(node_.size()));
    drawn += fmt::format(R"(<path d="M{:.1f},{:.1f} h-4 V{:.1f} h4" fill="none" stroke="#777"/>)",
                         bracket, from + 2, to - 2);
    drawn += svg::text(bracket - 8, (from + to) / 2 + 4,
                       fmt::format("node {}", node_[index(first_[i])]), svg::kTickLeft);
    if (i > 0) drawn += svg::line(begin, from, end, from, "#aab2bc");
  }
  return drawn;
}

std::string NodeMarks::legend(double left, double width, double& y) const {
  if (!shown_) return {};
  std::string drawn;
  y += 22;
  double x = left;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    const std::string name = i < kMostNamed ? fmt::format("node {}", names_[i]) : "…";
    const double size = 30 + svg::kLetter * svg::letters_of(name);
    if (x > left && x + size > left + width) x = left, y += 18;
    drawn += svg::rect(x, y - 10, 12, 12, fmt::format(R"(rx="6" fill="{}")", colour_of(i))) +
             svg::text(x + 17, y, name, R"(font-size="11")");
    x += size;
    if (i >= kMostNamed) break;
  }
  return drawn;
}

std::string NodeMarks::colour(Rank rank) const {
  return colour_of(static_cast<std::size_t>(
      std::find(names_.begin(), names_.end(), node_[index(rank)]) - names_.begin()));
}

std::string NodeMarks::colour_of(std::size_t place) const {
  return fmt::format("hsl({},55%,42%)", (210 + 300 * place / names_.size()) % 360);
}

}  // namespace tutti::tools
