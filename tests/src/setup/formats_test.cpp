// Formats of settings: which texts each takes and refuses, and how it shows a value.
#include "src/setup/formats.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <string>

using namespace tutti;

namespace {

enum class Colour { red, green };
constexpr std::array<Word<Colour>, 3> kColours{
    {{"red", Colour::red}, {"green", Colour::green}, {"1", Colour::green, true}}};

}  // namespace

TEST_CASE("a word is read, an alias, too, and anything else leaves the member alone", "[formats]") {
  using Format = Words<kColours>;
  Colour colour = Colour::red;
  CHECK(Format::read("green", colour).empty());
  CHECK(colour == Colour::green);
  CHECK(Format::show(colour) == "green");
  colour = Colour::red;
  CHECK(Format::read("1", colour).empty());
  CHECK(colour == Colour::green);
  CHECK(Format::read("blue", colour) == "takes one of red, green");
  CHECK(Format::read("", colour) == "takes one of red, green");
  CHECK(colour == Colour::green);
  CHECK(Format::type() == "red|green");
}

TEST_CASE("a number is taken up to both ends", "[formats]") {
  constexpr Number kFormat{-1, 7};
  int value = 3;
  CHECK(kFormat.read("-1", value).empty());
  CHECK(value == -1);
  CHECK(kFormat.read("7", value).empty());
  for (const char* wrong : {"-2", "8", "", "seven", "1k5", "99999999999999999999"}) {
    INFO(wrong);
    CHECK(kFormat.read(wrong, value) == "takes a number from -1 to 7");
    CHECK(value == 7);
  }
  CHECK(kFormat.type() == "number, -1 to 7");
  CHECK(Number{0, 31, Unit::exponent}.type() == "exponent, 0 to 31");
  CHECK(Number{1, 60, Unit::milliseconds}.type() == "milliseconds, 1 to 60");
  CHECK(Number{1, 60, Unit::milliseconds}.read("x", value) ==
        "takes a number of milliseconds (such as 1500 for 1.5 s) from 1 to 60");
}

TEST_CASE("a size has a suffix or none", "[formats]") {
  constexpr Size kFormat{64, 65536};
  Bytes value = 0;
  CHECK(kFormat.read("4k", value).empty());
  CHECK(value == 4096);
  CHECK(kFormat.read("63", value) ==
        "takes a size in bytes (such as 4k or 32 KiB) from 64 to 65536");
  CHECK(value == 4096);
  CHECK(kFormat.type() == "bytes, 64 to 64k");
  CHECK(Size{0, 1ll << 50}.type() == "bytes, 0 to 1024T");
  CHECK(Size{1025, 3 << 20}.type() == "bytes, 1025 to 3M");
}

TEST_CASE("slots are a power of two", "[formats]") {
  int value = 0;
  CHECK(Slots::read("64", value).empty());
  CHECK(value == 64);
  CHECK(Slots::read("48", value) == "takes a power of two from 1 to 64");
  CHECK(Slots::read("128", value) == "takes a number from 1 to 64");
  CHECK(value == 64);
}

TEST_CASE("a partition key is shown with the bit of full members", "[formats]") {
  int key = 0;
  CHECK(PartitionKey::read("0x0001", key).empty());
  CHECK(PartitionKey::show(key) == "0x8001");
  CHECK(PartitionKey::show(0) == "0x0");
  for (const char* wrong : {"0x8000", "0x10000", "-1", "key", "0x"})
    CHECK_FALSE(PartitionKey::read(wrong, key).empty());
  CHECK(key == 1);
}

TEST_CASE("a packet has a size of InfiniBand", "[formats]") {
  int bytes = 0;
  CHECK(PacketBytes::read("2048", bytes).empty());
  for (const char* wrong : {"128", "1000", "8192", "2k"})
    CHECK_FALSE(PacketBytes::read(wrong, bytes).empty());
  CHECK(bytes == 2048);
  CHECK(PacketBytes::read("0", bytes).empty());
}

TEST_CASE("a list names each device once", "[formats]") {
  std::string devices = "before";
  CHECK(DeviceList::read("rxe0,rxe1", devices).empty());
  CHECK(DeviceList::read("rxe0,rxe1,rxe0", devices) ==
        "takes a list that names each device once (rxe0 is in it twice)");
  CHECK(devices == "rxe0,rxe1");
}
