// Bytes that lie with gaps between runs of them, and a view of them, for tests of what packs on the
// way.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "base/index.hpp"
#include "base/packed_view.hpp"

namespace tutti::tests {

class TypedMemory {
 public:
  // `bytes` bytes in equal runs as long as `width` at most, the last run first if `backwards`: then
  // the view has three parts.
  explicit TypedMemory(Bytes bytes, Bytes width = 24, bool backwards = false)
      : width_(bytes % width == 0 ? width : 1),
        runs_(bytes / width_),
        stride_(width_ + 3),
        backwards_(backwards),
        memory_(index(runs_ * stride_), kGap),
        room_(index(bytes), std::byte{0x55}) {
    TypemapBuilder(map_).finish(TypemapBuilder::run(width_));
    if (backwards && runs_ >= 3) {
      const Bytes bounds[] = {0, runs_ / 3, runs_ / 2 + 1, runs_};
      for (int i = 0; i < 3; ++i)
        parts_.push_back({runs(bounds[i], bounds[i + 1]), bounds[i] * width_});
      view_.emplace(parts_, room_.data());
    } else {
      view_.emplace(runs(0, runs_), room_.data());
    }
  }
  TypedMemory(const TypedMemory&) = delete;
  TypedMemory& operator=(const TypedMemory&) = delete;

  PackedView* view() { return &*view_; }
  std::byte* room() { return room_.data(); }
  void set(std::span<const std::byte> values) {
    for (std::size_t i = 0; i < values.size(); ++i)
      memory_[index(place(static_cast<Bytes>(i)))] = values[i];
  }
  void fill(std::byte value) { set(std::vector(room_.size(), value)); }
  std::vector<std::byte> values() const {
    std::vector<std::byte> all(room_.size());
    for (std::size_t i = 0; i < all.size(); ++i)
      all[i] = memory_[index(place(static_cast<Bytes>(i)))];
    return all;
  }
  bool gaps_are_untouched() const {
    std::size_t gaps = 0;
    for (Bytes run = 0; run < runs_; ++run)
      gaps += static_cast<std::size_t>(std::count(memory_.begin() + run * stride_ + width_,
                                                  memory_.begin() + (run + 1) * stride_, kGap));
    return gaps == index(runs_ * (stride_ - width_));
  }

 private:
  static constexpr std::byte kGap{0x99};
  Bytes place(Bytes i) const {
    const Bytes run = i / width_;
    return (backwards_ ? runs_ - 1 - run : run) * stride_ + i % width_;
  }
  TypedBytes runs(Bytes begin, Bytes end) {
    return {map_, memory_.data() + place(begin * width_), end - begin,
            backwards_ ? -stride_ : stride_};
  }
  const Bytes width_, runs_, stride_;
  const bool backwards_;
  Typemap map_;
  std::vector<std::byte> memory_, room_;
  std::vector<PackedView::Part> parts_;
  std::optional<PackedView> view_;
};

}  // namespace tutti::tests
