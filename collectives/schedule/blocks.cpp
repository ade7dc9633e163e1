// Where the parts begin. Pure.
#include "collectives/schedule/blocks.hpp"

#include <algorithm>

namespace tutti::collectives {

Blocks Blocks::even(const Slice& whole, int parts, Bytes element) {
  const Bytes elements = whole.length / element, each = elements / parts, longer = elements % parts;
  std::vector<Bytes> starts;
  starts.reserve(index(parts) + 1);
  for (Bytes i = 0; i < parts; ++i)
    starts.push_back(whole.offset + (i * each + std::min(i, longer)) * element);
  starts.push_back(whole.end());
  return {whole.buffer, std::move(starts)};
}

Blocks Blocks::sized(Buffer buffer, Bytes offset, std::span<const Bytes> lengths) {
  std::vector<Bytes> starts{offset};
  starts.reserve(lengths.size() + 1);
  for (const Bytes length : lengths) starts.push_back(starts.back() + length);
  return {buffer, std::move(starts)};
}

Blocks Blocks::at(const Slice& place) const {
  std::vector<Bytes> starts = starts_;
  for (Bytes& start : starts) start += place.offset - starts_.front();
  return {place.buffer, std::move(starts)};
}

std::vector<Bytes> Blocks::lengths() const {
  std::vector<Bytes> lengths;
  for (std::size_t i = 0; i + 1 < starts_.size(); ++i)
    lengths.push_back(starts_[i + 1] - starts_[i]);
  return lengths;
}

}  // namespace tutti::collectives
