// Finds out whether two buffers share bytes, and whether blocks of one do.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "base/error.hpp"
#include "src/data/buffers.hpp"

namespace tutti {

Blocked::Span Blocked::span_of(const Piece& piece) const noexcept {
  const Layout& layout = layout_of(piece);
  const auto base = reinterpret_cast<std::uintptr_t>(user_) +
                    static_cast<std::uintptr_t>(piece.offset + layout.lower);
  const Bytes last = layout.extent * (piece.count - 1);
  return {base + static_cast<std::uintptr_t>(std::min<Bytes>(0, last)),
          base + static_cast<std::uintptr_t>(std::max<Bytes>(0, last) + layout.true_extent),
          layout.size == layout.true_extent && (piece.count == 1 || layout.extent == layout.size)};
}

Blocked::Span Blocked::span() const noexcept {
  const auto begin = reinterpret_cast<std::uintptr_t>(direct_);
  if (direct_) return {begin, begin + static_cast<std::uintptr_t>(total_), true};
  Span all{UINTPTR_MAX, 0, false};
  for (const Piece& piece : pieces()) {
    if (piece.bytes == 0) continue;
    const Span span = span_of(piece);
    all = {std::min(all.begin, span.begin), std::max(all.end, span.end), false};
  }
  return all;
}

void Blocked::must_not_share(const Blocked& other, const char* remedy) const {
  if (shares(other))
    throw Error(Code::buffers_overlap,
                fmt::format("the send and the receive buffer share bytes; {}", remedy));
}

// Whether a span of a piece here and one of the other `meet`, which is asked of all that may share
// addresses.
template <class Meet>
bool Blocked::any_meet(const Blocked& other, Meet&& meet) const {
  const auto each = [&](const Blocked& b, auto&& visit) {
    if (b.direct_) return visit(b.span());
    for (const Piece& piece : b.pieces())
      if (piece.bytes > 0) visit(b.span_of(piece));
  };
  if (direct_ || counts_.empty()) {  // one span, and no memory for it
    bool found = false;
    each(*this, [&](const Span& mine) {
      each(other, [&](const Span& theirs) { found |= meet(mine, theirs); });
    });
    return found;
  }
  std::vector<Span> mine;
  each(*this, [&](const Span& s) { mine.push_back(s); });
  std::sort(mine.begin(), mine.end(),
            [](const Span& a, const Span& b) { return a.begin < b.begin; });
  bool found = false;
  each(other, [&](const Span& theirs) {
    // Pieces may interleave, so all of mine that begin before its end are asked: mostly one or two.
    for (const Span& s : mine) {
      if (s.begin >= theirs.end) break;
      found |= meet(s, theirs);
    }
  });
  return found;
}

bool Blocked::shares(const Blocked& other) const {
  if (total_ == 0 || other.total_ == 0) return false;
  if (direct_ && other.direct_)  // the usual case
    return direct_ < other.direct_ + other.total_ && other.direct_ < direct_ + total_;
  // Data with gaps may lie in the gaps of the other: an error only for certain, as those that begin
  // alike.
  return any_meet(other, [&](const Span& a, const Span& b) {
    return a.begin < b.end && b.begin < a.end &&
           ((a.dense && b.dense) || (a.begin == b.begin && type_ == other.type_));
  });
}

bool Blocked::reaches_into(const Blocked& other) const {
  if (total_ == 0 || other.total_ == 0) return false;
  const auto meet = [](const Span& a, const Span& b) { return a.begin < b.end && b.begin < a.end; };
  return meet(span(), other.span()) && any_meet(other, meet);
}

// Blocks with gaps may lie in the gaps of others, as far as is known of types that differ.
void Blocked::dense_blocks_must_not_overlap() const {
  std::vector<Span> dense;
  for (const Piece& piece : pieces_)
    if (const Span span = piece.bytes > 0 ? span_of(piece) : Span{}; span.dense)
      dense.push_back(span);
  std::sort(dense.begin(), dense.end(),
            [](const Span& a, const Span& b) { return a.begin < b.begin; });
  for (std::size_t i = 1; i < dense.size(); ++i)
    if (dense[i].begin < dense[i - 1].end)
      throw Error(
          Code::bad_displacement,
          fmt::format("two blocks of `{}` overlap; their displacements are in bytes", name_));
}

void Blocked::must_not_overlap() const {
  if (as_is() || counts_.empty()) return;
  if (has_own_types()) return dense_blocks_must_not_overlap();
  std::vector<std::pair<Bytes, Bytes>> spans;
  for (const Piece& piece : pieces_)
    if (piece.bytes > 0)
      spans.push_back({piece.offset, piece.offset + (layout_.extent >= layout_.true_extent
                                                         ? piece.count * layout_.extent
                                                         : 0)});
  // Elements that reach into each other may be meant to; not so blocks at the same place.
  std::sort(spans.begin(), spans.end());
  for (std::size_t i = 1; i < spans.size(); ++i)
    if (spans[i].first < spans[i - 1].second || spans[i].first == spans[i - 1].first)
      throw Error(Code::bad_displacement,
                  fmt::format("two blocks of `{}` overlap; their displacements, in extents of the "
                              "type, must leave room for the counts",
                              name_));
}

}  // namespace tutti
