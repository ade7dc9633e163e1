// A thread that runs a function of the program is known, and no other is taken for it.
#include "src/data/callback.hpp"

#include <catch2/catch.hpp>
#include <thread>

using tutti::Callback;

TEST_CASE("only the thread that runs a function of the program is said to", "[callback]") {
  const auto elsewhere = [] {
    bool runs = true;
    std::thread([&] { runs = Callback::runs_on_this_thread(); }).join();
    return runs;
  };
  CHECK_FALSE(Callback::runs_on_this_thread());
  {
    const Callback outer;
    CHECK(Callback::runs_on_this_thread());
    CHECK_FALSE(elsewhere());
    { const Callback inner; }
    CHECK(Callback::runs_on_this_thread());
  }
  CHECK_FALSE(Callback::runs_on_this_thread());
  CHECK_FALSE(elsewhere());
}
