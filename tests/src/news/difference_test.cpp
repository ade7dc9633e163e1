// Messages about two calls that differ.
#include "src/news/difference.hpp"

#include "src/news/call_words.hpp"
#include "tests/src/job/member.hpp"

using namespace tutti;
using namespace tutti::tests;

namespace {

constexpr int kOtherMember = 12, kThirdMember = 11;

struct KnownDifference {
  Members members{kId, 0, {13, 12, 11, 10}};
  CallCount count{1};
  Difference difference;

  KnownDifference(const protocols::Asked& mine, const protocols::Asked& theirs,
                  const char* how = nullptr)
      : difference(0, mine, kOtherMember, theirs, how) {}
  std::string words() const { return difference.in_words(members, count); }
};

protocols::Asked asked_for(Bytes bytes) { return asked_of(bcast(bytes), 0); }

}  // namespace

TEST_CASE("the words have one order at both ends", "[difference]") {
  const std::string both =
      "ranks make different calls: call 1 of communicator number 7 is bcast (9 bytes, root 0) on "
      "rank 12 of MPI_COMM_WORLD, and bcast (8 bytes, root 0) on rank 13";
  const KnownDifference here(asked_for(8), asked_for(9));
  CHECK(here.words() == both);
  const Members other_members(kId, 1, {13, 12, 11, 10});
  const Difference there(0, asked_for(9), 13, asked_for(8), "by looking");
  CHECK(there.in_words(other_members, CallCount{1}) == both + ". Found on rank 12: by looking");
}

TEST_CASE("a member's word counts if it shows more", "[difference]") {
  KnownDifference here(asked_for(8), {});
  CHECK_FALSE(here.difference.is_complete());
  here.difference.hear(kOtherMember, {});  // it does not know either
  CHECK_FALSE(here.difference.is_complete());
  here.difference.hear(kThirdMember, asked_for(8));  // equal to this rank's: another one is meant
  CHECK_FALSE(here.difference.is_complete());
  here.difference.hear(kThirdMember, asked_for(9));
  CHECK(here.difference.is_complete());
  CHECK(here.difference.other() == kThirdMember);
  here.difference.hear(kOtherMember, asked_for(10));  // one that differs is known
  CHECK(here.difference.other() == kThirdMember);
  here.difference.hear(kThirdMember, asked_for(8));  // the same member corrects itself
  here.difference.hear(kOtherMember, asked_for(10));
  CHECK(here.difference.other() == kOtherMember);
}

TEST_CASE("equal calls differ from one on another rank", "[difference]") {
  CHECK_THAT(KnownDifference(asked_for(8), asked_for(8)).words(),
             Catch::Matchers::EndsWith(", and another one on another rank"));
}
