// Runs of all widths, each beside a copy byte by byte.
#include "base/equal_runs.hpp"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <vector>

using namespace tutti;

namespace {

// Runs whose strides leave gaps of `gap` bytes, on either side; backwards: the first one lies last.
struct Strides {
  Bytes stride, count;

  Strides(Bytes width, Bytes gap, Bytes times, bool backwards)
      : stride(backwards ? -width - gap : width + gap), count(times) {}
  std::size_t bytes() const { return static_cast<std::size_t>(std::abs(stride) * (count + 1)); }
  Bytes first() const { return stride < 0 ? -stride * count : 1; }  // an odd address, or not
};

}  // namespace

TEST_CASE("each run comes to its place, and no other byte changes", "[equal runs]") {
  for (Bytes width = 1; width <= 700; width += width < 140 ? 1 : 31)
    for (const Bytes count : {0, 1, 2, 3, 4, 5, 9})
      for (const Bytes gap : {0, 1, 64})
        for (const bool backwards : {false, true}) {
          CAPTURE(width, count, gap, backwards);
          const Strides out(width, gap, count, backwards),
              in(width, 3, count, !backwards && gap == 1);
          std::vector<std::byte> from(out.bytes() + 2), to(in.bytes() + 2, std::byte{0xAA});
          for (std::size_t i = 0; i < from.size(); ++i)
            from[i] = static_cast<std::byte>(i * 7 + i / 256);
          auto wanted = to;
          for (Bytes i = 0; i < count; ++i)
            for (Bytes at = 0; at < width; ++at)
              wanted[static_cast<std::size_t>(in.first() + i * in.stride + at)] =
                  from[static_cast<std::size_t>(out.first() + i * out.stride + at)];
          copy_equal_runs({to.data() + in.first(), in.stride, from.data() + out.first(), out.stride,
                           width, count});
          REQUIRE(to == wanted);
        }
}

TEST_CASE("runs of the source may overlap, or be one", "[equal runs]") {
  std::vector<std::byte> from(1000);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<std::byte>(i * 7 + i / 256);
  for (const Bytes width : {1, 7, 8, 16, 20, 32, 64, 100, 600})
    for (const Bytes stride : {0, 1, 5}) {
      CAPTURE(width, stride);
      constexpr Bytes kCount = 9;
      std::vector<std::byte> to(static_cast<std::size_t>(width * kCount));
      copy_equal_runs({to.data(), width, from.data(), stride, width, kCount});
      for (Bytes i = 0; i < kCount; ++i)
        for (Bytes at = 0; at < width; ++at)
          REQUIRE(to[static_cast<std::size_t>(i * width + at)] ==
                  from[static_cast<std::size_t>(i * stride + at)]);
    }
}
