// The first failure of a link stays, whoever tells it, and nothing makes a failed link well.
#include "transport/link_state.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <thread>
#include <vector>

using namespace tutti;
using transport::LinkState;
using transport::State;

TEST_CASE("a link goes from state to state only where it stands", "[link]") {
  LinkState link;
  CHECK(link == State::connecting);
  link.change(State::ready, State::closed);
  CHECK(link == State::connecting);
  link.change(State::connecting, State::ready);
  CHECK(link == State::ready);
  link.change(State::ready, State::closed);
  CHECK(link == State::closed);
  CHECK_FALSE(link.failed());
}

TEST_CASE("the first failure stays", "[link]") {
  LinkState link;
  CHECK(link.fail(Code::out_of_memory, "the first", Fault::of_this_rank));
  CHECK_FALSE(link.fail(Code::peer_failed, "the second", Fault::of_peer));
  CHECK(link.failed());
  CHECK(link.code() == Code::out_of_memory);
  CHECK(link.text() == std::string("the first"));
  CHECK(link.fault() == Fault::of_this_rank);
  link.change(State::connecting, State::ready);
  CHECK(link.failed());
}

TEST_CASE("a long reason is cut", "[link]") {
  LinkState link;
  link.fail(Code::transport_failed, std::string(1000, 'x').c_str(), Fault::of_peer);
  CHECK(link.text() == std::string(LinkState::kTextBytes - 1, 'x'));
}

TEST_CASE("of several threads one makes a link fail, and its reason is whole", "[link]") {
  for (int round = 0; round < 50; ++round) {
    LinkState link;
    std::atomic<int> first{0};
    std::vector<std::thread> threads;
    threads.reserve(4);
    for (char name = 'a'; name < 'e'; ++name)
      threads.emplace_back([&link, &first, name] {
        if (link.fail(Code::transport_failed, std::string(200, name).c_str(), Fault::of_peer))
          first = name;
      });
    while (!link.failed()) std::this_thread::yield();
    const std::string text = link.text();
    for (std::thread& thread : threads) thread.join();
    CHECK(text == std::string(200, static_cast<char>(first.load())));
  }
}
