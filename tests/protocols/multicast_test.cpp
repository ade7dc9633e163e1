// The multicast broadcast over hostile datagrams and hostile channels: whatever is lost, every rank
// gets every byte, and nothing that needs no repair costs one.
#include <catch2/catch.hpp>

#include "protocols/multicast.hpp"
#include "tests/base/sanitized.hpp"
#include "tests/protocols/hostile_datagrams.hpp"
#include "tests/protocols/pair.hpp"

using namespace tutti;
using namespace tutti::tests;
using protocols::Answer;
using protocols::Channel;
using protocols::Mailbox;
using protocols::MulticastBroadcast;
using protocols::MulticastSettings;
using std::chrono::microseconds;

namespace {

constexpr transport::InboxShape kStarved{{{{64, 1}, {320, 1}, {1088, 1}, {64, 1}, {64, 1}}}};
// Without a clock: time-outs and reminders end after some steps; or never, if a test shows that
// none is needed.
constexpr MulticastSettings kHasty{16, microseconds{0}, microseconds{0}};
constexpr MulticastSettings kNoTimeout{1u << 30, microseconds{1000000000},
                                       microseconds{1000000000}};

std::byte data_of(int round, std::size_t i) {
  return static_cast<std::byte>((i * 7 + i / 251 + static_cast<std::size_t>(round) * 31 + 5) &
                                0xff);
}

struct Job {
  int P;
  HostileNet net;
  DatagramNet datagrams;
  Deaf listener;
  registration::Cache cache;
  std::map<std::pair<int, int>, std::unique_ptr<Channel>> channels;
  std::vector<std::unique_ptr<Mailbox>> mailboxes;
  std::mt19937 random;

  Job(int ranks, const Hostility& hostility, const DatagramHostility& loss,
      const transport::InboxShape& shape = kUsual)
      : P(ranks),
        net(ranks, shape, hostility),
        datagrams(ranks, loss),
        cache(net.registrar, {false, 0, 0}, [](std::string_view) {}),
        random(loss.seed) {
    for (int a = 0; a < P; ++a)
      for (int b = 0; b < P; ++b)
        if (a != b) channels[{a, b}] = std::make_unique<Channel>(net.link(a, b), &cache, listener);
    for (int r = 0; r < P; ++r)
      mailboxes.push_back(std::make_unique<Mailbox>(datagrams.end(r), 99, r, loss.capacity,
                                                    std::min(loss.slots, 32u)));
  }
  // A tree in which rank v (counted from the root) has the children k v + 1, …, k v + k.
  std::unique_ptr<MulticastBroadcast> broadcast(int rank, int root, int k,
                                                const MulticastSettings& settings) {
    const int v = (rank - root + P) % P;
    const auto real = [&](int i) { return (i + root) % P; };
    Channel* parent = v == 0 ? nullptr : channels.at({rank, real((v - 1) / k)}).get();
    std::vector<Channel*> children;
    for (int c = k * v + 1; c <= k * v + k && c < P; ++c)
      children.push_back(channels.at({rank, real(c)}).get());
    return std::make_unique<MulticastBroadcast>(*mailboxes[static_cast<std::size_t>(rank)], root,
                                                parent, children, settings);
  }
  void step() {
    net.step();
    datagrams.step();
  }
};

struct RunResult {
  std::string wrong;
  MulticastBroadcast::Counts counts;  // of all ranks, and all rounds
};

// Runs `rounds` broadcasts, each from the next root. A rank enters one some time after it has
// finished the one before. `stop`: that rank stops running after a while, and the others must end.
RunResult run(Job& job, std::size_t bytes, int rounds, int k, const MulticastSettings& settings,
              int stop = -1) {
  const auto P = static_cast<std::size_t>(job.P);
  std::vector<std::vector<std::byte>> data(P, std::vector<std::byte>(bytes));
  std::vector<std::unique_ptr<MulticastBroadcast>> now(P);
  std::vector<int> round(P, 0);
  RunResult result;
  const auto finish = [&](std::size_t r) {
    const MulticastBroadcast::Counts& c = now[r]->counts();
    result.counts.repaired += c.repaired;
    result.counts.repairs += c.repairs;
    result.counts.statuses += c.statuses;
    result.counts.reminders += c.reminders;
    result.counts.duplicates += c.duplicates;
    now[r].reset();
  };
  for (int step = 0; step < 400000; ++step) {
    job.step();
    if (stop >= 0 && step == 40) job.net.stop(stop);
    bool all = true;
    for (std::size_t r = 0; r < P; ++r) {
      if (round[r] == rounds || job.net.stopped(static_cast<int>(r))) continue;
      all = false;
      const int root = round[r] % job.P;
      if (!now[r]) {
        if (job.random() % 20 != 0) {
          if (job.random() % 2 == 0)
            job.mailboxes[r]->progress();  // another collective is under way
          continue;
        }
        now[r] = job.broadcast(static_cast<int>(r), root, k, settings);
        for (std::size_t i = 0; i < bytes; ++i)
          data[r][i] = static_cast<int>(r) == root ? data_of(round[r], i) : std::byte{0xee};
        now[r]->start({1, static_cast<CollectiveNumber>(round[r]), 3}, data[r].data(),
                      static_cast<Bytes>(bytes));
      }
      if (job.random() % 2 == 0) continue;
      Answer answer = now[r]->advance();
      now[r]->each_waiting([&](Channel& c) {
        c.progress();
        if (stop < 0) return;
        c.probe();
        // As src/job does: a rank that waits for one that has given up learns of the failure.
        if (c.failed() || round[static_cast<std::size_t>(c.peer())] == rounds)
          answer = answer == Answer::done ? answer : Answer::failed;
      });
      if (answer == Answer::failed && stop < 0)
        return result.wrong = "rank " + std::to_string(r) + " failed", result;
      if (answer == Answer::failed) {
        now[r]->abandon();
        finish(r);
        round[r] = rounds;
        continue;
      }
      if (answer != Answer::done) continue;
      for (std::size_t i = 0; i < bytes; ++i)
        if (data[r][i] != data_of(round[r], i))
          return result.wrong = "wrong byte " + std::to_string(i) + " on rank " +
                                std::to_string(r) + " in round " + std::to_string(round[r]),
                 result;
      finish(r);
      ++round[r];
    }
    if (all) return result;
  }
  result.wrong = "no end";
  return result;
}

const std::size_t kBroadcastSizes[] = {0, 1, 99, 100, 101, 399, 400, 401, 1777, 5000};

}  // namespace

TEST_CASE("every byte arrives, whatever becomes of the datagrams", "[multicast]") {
  std::uint32_t seed = 0;
  for (const double loss : {0.0, 0.01, 0.1, 0.5, 0.9, 1.0})
    for (const double duplication : {0.0, 0.3})
      for (const std::size_t late : {std::size_t{0}, std::size_t{3}, std::size_t{1000}})
        for (int P = 1; P <= unless_sanitized(9, 3); P += P < 5 ? 1 : 4)
          for (const std::size_t bytes : kBroadcastSizes) {
            ++seed;
            const int k = 1 + static_cast<int>(seed % 3);
            INFO("loss " << loss << ", duplication " << duplication << ", late " << late << ", P "
                         << P << ", " << bytes << " bytes, k " << k << ", seed " << seed);
            Job job(P, {seed, seed % 2 == 0, seed % 3 != 0, seed % 4 == 0},
                    {seed, loss, duplication, 0.1, late}, seed % 5 == 0 ? kStarved : kUsual);
            const RunResult result = run(job, bytes, 3, k, kHasty);
            REQUIRE(result.wrong == "");
            CHECK(job.net.registrar.live == 0);
          }
}

TEST_CASE("without loss there is one reliable message a rank and window", "[multicast]") {
  for (std::uint32_t seed = 1; seed <= unless_sanitized(20u, 4u); ++seed)
    for (const std::size_t bytes : kBroadcastSizes) {
      INFO("seed " << seed << ", " << bytes << " bytes");
      Job job(6, {seed, seed % 2 == 0},
              {seed, 0, seed % 3 == 0 ? 0.5 : 0.0, 0.1, seed % 2 == 0 ? 5u : 0u, false, 132, 128});
      const RunResult result = run(job, bytes, 1, 2, kNoTimeout);
      REQUIRE(result.wrong == "");
      const std::size_t windows = (bytes + 799) / 800;  // a quarter of 32 slots, 100 bytes each
      CHECK(result.counts.repaired == 0);
      CHECK(result.counts.repairs == 0);
      CHECK(result.counts.reminders == 0);
      CHECK(result.counts.statuses == 5 * windows);
    }
}

TEST_CASE("the root's reminders find every loss, without a time-out of any rank", "[multicast]") {
  for (std::uint32_t seed = 1; seed <= unless_sanitized(20u, 4u); ++seed)
    for (const std::size_t bytes : kBroadcastSizes) {
      INFO("seed " << seed << ", " << bytes << " bytes");
      Job job(5, {seed, seed % 2 == 0}, {seed, 0.4, 0.1, 0.1, 4});
      const RunResult result = run(job, bytes, 2, 2, {16, microseconds{0}, kNoTimeout.timeout});
      REQUIRE(result.wrong == "");
      if (bytes > 1000) CHECK(result.counts.reminders > 0);
    }
}

TEST_CASE("a slow receiver's slots do not overflow", "[multicast]") {
  for (std::uint32_t seed = 1; seed <= unless_sanitized(20u, 4u); ++seed) {
    Job job(4, {seed}, {seed, 0, 0, 0.0, 0});
    const RunResult result = run(job, 20000, 1, 2, kNoTimeout);
    REQUIRE(result.wrong == "");
    CHECK(job.datagrams.overflows == 0);
  }
}

TEST_CASE("if the group carries nothing, the channels carry everything", "[multicast]") {
  Job job(5, {3}, {3, 0, 0, 0, 0, true});
  const RunResult result = run(job, 3000, 2, 2, kHasty);
  REQUIRE(result.wrong == "");
  CHECK(job.datagrams.sent == 0);
  CHECK(result.counts.repaired == 2 * 4 * 30);
}

TEST_CASE("datagrams of strangers, and of broadcasts that are over, take no slot for long",
          "[multicast]") {
  Job job(2, {4}, {4, 0, 0, 0, 0});
  Mailbox stranger(job.datagrams.end(0), 98, 0, 132, 16), own(job.datagrams.end(0), 99, 0, 132, 16);
  const char text[100] = {};
  const auto flood = [&](Mailbox& from, CollectiveNumber collective, std::uint32_t fragment,
                         std::uint32_t bytes) {
    for (int i = 0; i < 20; ++i) {
      from.send({1, collective, 3}, 0, fragment, 0, text, bytes);
      job.datagrams.end(0).land(true);
      job.datagrams.end(1).land(true);
      for (const auto& mailbox : job.mailboxes) mailbox->progress();
    }
  };
  flood(stranger, 0, 0, 100);
  CHECK(job.datagrams.end(1).held() == 0);
  flood(own, 7, 0, 100);  // of a later broadcast: they wait, within the bound
  CHECK(job.datagrams.end(1).held() == 8);
  CHECK(job.datagrams.end(0).held() == 0);
  flood(own, 7, 1000, 100);  // beyond the message
  flood(own, 0, 0, 99);      // of another length
  const RunResult result = run(job, 1000, 10, 2, kHasty);
  REQUIRE(result.wrong == "");
  CHECK(job.datagrams.end(1).held() == 0);
  flood(own, 3, 0, 100);  // of an earlier broadcast
  CHECK(job.datagrams.end(1).held() == 0);
}

TEST_CASE("a rank that stops leaves nobody in the broadcast", "[multicast]") {
  for (std::uint32_t seed = 1; seed <= unless_sanitized(30u, 5u); ++seed) {
    INFO("seed " << seed);
    Job job(5, {seed, true, true, true}, {seed, 0.2, 0, 0.1, 3});
    const RunResult result = run(job, 5000, 4, 2, kHasty, static_cast<int>(seed % 5));
    REQUIRE(result.wrong == "");
  }
}
