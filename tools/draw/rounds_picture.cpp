// The picture of rounds. Rounds that repeat stand there once if there is no room for all of them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/text.hpp"
#include "tools/drawing/nodes.hpp"
#include "tools/draw/picture.hpp"
#include "tools/draw/rounds.hpp"
#include "tools/drawing/svg.hpp"
#include "tools/text.hpp"

namespace tutti::tools {
namespace {

constexpr std::size_t kMostColumns = 128;
constexpr std::string_view kRoundsNote =
    "messages of a round need not wait for each other, and a rank sends another rank at most one "
    "of "
    "them; a line leaves its sender on the left, whose colour it has";
constexpr double kRoundsLeft = 20, kRoundsNames = 54, kRoundsRight = 30, kRoundsBottom = 34;
constexpr double kNarrowest = 11;     // of a column
constexpr double kRoundsWidth = 960;  // up to which each round has a column, as wide as its labels

std::string name_of(const RoundColumn& column, bool short_of_room) {
  if (short_of_room && column.first == column.last) return std::to_string(column.first);
  if (short_of_room) return fmt::format("{}–{}", column.first, column.last);
  if (column.first == column.last) return fmt::format("round {}", column.first);
  return fmt::format("rounds {} to {}", column.first, column.last);
}

// "8 KiB", "12 B to 1 KiB".
std::string sizes_text(Bytes least, Bytes most) {
  if (least == most) return size_text(least);
  return fmt::format("{} to {}", size_text(least), size_text(most));
}

// "64 × 1 KiB", of several rounds "each 64 × 1 KiB": how many messages a round has, and how long
// they are.
std::string summary_of(const RoundColumn& column) {
  const std::size_t count = column.messages.size();
  const char* const each = column.first == column.last ? "" : "each ";
  if (column.most == 0) return each + counted(count, "signal");
  return fmt::format("{}{} × {}", each, count, sizes_text(column.least, column.most));
}

std::string colour_of(Rank rank, int P) { return fmt::format("hsl({},62%,44%)", rank * 300 / P); }

class RoundsPainter {
 public:
  explicit RoundsPainter(const Drawn& what)
      : what_(what),
        P_(static_cast<int>(what.schedules.size())),
        columns_(rounds_of(what.schedules)),
        row_(std::clamp(640. / P_, 13., 42.)),
        nodes_(what.node),
        left_(kRoundsLeft + nodes_.width() + kRoundsNames) {
    if (width_of_labels() > kRoundsWidth) join_alike(columns_);
    crowded_ = width_of_labels() > 1.5 * kRoundsWidth;
    if (columns_.size() > kMostColumns)
      throw Error(Code::bad_configuration,
                  fmt::format("it has {} different rounds, and a picture at most {}; take fewer "
                              "ranks or longer segments",
                              columns_.size(), kMostColumns));
    const double count = columns();
    const double label = width_of_labels() / count;
    // Rounds without room for their numbers are narrow: only some of them have theirs.
    const bool narrow = crowded_ && label * count > 1.5 * kRoundsWidth;
    column_ = narrow ? std::max(1.5 * kRoundsWidth / count, kNarrowest)
                     : std::max(std::min(kRoundsWidth / count, 220.), label);
    labelled_each_ = static_cast<int>(std::ceil(label / column_ - 0.01));
    // A picture of few rounds is as wide as its title.
    column_ = std::max(column_, (kRoundsLeast - left_ - kRoundsRight) / count);
  }

  std::string draw() {
    const double right = x(columns());
    const svg::Head head =
        svg::head(kRoundsLeft, right - kRoundsLeft, what_.title, std::string(kRoundsNote) + note());
    top_ = head.bottom + 60;
    return svg::document(right + kRoundsRight, y(P_ - 0.5) + kRoundsBottom,
                         head.drawn + ranks() + drawn_columns() + dots());
  }

 private:
  static constexpr double kRoundsLeast = 560;
  double columns() const { return std::max(1., static_cast<double>(columns_.size())); }
  double x(double column) const { return left_ + column_ * column; }
  double y(double rank) const { return top_ + row_ * (rank + 0.5); }

  double width_of_labels() const {
    double widest = crowded_ ? 30 : 84;
    for (const RoundColumn& column : columns_) {
      widest = std::max(widest, 12 + svg::kLetter * svg::letters_of(name_of(column, crowded_)));
      if (!crowded_) widest = std::max(widest, 12 + 5.8 * svg::letters_of(summary_of(column)));
    }
    return widest * static_cast<double>(columns_.size());
  }

  // The note below: about nodes, and words for which the columns have no room.
  std::string note() const {
    std::string nodes = nodes_.shown() ? "; thick lines go to other nodes" : "";
    if (!crowded_) return nodes;
    Bytes least = columns_[0].least, most = columns_[0].most;
    for (const RoundColumn& column : columns_) {
      least = std::min(least, column.least);
      most = std::max(most, column.most);
    }
    return most == 0 ? nodes : fmt::format("{}; messages of {}", nodes, sizes_text(least, most));
  }

  std::string ranks() const {
    std::string drawn = svg::text(left_ - 22, top_ - 6, "rank", svg::kTickLeft);
    if (crowded_) drawn += svg::text(left_ - 22, top_ - 26, "round", svg::kTickLeft);
    for (Rank rank = 0; rank < P_; ++rank) {
      drawn += svg::line(x(0), y(rank), x(columns()), y(rank), "#e3e7eb");
      drawn += svg::text(left_ - 22, y(rank) + 4, std::to_string(rank),
                         row_ < 14 ? R"(font-size="9" text-anchor="end")" : svg::kTickLeft);
    }
    return drawn + nodes_.draw(kRoundsLeft, top_, row_, left_ - 14, x(columns()));
  }

  // The last one always has its number, and none that would meet it.
  bool has_number(int place) const {
    const int last = static_cast<int>(columns_.size()) - 1;
    return place == last || (place % labelled_each_ == 0 && place + labelled_each_ <= last);
  }

  std::string drawn_columns() const {
    std::string drawn;
    int place = 0;
    for (const RoundColumn& column : columns_) {
      if (has_number(place))
        drawn += svg::text(x(place + 0.5), top_ - 26, name_of(column, crowded_), svg::kTick);
      if (!crowded_)
        drawn += svg::text(x(place + 0.5), top_ - 10, summary_of(column),
                           R"(font-size="10" text-anchor="middle" fill="#555")");
      for (const RoundMessage& message : column.messages) drawn += line_of(message, column, place);
      ++place;
    }
    return drawn + "\n";
  }

  std::string line_of(const RoundMessage& message, const RoundColumn& column, int place) const {
    const bool one = column.first == column.last;
    const std::string tip =
        fmt::format("{}: rank {} to rank {}, {}", name_of(column, false), message.from, message.to,
                    one ? size_text(message.bytes) : sizes_text(column.least, column.most));
    return fmt::format(R"(<line x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}" stroke="{}" )"
                       R"(stroke-width="{}" stroke-opacity="0.8"><title>{}</title></line>)",
                       x(place), y(message.from), x(place + 1), y(message.to),
                       colour_of(message.from, P_), width_of(message), svg::escaped(tip));
  }

  double width_of(const RoundMessage& message) const {
    return (P_ > 24 ? 1.1 : 1.8) * (nodes_.apart(message.from, message.to) ? 1.6 : 1);
  }

  std::string dots() const {
    std::string drawn;
    for (Rank rank = 0; rank < P_; ++rank)
      for (std::size_t i = 0; i <= columns_.size(); ++i)
        drawn += fmt::format(R"(<circle cx="{:.1f}" cy="{:.1f}" r="{:.1f}" fill="{}"/>)",
                             x(static_cast<double>(i)), y(rank),
                             std::min({5., row_ / 3.4, column_ / 4}), colour_of(rank, P_));
    return drawn;
  }

  const Drawn& what_;
  const int P_;
  std::vector<RoundColumn> columns_;
  const double row_;
  const NodeMarks nodes_;
  const double left_;
  double column_ = 0, top_ = 0;
  int labelled_each_ = 1;  // of so many columns one has its number
  bool crowded_ = false;   // no column has room for more than its round's number
};

}  // namespace

std::string draw_rounds(const Drawn& what) { return RoundsPainter{what}.draw(); }

}  // namespace tutti::tools
