// Making communicators: the number that all ranks agree on, several at once, and ranks that cannot.
#include <barrier>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <functional>
#include <map>
#include <new>
#include <set>

#include "tests/src/job/hostile_job.hpp"

using namespace tutti;
using namespace tutti::tests;

namespace {

// Allocations that this thread may still make. Less than 0: as many as it wants.
thread_local int allocations_left = -1;

bool may_allocate() noexcept {
  if (allocations_left < 0) return true;
  if (allocations_left == 0) return false;
  --allocations_left;
  return true;
}

// Votes as the test says, and counts them.
class Votes final : public transport::Bootstrap {
 public:
  using Vote = std::function<std::int64_t(std::int64_t)>;
  Votes(int rank, int size, Vote vote) : rank_(rank), size_(size), vote_(std::move(vote)) {}
  ~Votes() override { leave(); }
  int rank() const noexcept override { return rank_; }
  int size() const noexcept override { return size_; }
  void rest() override {}
  int votes = 0;

 private:
  void exchange(const void*, std::size_t, void*) override { throw Error(Code::internal, "no"); }
  void spread(void*, std::size_t) override { throw Error(Code::internal, "no"); }
  std::int64_t largest(std::int64_t mine) override {
    allocations_left = -1;
    ++votes;
    return vote_(mine);
  }
  const int rank_, size_;
  const Vote vote_;
};

// Where ranks, as threads, find the largest value. Usable again and again.
class Meeting {
 public:
  explicit Meeting(std::size_t ranks) : barrier_(static_cast<std::ptrdiff_t>(ranks)), all_(ranks) {}
  std::int64_t largest(std::size_t rank, std::int64_t mine) {
    all_[rank] = mine;
    barrier_.arrive_and_wait();
    const std::int64_t result = *std::max_element(all_.begin(), all_.end());
    barrier_.arrive_and_wait();
    return result;
  }

 private:
  std::barrier<> barrier_;
  std::vector<std::int64_t> all_;
};

// One rank of a job makes a communicator with rank 1, whose votes the test gives.
struct Maker {
  std::unique_ptr<Communicator> make(const Votes::Vote& vote) {
    Votes bootstrap(0, 2, vote);
    auto made = agree_on_communicator(job.engine(0), bootstrap, 0, {0, 1}, selection);
    votes = bootstrap.votes;
    return made;
  }
  // Until rank 1 says nothing else.
  std::unique_ptr<Communicator> make() {
    return make([](std::int64_t mine) { return mine; });
  }
  // Rank 1 proposes this.
  std::unique_ptr<Communicator> make(std::int64_t other) {
    return make([&, first = true](std::int64_t mine) mutable {
      return std::exchange(first, false) ? std::max(mine, other) : mine;
    });
  }
  Job job{2, {}};
  Selection selection{job.rules, *models::find_shipped("shm")};
  int votes = 0;
};

constexpr auto kUpper = static_cast<CommunicatorId>(Identifiers::kUpper);

protocols::News failure_of(CommunicatorId id) {
  return {.communicator = id, .code = Code::timed_out, .culprit = 1};
}

}  // namespace

// Each form that the program may use, as a sanitizer has forms of its own for the rest.
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return may_allocate() ? std::malloc(bytes) : nullptr;
}
void* operator new(std::size_t bytes) {
  if (void* const memory = operator new(bytes, std::nothrow)) return memory;
  throw std::bad_alloc{};
}
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

TEST_CASE("communicators one after another cost one vote each, and their numbers have no gaps",
          "[communicator]") {
  Maker maker;
  for (CommunicatorId id = 2; id < 10; ++id) {  // number 1 is the job's
    const auto made = maker.make();
    CHECK(made->agreement().members().id() == id);
    CHECK(maker.votes == 1);
  }
  CHECK(maker.make(100)->agreement().members().id() == 100);  // rank 1 has made others
  CHECK(maker.make(50)->agreement().members().id() == 101);
  CHECK(maker.votes == 1);
}

TEST_CASE("while a rank makes a communicator, others that it makes get numbers of another kind",
          "[communicator]") {
  Maker maker;
  std::unique_ptr<Communicator> inner, innermost;
  const auto outer = maker.make([&](std::int64_t mine) {
    inner = maker.make([&](std::int64_t upper) {
      if (!innermost && upper != 0) innermost = maker.make();
      return upper;
    });
    CHECK(maker.votes == 2);
    return mine + 5;  // of which the others had to know nothing
  });
  CHECK(outer->agreement().members().id() == 7);
  CHECK(inner->agreement().members().id() == kUpper);
  CHECK(innermost->agreement().members().id() == kUpper + 1);
  CHECK(maker.make()->agreement().members().id() == 8);  // the turn is free again
  CHECK(maker.votes == 1);
  CHECK(maker.make(kUpper + 7)->agreement().members().id() ==
        kUpper + 7);  // rank 1 makes another one
  CHECK(maker.votes == 2);
  CHECK(maker.make()->agreement().members().id() == 9);
}

TEST_CASE("a number of the upper half that is taken on some rank is not agreed on",
          "[communicator]") {
  Maker maker;
  const auto mine = maker.make(kUpper + 3);
  SECTION("on this one") {
    std::vector<std::int64_t> said;
    const auto made = maker.make([&](std::int64_t vote) {
      said.push_back(vote);
      return said.size() == 1 ? kUpper + 3 : vote;
    });
    CHECK(said == std::vector<std::int64_t>{2, 1, kUpper + 4, 0});
    CHECK(made->agreement().members().id() == kUpper + 4);
  }
  SECTION("on another one") {
    std::vector<std::int64_t> said;
    // There the number is that of a communicator without this rank.
    maker.job.engine(0).dispatcher().hear_notice(failure_of(kUpper + 8), 1);
    const auto made = maker.make([&](std::int64_t vote) {
      said.push_back(vote);
      const std::int64_t others[] = {kUpper + 8, 1, kUpper + 9, 0};
      return std::max(vote, others[said.size() - 1]);
    });
    CHECK(said == std::vector<std::int64_t>{2, 0, 2, 0});
    CHECK(made->agreement().members().id() == kUpper + 9);
    CHECK(maker.job.engine(0).dispatcher().is_free(kUpper + 8));
    CHECK_FALSE(made->agreement().failed());
  }
}

TEST_CASE("a communicator that has failed on another rank before this one has it fails here, too",
          "[communicator]") {
  Maker maker;
  const auto other = maker.make();
  const auto late = maker.make([&](std::int64_t mine) {
    maker.job.engine(0).dispatcher().hear(failure_of(3), 1);
    return mine;
  });
  REQUIRE(late->agreement().members().id() == 3);
  CHECK(late->agreement().failure().code() == Code::timed_out);
  CHECK_FALSE(other->agreement().failed());
}

TEST_CASE("when the numbers of the lower half are used up, there are those of the upper half",
          "[communicator]") {
  Maker maker;
  CHECK(maker.make(kUpper - 1)->agreement().members().id() == kUpper - 1);
  CHECK(maker.make()->agreement().members().id() == kUpper);
  CHECK(maker.make()->agreement().members().id() == kUpper + 1);
  CHECK(maker.make(Identifiers::kEnd - 1)->agreement().members().id() == Identifiers::kEnd - 1);
  for (int i = 0; i < 2; ++i) CHECK(outcome_of([&] { maker.make(); }).code == Code::unsupported);
  CHECK(maker.votes == 2);  // none has come so far since
}

TEST_CASE("a rank that is no member takes part in the agreement", "[communicator]") {
  Maker maker;
  Votes bootstrap(0, 3, [](std::int64_t mine) { return mine; });
  CHECK_FALSE(
      agree_on_communicator(maker.job.engine(0), bootstrap, std::nullopt, {1, 2}, maker.selection));
  CHECK(bootstrap.votes == 1);
  CHECK(maker.make()->agreement().members().id() == 3);
}

// Without memory for the k-th allocation, for each k: all ranks get an error, and can go on.
TEST_CASE("a rank that has no memory for a communicator says so by the vote",
          "[communicator][threads]") {
  constexpr int P = 3, kStarved = 1;
  Job job(P, {});
  bool starved = true;
  CommunicatorId id = 2;
  int k = 0;
  for (; starved; ++k) {
    INFO("allocation " << k);
    for (const bool short_of_memory : {true, false}) {
      Meeting meeting(P);
      Job::Communicators made(P);
      std::vector<int> votes(P);
      const auto outcomes = job.run([&](int rank) {
        const auto i = static_cast<std::size_t>(rank);
        const std::vector<int> members{0, 1, 2};
        Selection selection(job.rules, *models::find_shipped("shm"));
        try {
          Votes bootstrap(rank, P, [&](std::int64_t mine) {
            ++votes[i];
            return meeting.largest(i, mine);
          });
          if (rank == kStarved && short_of_memory) allocations_left = k;
          made[i] = agree_on_communicator(job.engine(rank), bootstrap, rank, members, selection);
        } catch (const std::bad_alloc&) {
          throw Error(Code::out_of_memory, "");
        }
        made[i].reset();
      });
      if (short_of_memory) starved = outcomes[kStarved].code == Code::out_of_memory;
      const bool fails = short_of_memory && starved;
      for (int rank = 0; rank < P; ++rank) {
        const Outcome& outcome = outcomes[static_cast<std::size_t>(rank)];
        CHECK(votes[static_cast<std::size_t>(rank)] == 1);
        CHECK(outcome.code == (!fails             ? Code::success
                               : rank == kStarved ? Code::out_of_memory
                                                  : Code::bootstrap_failed));
        CHECK(outcome.peer == (fails && rank != kStarved ? kStarved : kNoPeer));
        CHECK(job.engine(rank).dispatcher().is_free(id) == fails);
        CHECK(job.engine(rank).dispatcher().agreements().size() == 1);
      }
      if (!fails) ++id;
    }
  }
  CHECK(k > 3);
}

// Several threads of each rank make communicators of overlapping members, and keep some.
TEST_CASE("communicators that threads make at the same time have different numbers",
          "[communicator][threads]") {
  constexpr std::size_t kThreads = 3;
  constexpr int P = 3, kRounds = 200;
  const std::vector<std::vector<int>> kinds{{0, 1}, {1, 2}, {2, 0}, {0, 1, 2}};
  Job job(P, {}, Job::settings(), true);
  std::deque<Meeting> meetings;
  for (std::size_t i = 0; i < kThreads * kinds.size(); ++i)
    meetings.emplace_back(kinds[i % kinds.size()].size());
  std::vector<std::vector<std::vector<CommunicatorId>>> got(  // by rank and thread, in order
      P, std::vector<std::vector<CommunicatorId>>(kThreads));
  int slow = 0;  // communicators of rank 0 that took two votes or more
  std::mutex slow_lock;
  const auto work = [&](int rank, std::size_t thread) {
    Selection selection(job.rules, *models::find_shipped("shm"));
    Job::Communicators kept(4);
    for (int round = 0; round < kRounds; ++round) {
      const std::size_t kind = (static_cast<std::size_t>(round) + thread) % kinds.size();
      const std::vector<int>& members = kinds[kind];
      const auto me = std::find(members.begin(), members.end(), rank);
      if (me == members.end()) continue;
      const auto i = static_cast<std::size_t>(me - members.begin());
      Votes bootstrap(static_cast<int>(i), static_cast<int>(members.size()),
                      [&](std::int64_t mine) {
                        return meetings[thread * kinds.size() + kind].largest(i, mine);
                      });
      auto made = agree_on_communicator(job.engine(rank), bootstrap, static_cast<int>(i), members,
                                        selection);
      got[static_cast<std::size_t>(rank)][thread].push_back(made->agreement().members().id());
      const auto lock = job.engine(rank).enter();
      std::swap(kept[static_cast<std::size_t>(round) % kept.size()], made);
      made.reset();
      const std::lock_guard counting(slow_lock);
      slow += rank == 0 && bootstrap.votes > 1;
    }
    const auto lock = job.engine(rank).enter();
    kept.clear();
  };
  for (const Outcome& outcome : run_ranks(P * static_cast<int>(kThreads), [&](int i) {
         work(i % P, static_cast<std::size_t>(i / P));
       }))
    CHECK(outcome.message == "");
  CHECK(slow > 0);  // they did so at the same time
  // Each number names one communicator on each rank, and is the same on its members.
  for (int rank = 0; rank < P; ++rank) {
    std::set<CommunicatorId> all;
    std::size_t made = 0;
    for (const auto& of_thread : got[static_cast<std::size_t>(rank)]) {
      all.insert(of_thread.begin(), of_thread.end());
      made += of_thread.size();
    }
    CHECK(all.size() == made);
  }
  for (std::size_t thread = 0; thread < kThreads; ++thread) {
    std::vector<std::size_t> at(P);
    for (int round = 0; round < kRounds; ++round) {
      std::set<CommunicatorId> ids;
      for (const int member : kinds[(static_cast<std::size_t>(round) + thread) % kinds.size()])
        ids.insert(
            got[static_cast<std::size_t>(member)][thread][at[static_cast<std::size_t>(member)]++]);
      REQUIRE(ids.size() == 1);
    }
  }
}
