// Makes typemaps, and joins pieces that follow each other.
#include "base/typemap.hpp"

namespace tutti {

TypemapBuilder::TypemapBuilder(Typemap& map) : map_(map) {
  map_.whole_ = {};
  map_.loops_.clear();
  map_.pending_.clear();
}

bool TypemapBuilder::take_place() noexcept {
  if (map_.loops_.size() + map_.pending_.size() >= kMostLoops) fits_ = false;
  return fits_;
}

Loop TypemapBuilder::repeat(const Loop& body, Bytes count, Bytes stride) {
  if (count == 0 || body.count == 0) return {};
  if (count == 1) return body;
  Bytes bytes = 0, reach = 0;
  if (__builtin_mul_overflow(count, body.size(), &bytes) ||
      __builtin_mul_overflow(count, stride, &reach))
    fits_ = false;
  if (!fits_) return {};
  if (Loop loop = body; join(loop, count, stride)) return loop;
  if (!take_place()) return {};
  Loop around{body.offset, count, stride, body.size()};
  around.first = static_cast<std::uint32_t>(map_.loops_.size());
  around.parts = 1;
  around.of_runs = body.parts == 0;
  map_.loops_.push_back(body);
  map_.loops_.back().offset = 0;
  return around;
}

// The last part of a sequence and the one before it, if they are the same at different places.
void TypemapBuilder::fold_last(std::size_t sequence) noexcept {
  std::vector<Loop>& all = map_.pending_;
  if (all.size() < sequence + 2) return;
  Loop& before = all[all.size() - 2];
  const Loop& last = all.back();
  const bool alike = last.count == 1 && last.each == before.each && last.parts == before.parts &&
                     last.first == before.first;
  Bytes distance = 0, reach = 0;
  if (!alike || __builtin_sub_overflow(last.offset, before.offset, &distance) ||
      __builtin_mul_overflow(before.count, before.stride, &reach))
    return;
  if (before.count == 1)
    before.stride = distance;
  else if (reach != distance)
    return;
  ++before.count;
  all.pop_back();
}

void TypemapBuilder::add(Loop part, Bytes offset, std::size_t sequence) {
  if (part.count == 0 || !fits_) return;
  if (__builtin_add_overflow(part.offset, offset, &part.offset)) {
    fits_ = false;
    return;
  }
  std::vector<Loop>& all = map_.pending_;
  if (all.size() > sequence && part.is_run() && all.back().is_run()) {
    Loop& last = all.back();
    Bytes next = 0;
    if (!__builtin_add_overflow(last.offset, last.each, &next) && next == part.offset) {
      last.each += part.each;
      return;
    }
  }
  fold_last(sequence);
  if (take_place()) all.push_back(part);
}

Loop TypemapBuilder::end(std::size_t sequence) {
  fold_last(sequence);
  std::vector<Loop>& all = map_.pending_;
  const auto begin = all.begin() + static_cast<std::ptrdiff_t>(sequence);
  Loop whole;
  if (all.size() == sequence + 1) {
    whole = *begin;
  } else if (all.size() > sequence) {
    whole.count = 1;
    whole.offset = begin->offset;
    whole.first = static_cast<std::uint32_t>(map_.loops_.size());
    whole.parts = static_cast<std::uint32_t>(all.size() - sequence);
    whole.of_runs = true;
    for (auto part = begin; part != all.end(); ++part) {
      if (__builtin_add_overflow(whole.each, part->size(), &whole.each) ||
          __builtin_sub_overflow(part->offset, whole.offset, &part->offset))
        fits_ = false;
      whole.of_runs = whole.of_runs && part->parts == 0;
    }
    map_.loops_.insert(map_.loops_.end(), begin, all.end());
  }
  all.resize(sequence);
  return fits_ ? whole : Loop{};
}

const Typemap& typemap_of_byte() noexcept {
  static const Typemap made = [] {
    Typemap map;
    TypemapBuilder(map).finish(TypemapBuilder::run(1));
    return map;
  }();
  return made;
}

}  // namespace tutti
