// A forked child releases what the handlers that live hold, and its parent nothing.
#include "base/fork_handler.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <optional>

using tutti::ForkHandler;

namespace {

void count_release(void* releases) noexcept { ++*static_cast<int*>(releases); }

// Calls `find` in a forked child, and returns its result; 0 to 99.
template <class Find>
int in_forked_child(Find&& find) {
  const pid_t child = fork();
  if (child == 0) _exit(find());
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 100;
}

}  // namespace

TEST_CASE("each handler that lives releases its object once in a child", "[fork-handler]") {
  int first = 0, second = 0, third = 0;
  const auto released = [&] { return first + 10 * second + 40 * third; };
  std::optional<ForkHandler> one(std::in_place, count_release, &first);
  std::optional<ForkHandler> two(std::in_place, count_release, &second);
  std::optional<ForkHandler> three(std::in_place, count_release, &third);
  CHECK(in_forked_child(released) == 51);
  CHECK(in_forked_child([&] { return in_forked_child(released); }) == 51);  // not once more
  two.reset();
  CHECK(in_forked_child(released) == 41);
  three.reset();
  CHECK(in_forked_child(released) == 1);
  one.reset();
  CHECK(in_forked_child(released) == 0);
  CHECK(released() == 0);
}

TEST_CASE("a child may have handlers of its own", "[fork-handler]") {
  int before = 0, own = 0;
  const ForkHandler handler(count_release, &before);
  CHECK(in_forked_child([&] {
          const ForkHandler inner(count_release, &own);
          return in_forked_child([&] { return before + 10 * own; });
        }) == 11);
}
