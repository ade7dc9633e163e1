// Words for people, in lines.
#include "tools/text.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

using namespace tutti::tools;
using Lines = std::vector<std::string>;

TEST_CASE("lines end at blanks, and within long words behind commas", "[text]") {
  CHECK(lines_of("", 10).empty());
  CHECK(lines_of("one two three", 100) == Lines{"one two three"});
  CHECK(lines_of("one two three", 7) == Lines{"one two", "three"});
  CHECK(lines_of("one two three", 8) == Lines{"one two", "three"});
  CHECK(lines_of("a tree(within=x,across=y), 8 ranks", 16) ==
        Lines{"a tree(within=x,", "across=y), 8", "ranks"});
  CHECK(lines_of("a  b", 10) == Lines{"a  b"});
  CHECK(lines_of("  abc   def ", 3) == Lines{"abc", "def"});
  CHECK(lines_of(std::string(25, 'x'), 10) ==
        Lines{std::string(10, 'x'), std::string(10, 'x'), std::string(5, 'x')});
  CHECK(lines_of("äöü äöü", 7) == Lines{"äöü äöü"});  // letters, not bytes
  CHECK(lines_of("äöüß", 3) == Lines{"äöü", "ß"});
  CHECK(lines_of("ab", 0) == Lines{"a", "b"});
}

TEST_CASE("sizes have units", "[text]") {
  CHECK(size_text(0) == "0 B");
  CHECK(size_text(1023) == "1023 B");
  CHECK(size_text(1024) == "1 KiB");
  CHECK(size_text(1025) == "1025 B");
  CHECK(size_text(1LL << 30) == "1 GiB");
  CHECK(size_text(1LL << 60) == "1048576 TiB");
  CHECK(about_size_text(1025) == "1.001 KiB");
  CHECK(about_size_text(1e12) == "931.3 GiB");
  CHECK(about_size_text(7) == "7 B");
  CHECK(with_units("chain(segment=65536)") == "chain(segment=64 KiB)");
  CHECK(with_units("hierarchical(segment=1000,within=binary)") ==
        "hierarchical(segment=1000 B,within=binary)");
  CHECK(with_units("bruck(k=3)") == "bruck(k=3)");
  for (const char* const odd : {"", "segment=", "x(segment=", "x(segment=9q)"})
    CHECK(with_units(odd) == odd);
  CHECK(ranges_text({0, 1, 2, 5, 7, 8}) == "0-2,5,7-8");
  CHECK(ranges_text({}).empty());
}

TEST_CASE("the first line of a paragraph may begin further left", "[text]") {
  CHECK(paragraph("one two three four", 4, 2, 10) == "  one two\n    three\n    four\n");
  CHECK(paragraph("one two", 3) == "   one two\n");
  CHECK(paragraph("", 3).empty());
  for (std::size_t width = 8; width < 40; ++width) {
    std::string text = paragraph("it is " + std::string(50, 'x') + ",y;z in a,b,c,d", 6, 2, width);
    for (std::size_t end; (end = text.find('\n')) != text.npos; text.erase(0, end + 1))
      CHECK(end <= width);
  }
}
