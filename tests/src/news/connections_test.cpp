// Connections: which transport takes a peer, and when there is a channel.
#include "src/news/connections.hpp"

#include <catch2/catch.hpp>
#include <set>

#include "tests/protocols/hostile_transport.hpp"

using namespace tutti;
using namespace tutti::tests;
using protocols::Channel;

namespace {

Hostility calm(bool connects_at_once) {
  Hostility hostility;
  hostility.refuse = 0, hostility.deliver = 1;
  hostility.connects_at_once = connects_at_once;
  return hostility;
}

// Reaches some peers only, and fails when it is told to.
struct SelectiveWire final : HostileTransport {
  SelectiveWire(HostileNet& net, int rank, std::set<int> peers = {0, 1, 2, 3})
      : HostileTransport(net, rank), reached(std::move(peers)) {}
  bool reaches(int peer) const noexcept override { return reached.contains(peer); }
  transport::Link& connect(int peer) override {
    if (failures > 0) {
      --failures;
      throw Error(failure, "the test wants connecting to fail", peer);
    }
    return HostileTransport::connect(peer);
  }
  bool take_starved() noexcept override { return std::exchange(starved, false); }
  bool progress() noexcept override { return ++polls, HostileTransport::progress(); }
  bool needs_progress() const noexcept override { return polled; }
  std::set<int> reached;
  int failures = 0, polls = 0;
  Code failure = Code::transport_failed;
  bool starved = false, polled = true;
};

struct Ears final : protocols::Listener {
  void hear(const protocols::News& news, int from) noexcept override {
    heard.emplace_back(from, news.call);
  }
  bool unwanted(const MessageName&, int) noexcept override { return false; }
  protocols::News why_unwanted(const MessageName&, int) noexcept override {
    return {.code = Code::timed_out};
  }
  std::vector<std::pair<int, CollectiveNumber>> heard;
};

// One rank of several.
struct ConnectingProcess {
  explicit ConnectingProcess(const registration::CacheOptions& cache = {false, 0, 0}, int ranks = 4)
      : connections(
            ranks, cache, ears, [this](Channel& channel) { opened.push_back(channel.peer()); },
            [this](std::string_view line) { log += line; }) {}
  Ears ears;
  std::vector<int> opened;
  std::string log;
  Connections connections;
};

Code code_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.code;
  }
  return Code::success;
}

}  // namespace

TEST_CASE("the first transport that reaches a peer takes it", "[connections]") {
  HostileNet near(3, kFourSlots, calm(true)), far(3, kFourSlots, calm(true));
  SelectiveWire first(near, 0, {1}), second(far, 0, {1, 2});
  ConnectingProcess me;
  me.connections.add(first);
  me.connections.add(second);
  CHECK(&me.connections.channel(1).link() == &near.link(0, 1));
  CHECK(&me.connections.channel(2).link() == &far.link(0, 2));
}

TEST_CASE("a peer that no transport reaches is an error that names it", "[connections]") {
  HostileNet net(3, kFourSlots, calm(true));
  SelectiveWire wire(net, 0, {1});
  ConnectingProcess me;
  me.connections.add(wire);
  CHECK(me.connections.channel_at_once(2) == nullptr);
  try {
    me.connections.channel(2);
    FAIL("rank 2 is not reached");
  } catch (const Error& error) {
    CHECK(error.code == Code::unreachable);
    CHECK(error.peer == 2);
  }
  CHECK(me.connections.all().empty());
}

TEST_CASE("a channel is made once, and told of once", "[connections]") {
  HostileNet net(3, kFourSlots, calm(true));
  SelectiveWire wire(net, 0);
  ConnectingProcess me;
  me.connections.add(wire);
  CHECK(me.connections.find(2) == nullptr);
  Channel& channel = me.connections.channel(2);
  CHECK(&me.connections.channel(2) == &channel);
  CHECK(me.connections.find(2) == &channel);
  CHECK(me.connections.channel_at_once(2) == &channel);
  CHECK(me.connections.channel_at_once(1) != nullptr);
  CHECK(me.opened == std::vector<int>{2, 1});
  REQUIRE(me.connections.all().size() == 2);
  CHECK(me.connections.all()[0] == &channel);
}

TEST_CASE("what takes time to connect is not connected on the way", "[connections]") {
  HostileNet net(3, kFourSlots, calm(false));
  SelectiveWire wire(net, 0);
  ConnectingProcess me;
  me.connections.add(wire);
  CHECK(me.connections.channel_at_once(1) == nullptr);
  Channel& channel = me.connections.channel(1);
  CHECK(me.connections.channel_at_once(1) == &channel);
}

TEST_CASE("links that peers began are adopted", "[connections]") {
  HostileNet net(3, kFourSlots, calm(false));
  SelectiveWire mine(net, 0), theirs(net, 1);
  ConnectingProcess me, peer;
  me.connections.add(mine);
  peer.connections.add(theirs);
  peer.connections.channel(0);
  me.connections.adopt_links();
  CHECK(me.connections.find(1) == nullptr);
  me.connections.progress_transports();
  me.connections.adopt_links();
  REQUIRE(me.connections.find(1) != nullptr);
  CHECK(me.opened == std::vector<int>{1});
  me.connections.adopt_links();
  me.connections.channel(1);
  CHECK(me.opened == std::vector<int>{1});
  CHECK(net.link(0, 1).state() == transport::State::ready);
  CHECK(net.link(1, 0).state() == transport::State::ready);
}

TEST_CASE("a failed connection is an error, and can be tried again", "[connections]") {
  HostileNet net(3, kFourSlots, calm(true));
  SelectiveWire wire(net, 0);
  ConnectingProcess me;
  me.connections.add(wire);
  for (const Code code : {Code::transport_failed, Code::locked_memory, Code::out_of_memory}) {
    wire.failure = code;
    wire.failures = 1;
    CHECK(code_of([&] { me.connections.channel(1); }) == code);  // there is no memory to give up
    CHECK(wire.failures == 0);
    CHECK(me.connections.find(1) == nullptr);
  }
  me.connections.channel(1);
  CHECK(me.opened == std::vector<int>{1});
}

TEST_CASE("memory that is only kept registered gives way to connections", "[connections]") {
  Hostility hostility = calm(true);
  hostility.registers = true;
  HostileNet net(4, kFourSlots, hostility);
  SelectiveWire wire(net, 0);
  ConnectingProcess me({true, 1u << 30, 1024}), peer;
  me.connections.add(wire);
  SelectiveWire theirs(net, 1);
  peer.connections.add(theirs);
  std::vector<std::byte> sent(100000), got(sent.size());
  const auto exchange = [&](CollectiveNumber call) {
    const auto bytes = static_cast<Bytes>(sent.size());
    protocols::Transfer s, r;
    bool gone = false, here = false;
    for (int step = 0; step < 1000 && !(gone && here); ++step) {
      const auto done = [](protocols::Answer answer) { return answer == protocols::Answer::done; };
      if (!gone) gone = done(me.connections.channel(1).send(s, {1, call, 0}, sent.data(), bytes));
      if (!here) here = done(peer.connections.channel(0).recv(r, {1, call, 0}, got.data(), bytes));
      net.step();
    }
    return gone && here;
  };
  REQUIRE(exchange(0));
  INFO(me.log);
  REQUIRE(net.registrar.live == 1);  // kept by the cache of the sender
  wire.failure = Code::locked_memory;
  wire.failures = 1;
  me.connections.channel(2);
  CHECK(net.registrar.live == 0);
  REQUIRE(exchange(1));
  REQUIRE(net.registrar.live == 1);
  me.connections.adopt_links();
  CHECK(net.registrar.live == 1);
  wire.starved = true;  // a peer asks for a connection, and finds no memory
  me.connections.adopt_links();
  CHECK(net.registrar.live == 0);
  REQUIRE(exchange(2));
  wire.failure = Code::transport_failed;  // not for want of memory
  wire.failures = 1;
  CHECK(code_of([&] { me.connections.channel(3); }) == Code::transport_failed);
  CHECK(net.registrar.live == 1);
}

TEST_CASE("connections are polled in turn", "[connections]") {
  HostileNet net(3, kFourSlots, calm(true));
  SelectiveWire mine(net, 0);
  ConnectingProcess me, peers[2];
  me.connections.add(mine);
  me.connections.poll_one();  // no connection yet
  for (const int peer : {1, 2}) me.connections.channel(peer);
  SelectiveWire wires[2] = {{net, 1}, {net, 2}};
  for (std::size_t i = 0; i < 2; ++i) {
    peers[i].connections.add(wires[i]);
    peers[i].connections.channel(0).news().announce(
        {.call = static_cast<CollectiveNumber>(i), .code = Code::timed_out});
  }
  for (int i = 0; i < 10; ++i) net.step();
  CHECK(me.ears.heard.empty());
  me.connections.poll_one();
  CHECK(me.ears.heard.size() == 1);
  me.connections.poll_one();
  CHECK(me.ears.heard.size() == 2);
  peers[0].connections.channel(0).news().announce({.call = 7, .code = Code::timed_out});
  for (int i = 0; i < 10; ++i) net.step();
  me.connections.progress_all();
  CHECK(me.ears.heard.back() == std::pair(1, CollectiveNumber{7}));
}

TEST_CASE("a look costs the same with any number of connections", "[connections]") {
  constexpr std::size_t kSome = Connections::kSome, kPeers = 2 * kSome + 3;
  HostileNet net(kPeers + 1, kFourSlots, calm(true));
  std::set<int> everybody;
  for (int rank = 0; rank <= static_cast<int>(kPeers); ++rank) everybody.insert(rank);
  SelectiveWire mine(net, 0, everybody);
  const registration::CacheOptions none{false, 0, 0};
  ConnectingProcess me(none, kPeers + 1);
  me.connections.add(mine);
  for (int peer = 1; peer <= static_cast<int>(kPeers); ++peer) {
    me.connections.channel(peer);
    SelectiveWire theirs(net, peer, everybody);
    ConnectingProcess process(none, kPeers + 1);
    process.connections.add(theirs);
    process.connections.channel(0).news().announce({.call = 1, .code = Code::timed_out});
  }
  for (std::size_t i = 0; i < 10 * kPeers; ++i) net.step();
  me.connections.progress_some();
  CHECK(me.ears.heard.size() == kSome);
  me.connections.progress_some();
  CHECK(me.ears.heard.size() == 2 * kSome);
  me.connections.progress_some();
  CHECK(me.ears.heard.size() == kPeers);
}

TEST_CASE("a transport that has nothing to do is not polled", "[connections]") {
  HostileNet net(3, kFourSlots, calm(true));
  SelectiveWire busy(net, 0), idle(net, 0);
  idle.polled = false;
  ConnectingProcess me;
  me.connections.add(busy);
  me.connections.add(idle);
  CHECK_FALSE(me.connections.progress_transports());
  CHECK(busy.polls == 1);
  CHECK(idle.polls == 0);
}
