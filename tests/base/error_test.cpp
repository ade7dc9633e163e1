// Codes and what they mean.
#include "base/error.hpp"

#include <catch2/catch.hpp>
#include <set>

using namespace tutti;

TEST_CASE("each code has words of its own, and a number that is no code has none") {
  std::set<std::string> words;
  int codes = 0;
  for (int code = 0; code < 100; ++code) {
    const char* const text = text_of(static_cast<Code>(code));
    if (!text) continue;
    ++codes;
    CHECK(words.insert(text).second);
  }
  CHECK(codes == static_cast<int>(Code::bad_request) + 1);  // they follow each other, from 0
  CHECK(text_of(static_cast<Code>(-1)) == nullptr);
}

TEST_CASE("an error says what happened, at which peer, and what the system said") {
  const Error error(Code::peer_failed, "rank 3 has died", 3, 104);
  CHECK(error.what() == std::string("rank 3 has died"));
  CHECK(error.peer == 3);
  CHECK(error.system_errno == 104);
  CHECK(Error(Code::system, "x").peer == kNoPeer);
}

TEST_CASE("what a user wrote wrong is one kind of error") {
  try {
    bad_configuration("no such setting");
    FAIL("nothing is thrown");
  } catch (const Error& error) {
    CHECK(error.code == Code::bad_configuration);
    CHECK(error.message == "no such setting");
  }
}
