// The message of an error, as tutti_last_error_message() gives it, and the words of each code.
#include <set>
#include <thread>

#include "tests/src/api/one_rank.hpp"

using namespace tutti;

namespace {

std::string message_after(const std::string& thrown) {
  CHECK(guard([&](Library&) { throw Error(Code::bad_count, thrown); }) == TUTTI_ERR_COUNT);
  return tutti_last_error_message();
}

}  // namespace

TEST_CASE("the last message is that of the last error, in one line") {
  CHECK(message_after("first") == "first");
  CHECK(message_after("one\nline").find('\n') == std::string::npos);
  CHECK(guard([](Library&) { throw std::bad_alloc(); }) == TUTTI_ERR_NO_MEMORY);
  CHECK(tutti_last_error_message() == std::string(kOutOfMemory));
  CHECK(guard([](Library&) {}) == TUTTI_SUCCESS);
  CHECK(tutti_last_error_message() == std::string(kOutOfMemory));
}

TEST_CASE("each thread has a message of its own") {
  message_after("of this thread");
  std::string other = "not asked";
  std::thread([&] { other = tutti_last_error_message(); }).join();
  CHECK(other.empty());
  CHECK(tutti_last_error_message() == std::string("of this thread"));
}

TEST_CASE("a message that is too long is cut between two characters") {
  // Two bytes each, so that either start falls into the midst of one.
  for (const std::string& start : {std::string(), std::string("x")}) {
    std::string text = start;
    while (text.size() < 5000) text += "é";
    const std::string message = message_after(text);
    CHECK(message.size() >= 2000);
    CHECK(message.size() < text.size());
    CHECK((message.size() - start.size()) % 2 == 0);
    CHECK(text.compare(0, message.size(), message) == 0);
  }
}

TEST_CASE("each code has words of its own, and what is no code is said to be none") {
  std::set<std::string> words;
  for (int code = TUTTI_SUCCESS; code <= TUTTI_ERR_REQUEST; ++code)
    CHECK(words.insert(tutti_error_string(code)).second);
  for (const int code : {-1, TUTTI_ERR_REQUEST + 1, 1 << 30})
    CHECK(tutti_error_string(code) == std::string("not an error code of Tutti"));
}
