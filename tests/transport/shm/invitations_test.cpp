// User memory to which a peer of the same node was invited, if either side gives up and the other
// has not heard of it: the other may have been stopped just before the copy.
#include <catch2/catch.hpp>
#include <functional>
#include <thread>

#include "tests/protocols/pair.hpp"
#include "tests/transport/shm/meeting.hpp"
#include "transport/shm/transport.hpp"

using namespace tutti;
using namespace tutti::tests;
using protocols::Answer;
using protocols::Transfer;
using protocols::Use;
using transport::Placement;
using transport::shm::Copy;
using transport::shm::ShmTransport;

namespace {

constexpr Bytes kBytes = 5000;

// Two ranks of this process over a segment, each with a channel to the other.
class Node {
 public:
  Node() {
    const std::vector<transport::PlacementCard> cards(2);
    for (int r = 0; r < 2; ++r) {
      placements_.push_back(std::make_unique<Placement>(r, cards));
      transport::shm::Options options;
      options.copy = Copy::once;
      transports_.push_back(
          std::make_unique<ShmTransport>(options, *placements_.back(), kUsual, std::ref(meeting_)));
    }
    const std::vector<transport::Address> addresses{transports_[0]->address(),
                                                    transports_[1]->address()};
    std::thread other([&] { transports_[1]->set_peers(addresses); });
    transports_[0]->set_peers(addresses);
    other.join();
    for (int r = 0; r < 2; ++r)
      channels_.push_back(std::make_unique<protocols::Channel>(
          transports_[index(r)]->connect(1 - r), nullptr, ears[r]));
    REQUIRE(transports_[0]->copy() == Copy::once);
  }
  protocols::Channel& operator[](int rank) { return *channels_[index(rank)]; }
  Ear ears[2];

 private:
  static std::size_t index(int rank) { return static_cast<std::size_t>(rank); }
  const SharedMeeting meeting_{2};
  std::vector<std::unique_ptr<Placement>> placements_;
  std::vector<std::unique_ptr<ShmTransport>> transports_;
  std::vector<std::unique_ptr<protocols::Channel>> channels_;
};

}  // namespace

TEST_CASE("nothing is written to a buffer whose invitation its owner has revoked", "[shm]") {
  Node node;
  const auto sent = bytes_of(kBytes, 1);
  for (CollectiveNumber round = 0; round < 200; ++round) {
    std::vector<std::byte> got(kBytes);
    const std::vector<std::byte> untouched = got;
    Transfer s, r;
    node.ears[0].abandoned_id = 0;
    CHECK(node[1].recv(r, {9, round, 0}, got.data(), kBytes) == Answer::again);
    node[1].abandon(r);
    CHECK_FALSE(node[1].abandoned().withdrawing());
    for (int i = 0; i < 3; ++i)
      CHECK(node[0].send(s, {9, round, 0}, sent.data(), kBytes) == Answer::again);
    CHECK(got == untouched);
    // Then it hears of it, and the identifier is free again.
    node.ears[0].abandoned_id = 9;
    node[0].progress();
    node[1].progress();
  }
}

TEST_CASE("nothing that is read from a buffer counts once its invitation is revoked", "[shm]") {
  Node node;
  for (CollectiveNumber round = 0; round < 200; ++round) {
    const bool in_time = round % 2 != 0;
    auto sent = bytes_of(kBytes, round);
    std::vector<std::byte> got(kBytes);
    Transfer s, r;
    node.ears[1].abandoned_id = 0;
    CHECK(node[0].send(s, {9, round, 0}, sent.data(), kBytes, Use::spread) == Answer::again);
    if (in_time) {
      CHECK(node[1].recv(r, {9, round, 0}, got.data(), kBytes, Use::spread) == Answer::done);
      CHECK(got == sent);
      CHECK(node[0].send(s, {9, round, 0}, sent.data(), kBytes, Use::spread) == Answer::done);
      continue;
    }
    node[0].abandon(s);
    CHECK_FALSE(node[0].abandoned().withdrawing());
    std::fill(sent.begin(), sent.end(), std::byte{0});  // the program goes on
    for (int i = 0; i < 3; ++i)
      CHECK(node[1].recv(r, {9, round, 0}, got.data(), kBytes, Use::spread) == Answer::again);
    node.ears[1].abandoned_id = 9;
    node[1].progress();
    node[0].progress();
  }
}
