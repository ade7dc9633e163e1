// Messages about two calls that differ.
#include "src/news/difference.hpp"

#include "src/news/call_words.hpp"
#include "tests/src/job/member.hpp"

using namespace tutti;
using namespace tutti::tests;
using protocols::Asked;

namespace {

const std::vector<int> kWorldRanks{13, 12, 11, 10};
const Task kSumOf16{.collective = Collective::allreduce, .bytes = 16};

Asked asked_for(Bytes bytes) { return asked_of(bcast(bytes), 0); }
// Only the collective is known.
Asked only_named(Collective collective) { return {static_cast<std::int16_t>(collective)}; }

// The message that this rank of MPI_COMM_WORLD would print.
std::string words_on(int world_rank, const Difference& difference) {
  const Members members(kId, 13 - world_rank, kWorldRanks);
  return difference.in_words(members, CallCount{1});
}

const std::string kDifferingBegin = "ranks make different calls: call 1 of communicator number 7 ";
const std::string kAdvice = " (TUTTI_CHECK=calls names both calls if they block)";

}  // namespace

TEST_CASE("the words have one order at both ends", "[difference]") {
  const std::string both = kDifferingBegin +
                           "is bcast (9 bytes, root 0) on rank 12 of MPI_COMM_WORLD, and bcast "
                           "(8 bytes, root 0) on rank 13";
  CHECK(words_on(13, {0, {13, asked_for(8)}, {12, asked_for(9)}, nullptr}) == both);
  CHECK(words_on(12, {0, {12, asked_for(9)}, {13, asked_for(8)}, "by looking"}) == both);
}

TEST_CASE("all ranks that have heard of all name the same two calls", "[difference]") {
  const Task other = GENERATE(bcast(9), bcast(8, 1), kSumOf16);
  const int odd = GENERATE(10, 11, 12, 13);
  INFO("rank " << odd << " makes the other call");
  const auto call_of = [&](int rank) {
    return Difference::Side{rank, asked_of(rank == odd ? other : bcast(8), 0)};
  };
  std::vector<std::string> all;
  for (const int me : kWorldRanks)
    for (const int finder : kWorldRanks) {
      if (finder == odd) continue;
      Difference difference =
          me == finder
              ? Difference(0, call_of(me), {odd, only_named(other.collective)}, "by looking")
          : me == odd
              ? Difference(0, call_of(me), call_of(finder), nullptr)
              : Difference(0, call_of(me), call_of(finder), {odd, only_named(other.collective)});
      // In any order.
      for (std::size_t i = 0; i < kWorldRanks.size(); ++i) {
        const int from = kWorldRanks[(i + index(finder)) % kWorldRanks.size()];
        if (from != me) difference.hear(call_of(from));
      }
      CHECK(difference.is_complete());
      all.push_back(words_on(me, difference));
    }
  for (const std::string& words : all) CHECK(words == all.front());
  CHECK_THAT(all.front(), Catch::Matchers::Contains("on rank 10 of MPI_COMM_WORLD, and ") &&
                              Catch::Matchers::EndsWith(odd == 10 ? "on rank 11"
                                                                  : "rank " + std::to_string(odd)));
}

TEST_CASE("who made neither call names the other one, as far as it was told", "[difference]") {
  Difference third(0, {11, asked_for(8)}, {13, asked_for(8)},
                   {12, only_named(Collective::allreduce)});
  CHECK_FALSE(third.is_complete());
  CHECK(words_on(11, third) == kDifferingBegin +
                                   "is allreduce on rank 12 of MPI_COMM_WORLD, and bcast (8 bytes, "
                                   "root 0) on rank 13" +
                                   kAdvice);
  CHECK_FALSE(third.has_heard(12));
  third.hear({12, asked_of(kSumOf16, 1)});
  CHECK(third.has_heard(12));
  CHECK(third.is_complete());
  CHECK(words_on(11, third) == kDifferingBegin +
                                   "is bcast (8 bytes, root 0) on rank 11 of MPI_COMM_WORLD, and "
                                   "allreduce (16 bytes) on rank 12");
}

TEST_CASE("a call that nobody knows has no match", "[difference]") {
  CHECK(words_on(13, {0, {13, asked_for(8)}, {12}, nullptr}) ==
        kDifferingBegin +
            "is bcast (8 bytes, root 0) on rank 13 of MPI_COMM_WORLD, and has no match on "
            "rank 12" +
            kAdvice);
  CHECK(words_on(11, {0, {11, asked_for(8)}, {13}, {12}}) ==
        kDifferingBegin +
            "is bcast (8 bytes, root 0) on rank 11 of MPI_COMM_WORLD, and has no match on "
            "rank 12" +
            kAdvice);
  CHECK(words_on(11, {0, {11}, {13}, {12}}) ==
        kDifferingBegin + "does not match on ranks 11 and 12 of MPI_COMM_WORLD" + kAdvice);
}

TEST_CASE("a member's first word counts, if it says anything", "[difference]") {
  Difference here(0, {13, asked_for(8)}, {12}, nullptr);
  here.hear({12, {}});  // it does not know either
  CHECK_FALSE(here.is_complete());
  CHECK_FALSE(here.has_heard(12));
  here.hear({11, asked_for(8)});  // equal to this rank's: another one is meant
  CHECK_FALSE(here.is_complete());
  here.hear({12, asked_for(9)});
  here.hear({12, asked_for(8)});
  CHECK_THAT(words_on(13, here),
             Catch::Matchers::EndsWith("is bcast (8 bytes, root 0) on rank 11 of MPI_COMM_WORLD, "
                                       "and bcast (9 bytes, root 0) on rank 12"));
}

TEST_CASE("equal calls differ from one on another rank", "[difference]") {
  CHECK_THAT(words_on(13, {0, {13, asked_for(8)}, {12, asked_for(8)}, nullptr}),
             Catch::Matchers::EndsWith(", and another one on another rank"));
}

TEST_CASE("lengths that only some ranks know differ by right", "[difference]") {
  Task one{.collective = Collective::gather, .counts = {0, 7, 0, 0}, .counts_known = false},
      other{.collective = Collective::gather, .counts = {0, 0, 5, 0}, .counts_known = false};
  CHECK(may_match(asked_of(one, 1), asked_of(other, 2)));
  other.root = 3;
  CHECK_FALSE(may_match(asked_of(one, 1), asked_of(other, 2)));
  one = {.collective = Collective::alltoall, .counts = {1, 2}, .receive_counts = {1, 5}};
  other = {.collective = Collective::alltoall, .counts = {5, 6}, .receive_counts = {2, 6}};
  CHECK(may_match(asked_of(one, 0), asked_of(other, 1)));
  one.collective = other.collective = Collective::allgather;  // of which all ranks know all
  CHECK_FALSE(may_match(asked_of(one, 0), asked_of(other, 1)));
  // Then what was found says what differs.
  other = one = {.collective = Collective::gather, .counts = {7, 0}, .counts_known = false};
  other.counts[0] = 9;
  CHECK_THAT(words_on(13, {0, {13, asked_of(one, 1)}, {12, asked_of(other, 0)}, "9 came, not 7"}),
             Catch::Matchers::EndsWith(" on rank 13. Found on rank 13: 9 came, not 7"));
}
