// A range of bytes cut into parts.
#include "collectives/schedule/blocks.hpp"

#include <catch2/catch.hpp>

using namespace tutti;
using namespace tutti::collectives;

TEST_CASE("even parts: nearly equal, indexed modulo their number") {
  const Blocks part = Blocks::even({Buffer::output, 0, 11}, 4);
  CHECK(part[0] == Slice{Buffer::output, 0, 3});
  CHECK(part[-1] == Slice{Buffer::output, 9, 2});
  CHECK(part[6] == part[2]);
  CHECK(part.range(5, 3) == Slice{Buffer::output, 3, 8});
  CHECK(part.wraps(3, 2));
  CHECK_FALSE(part.wraps(3, 1));
}

TEST_CASE("even parts are never cut within an element, and the last takes what is none") {
  const Blocks part = Blocks::even({Buffer::input, 100, 31}, 3, 4);
  CHECK(part.lengths() == std::vector<Bytes>{12, 8, 11});
  CHECK(part[1] == Slice{Buffer::input, 112, 8});
  CHECK(part.whole() == Slice{Buffer::input, 100, 31});
  // More parts than elements: some are empty.
  CHECK(Blocks::even({Buffer::input, 0, 8}, 4, 4).lengths() == std::vector<Bytes>{4, 4, 0, 0});
  CHECK(Blocks::even({Buffer::input, 0, 8}, 4, 4).filled() == 2);
  CHECK(Blocks::even({Buffer::input, 0, 9}, 4, 4).filled() == 4);  // the last has a byte
  CHECK(Blocks::even({Buffer::input, 0, 0}, 4, 4).filled() == 0);
  CHECK(part.filled() == 3);
}

TEST_CASE("sized parts lie one after another") {
  const std::vector<Bytes> lengths{5, 0, 7};
  const Blocks part = Blocks::sized(Buffer::scratch, 2, lengths);
  CHECK(part.parts() == 3);
  CHECK(part.lengths() == lengths);
  CHECK(part[1] == Slice{Buffer::scratch, 7, 0});
  CHECK(part[2] == Slice{Buffer::scratch, 7, 7});
  CHECK(part.whole() == Slice{Buffer::scratch, 2, 12});
}

TEST_CASE("the bytes of some parts are counted around the end") {
  const Blocks part = Blocks::sized(Buffer::output, 0, std::vector<Bytes>{1, 2, 4, 8});
  CHECK(part.bytes(0, 4) == 15);
  CHECK(part.bytes(3, 2) == 9);
  CHECK(part.bytes(2, 4) == 15);
  CHECK(part.bytes(-1, 1) == 8);
}

TEST_CASE("the same parts elsewhere keep their lengths") {
  const Blocks part = Blocks::sized(Buffer::input, 3, std::vector<Bytes>{4, 6});
  const Blocks moved = part.at({Buffer::scratch, 64, 10});
  CHECK(moved[0] == Slice{Buffer::scratch, 64, 4});
  CHECK(moved[1] == Slice{Buffer::scratch, 68, 6});
  CHECK(moved.lengths() == part.lengths());
}
