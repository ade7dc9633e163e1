// Computes where the parts of a buffer begin. Pure.
#include "collectives/schedule/blocks.hpp"

namespace tutti::collectives {

Blocks Blocks::even(const Slice& whole, int parts, Bytes element) {
  Blocks blocks{whole.buffer, whole.offset, parts};
  const Bytes elements = whole.length / element;
  blocks.length_ = whole.length;
  blocks.each_ = elements / parts;
  blocks.longer_ = elements % parts;
  blocks.element_ = element;
  return blocks;
}

Blocks Blocks::sized(Buffer buffer, Bytes offset, std::span<const Bytes> lengths) {
  Blocks blocks{buffer, offset, static_cast<int>(lengths.size())};
  blocks.starts_.reserve(lengths.size() + 1);
  blocks.starts_.push_back(0);
  for (const Bytes length : lengths) blocks.starts_.push_back(blocks.starts_.back() + length);
  return blocks;
}

Blocks Blocks::at(const Slice& place) const {
  Blocks moved = *this;
  moved.buffer_ = place.buffer;
  moved.offset_ = place.offset;
  return moved;
}

std::vector<Bytes> Blocks::lengths() const {
  std::vector<Bytes> lengths;
  lengths.reserve(index(parts_));
  for (int part = 0; part < parts_; ++part) lengths.push_back(start(part + 1) - start(part));
  return lengths;
}

}  // namespace tutti::collectives
