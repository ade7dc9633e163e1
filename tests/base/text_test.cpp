// Numbers and sizes in the forms that users may write, and texts that are shown to them.
#include "base/text.hpp"

#include <catch2/catch.hpp>
#include <string>

using namespace tutti;

TEST_CASE("blanks at both ends are taken off", "[text]") {
  CHECK(trimmed(" \ta b\r\n") == "a b");
  CHECK(trimmed("ab") == "ab");
  CHECK(trimmed(" \t ").empty());
  CHECK(trimmed("").empty());
}

TEST_CASE("one thing has no plural", "[text]") {
  CHECK(counted(0, "node") == "0 nodes");
  CHECK(counted(1, "node") == "1 node");
  CHECK(counted(std::size_t{2}, "node") == "2 nodes");
}

TEST_CASE("what a user wrote stands in one line", "[text]") {
  CHECK(in_one_line("it's \"ä\" \\ ") == "it's \"ä\" \\ ");
  CHECK(in_one_line("a\nb\tc\x1b[1m\x7f") == "a\\nb\\tc\\x1b[1m\\x7f");
}

TEST_CASE("numbers are whole and decimal, and nothing stands beside them", "[text]") {
  CHECK(parse_number("0") == 0);
  CHECK(parse_number("-17") == -17);
  CHECK(parse_number("9223372036854775807") == 9223372036854775807);
  for (const char* wrong : {"", "-", "+1", " 1", "1 ", "1.5", "1e3", "0x10", "64k", "many",
                            "9223372036854775808", "-9223372036854775809"}) {
    INFO(wrong);
    CHECK_FALSE(parse_number(wrong));
  }
}

TEST_CASE("decimal numbers are finite, and nothing stands beside them", "[text]") {
  CHECK(parse_decimal("0") == 0);
  CHECK(parse_decimal("0.4") == 0.4);
  CHECK(parse_decimal("-1e-4") == -1e-4);
  for (const char* wrong : {"", "+1", " 1", "1 ", "1,5", "0x10", "nan", "inf", "1e999", "1us"}) {
    INFO(wrong);
    CHECK_FALSE(parse_decimal(wrong));
  }
}

TEST_CASE("sizes take powers of 1024 as units, and no others", "[text]") {
  CHECK(parse_size("0") == 0);
  CHECK(parse_size("1") == 1);
  CHECK(parse_size("64k") == 64 << 10);
  CHECK(parse_size("64K") == 64 << 10);
  CHECK(parse_size("3M") == 3 << 20);
  CHECK(parse_size("2G") == Bytes{2} << 30);
  CHECK(parse_size("5T") == Bytes{5} << 40);
  for (const char* unit : {"m", "M", "mb", "MB", "MiB", "mib", " M", " MiB ", "\tMB"}) {
    INFO(unit);
    CHECK(parse_size("64" + std::string(unit)) == 64 << 20);
  }
  CHECK(parse_size("64B") == 64);
  CHECK(parse_size("64 kB") == 64 << 10);
  CHECK(parse_size("-1k") == -1024);
  CHECK(parse_size("9223372036854775807") == 9223372036854775807);
  CHECK(parse_size("8589934591G") == Bytes{8589934591} << 30);
  CHECK(parse_size("-8589934591G") == -(Bytes{8589934591} << 30));
  for (const char* wrong :
       {"", "k", "64kk", "64iB", "64i", "64ki", "64P", "64Bk", "64k 1", " 64k", "64bit", "0x10",
        "+1", "1.5k", "1e3", "9223372036854775808", "8589934592G", "-8589934592G"}) {
    INFO(wrong);
    CHECK_FALSE(parse_size(wrong));
  }
}
