// Every algorithm of the catalogue, really run: by ranks of one process over the hostile transport,
// for many seeds; and by threads over real shared memory, for the thread sanitizer.
#include <sched.h>

#include <catch2/catch.hpp>
#include <functional>
#include <thread>

#include "collectives/analysis/all_ranks.hpp"
#include "collectives/analysis/neighbourhoods.hpp"
#include "tests/base/sanitized.hpp"
#include "tests/collectives/execution/execution.hpp"
#include "tests/collectives/execution/scattered.hpp"
#include "tests/collectives/execution/hostile_run.hpp"
#include "tests/collectives/reference.hpp"
#include "tests/transport/shm/meeting.hpp"
#include "transport/shm/transport.hpp"

using namespace tutti;
using namespace tutti::tests;
using collectives::Algorithm;
using collectives::Parameters;
using protocols::Answer;
using protocols::Channel;

namespace {

std::string run_hostile(const Algorithm& algorithm, const Problem& problem,
                        const Parameters& parameters, const Hostility& hostility,
                        const transport::InboxShape& shape, const Stop& stop = {}) {
  return run_hostile({{&algorithm, problem, parameters}}, hostility, shape, stop).wrong;
}

constexpr transport::InboxShape kUsual{{{{64, 8}, {320, 4}, {1088, 4}, {64, 4}, {64, 4}}}};
constexpr transport::InboxShape kStarved{{{{64, 1}, {320, 1}, {1088, 1}, {64, 1}, {64, 1}}}};

// Lengths that differ, some of them zero.
std::vector<Bytes> uneven(int P) {
  std::vector<Bytes> counts;
  for (int i = 0; i < P; ++i) counts.push_back(i % 3 == 1 ? 0 : (i * 5 % 7 + 1) * 60);
  return counts;
}

template <class Visit>
void each_case(int P, const Algorithm& algorithm, Visit&& visit) {
  const Collective collective = algorithm.collective;
  const bool reducing = reduces(collective);
  for (const int k : algorithm.traits.k ? std::vector<int>{1, 3} : std::vector<int>{1})
    for (const Bytes segment :
         algorithm.traits.segment ? std::vector<Bytes>{0, 100} : std::vector<Bytes>{0})
      for (const Bytes bytes : collective == Collective::barrier ? std::vector<Bytes>{0}
                               : reducing ? std::vector<Bytes>{0, 4, 40, 296, 2000, -1}
                               : has_blocks(collective)
                                   ? std::vector<Bytes>{0, 1, 41, 297, 2001, -1}
                                   : std::vector<Bytes>{0, 1, 41, 297, 2001})
        for (const int root :
             is_rooted(collective) ? std::vector<int>{0, P - 1} : std::vector<int>{0}) {
          Problem problem{{.collective = collective, .root = root, .bytes = bytes}, P};
          problem.in_place = may_be_in_place(collective) && (bytes + root) % 2 == 0;
          if (reducing) {
            problem.element = kElement;
            problem.in_place = (bytes / 4 + root) % 2 == 0;
          }
          if (bytes <
              0) {  // the v-forms; where there are none, a reduction that is not commutative
            problem.bytes = has_blocks(collective) ? 0 : 400;
            if (has_blocks(collective)) problem.counts = problem.receive_counts = uneven(P);
            if (collective != Collective::alltoall) problem.receive_counts.clear();
          }
          give_needed_neighbours(algorithm, problem);
          for (const bool commutative : {true, false}) {
            problem.commutative = commutative;
            const Parameters parameters{.k = k, .segment = segment};
            if ((commutative || reducing) && !why_not(algorithm, problem, parameters))
              visit(problem, parameters);
          }
        }
}

}  // namespace

TEST_CASE("every algorithm over the hostile wire", "[collective]") {
  std::uint32_t seed = 0;
  for (const Algorithm& algorithm : collectives::algorithms())
    for (int P = 1; P <= unless_sanitized(9, 4); P += P < 6 ? 1 : 2)
      each_case(P, algorithm, [&](const Problem& problem, const Parameters& parameters) {
        ++seed;
        Hostility hostility{seed, seed % 2 == 0, seed % 3 != 0, seed % 4 == 0};
        hostility.fetches = hostility.direct && seed % 7 < 4;
        hostility.passes_pieces = seed % 7 % 3 == 0;
        const std::string problem_found = run_hostile(algorithm, problem, parameters, hostility,
                                                      seed % 5 == 0 ? kStarved : kUsual);
        INFO(name_of(algorithm.collective)
             << " " << algorithm.name << " P=" << P << " k=" << parameters.k
             << " segment=" << parameters.segment << " bytes=" << problem.bytes
             << " root=" << problem.root << " seed=" << seed);
        REQUIRE(problem_found == "");
      });
}

TEST_CASE("one slot for each ring starves no algorithm", "[collective]") {
  for (const Algorithm& algorithm : collectives::algorithms())
    each_case(5, algorithm, [&](const Problem& problem, const Parameters& parameters) {
      for (std::uint32_t seed = 1; seed <= unless_sanitized(2u, 1u); ++seed) {
        INFO(name_of(algorithm.collective)
             << " " << algorithm.name << " k=" << parameters.k << " segment=" << parameters.segment
             << " bytes=" << problem.bytes << " seed=" << seed);
        REQUIRE(run_hostile(algorithm, problem, parameters,
                            {seed, seed % 2 == 0, seed % 2 == 1, false}, kStarved) == "");
      }
    });
}

TEST_CASE("a rank that stops leaves nobody waiting", "[collective]") {
  for (const Algorithm& algorithm : collectives::algorithms())
    for (std::uint32_t seed = 1; seed <= unless_sanitized(6u, 2u); ++seed) {
      Problem problem{{.collective = algorithm.collective,
                       .bytes = algorithm.collective == Collective::barrier ? 0 : 2000,
                       .element = kElement},
                      5};
      give_needed_neighbours(algorithm, problem);
      if (why_not(algorithm, problem, {})) continue;
      INFO(name_of(algorithm.collective) << " " << algorithm.name << " seed=" << seed);
      REQUIRE(run_hostile(algorithm, problem, {}, {seed, seed % 2 == 0, true, false}, kUsual,
                          {static_cast<int>(seed) % 5}) == "");
    }
}

TEST_CASE("threads as ranks over real shared memory", "[collective][threads]") {
  constexpr int P = 3;
  const transport::InboxShape shape{{{{64, 4}, {1088, 4}, {4160, 2}, {64, 4}, {64, 4}}}};
  using transport::shm::Copy;
  for (const Copy copy : {Copy::automatic, Copy::once, Copy::twice}) {
    const std::vector<transport::PlacementCard> cards(P);  // all on one node
    const SharedMeeting meeting(P);
    std::vector<std::unique_ptr<transport::Placement>> placements;
    std::vector<std::unique_ptr<transport::shm::ShmTransport>> transports;
    std::vector<transport::Address> addresses;
    for (int r = 0; r < P; ++r) {
      placements.push_back(std::make_unique<transport::Placement>(r, cards));
      transport::shm::Options options;
      options.copy = copy;
      transports.push_back(std::make_unique<transport::shm::ShmTransport>(
          options, *placements.back(), shape, std::ref(meeting)));
      addresses.push_back(transports.back()->address());
    }
    std::atomic<int> wrong{0};
    std::vector<std::thread> ranks;
    for (int r = 0; r < P; ++r)
      ranks.emplace_back([&, r] {
        transport::shm::ShmTransport& mine = *transports[index(r)];
        mine.set_peers(addresses);
        Deaf listener;
        std::map<int, std::unique_ptr<Channel>> channels;
        const auto channel_to = [&](Rank peer) -> Channel& {
          auto& channel = channels[peer];
          if (!channel) channel = std::make_unique<Channel>(mine.connect(peer), nullptr, listener);
          return *channel;
        };
        CollectiveNumber number = 0;
        for (const Algorithm& algorithm : collectives::algorithms())
          for (const Bytes bytes : {Bytes{0}, Bytes{32}, Bytes{900}, Bytes{3000}, Bytes{20000}}) {
            Problem any{{.collective = algorithm.collective,
                         .root = 1,
                         .bytes = algorithm.collective == Collective::barrier ? 0 : bytes,
                         .element = kElement},
                        P};
            give_needed_neighbours(algorithm, any);
            if (why_not(algorithm, any, {})) continue;
            const std::vector<Problem> each = collectives::problems_of_all_ranks(any);
            const Problem& problem = each[index(r)];
            Buffers buffers(problem);
            Scattered scattered(buffers, !reduces(algorithm.collective) && (number + r) % 3 != 0);
            Execution execution(algorithm.build(problem, {}), channel_to, problem.element);
            scattered.start(execution.run, {1, number++, 0}, combine_of(problem));
            Answer answer = Answer::again;
            while ((answer = execution.run.advance()) == Answer::again) {
              execution.run.each_waiting([](Channel& c) { c.progress(); });
              sched_yield();
            }
            if (answer != Answer::done || !scattered.collect() || !buffers.right(each)) ++wrong;
          }
      });
    for (std::thread& rank : ranks) rank.join();
    CHECK(wrong == 0);
    for (const auto& t : transports) CHECK(t->copy() == copy);
  }
}
