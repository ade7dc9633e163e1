// Agreement: what the members of one communicator have told each other about its calls, and what
// follows from it.
//
// Calls are numbered alike on all ranks. A member says that it has rejected a call, waits in one,
// has passed one, or that the communicator has failed. From that, and from messages that no call
// asks for, a rank learns that another made a different call, or none; then the communicator fails,
// with a first cause that stays. Speaks of the set of calls that are open here: none, the one that
// blocks, or any number of them.
//
// Pure: no channel, no clock, no I/O. The dispatcher brings news in and takes answers out.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocols/news.hpp"
#include "src/news/call_count.hpp"
#include "src/news/failure.hpp"
#include "src/news/members.hpp"
#include "src/news/open_calls.hpp"
#include "src/news/standings.hpp"

namespace tutti {

class Agreement {
 public:
  using Time = Standings::Time;
  static constexpr CommunicatorId kNoId = 0;  // of none: the members have not agreed on it yet

  // `first`: the number of the first call, agreed by all members.
  explicit Agreement(Members members, CollectiveNumber first = 0);
  Agreement(const Agreement&) = delete;
  Agreement& operator=(const Agreement&) = delete;

  const Members& members() const noexcept { return members_; }
  Members& members() noexcept { return members_; }
  const CallCount& count() const noexcept { return count_; }
  CallCount& count() noexcept { return count_; }
  const OpenCalls& calls() const noexcept { return calls_; }
  const Standings& standings() const noexcept { return standings_; }
  Standings& standings() noexcept { return standings_; }

  // --- this rank's calls -----------------------------------------------------------------------

  // Gives the call its number, the next one. If a member has rejected that very call, the
  // communicator fails here.
  void open(OpenCall& call) noexcept {
    calls_.open(call, count_.take());
    if (!refusals_.empty() || !refused_.empty()) [[unlikely]]
      look_for_refusal(call);
  }
  // The call has ended, well or not.
  void close(OpenCall& call) noexcept {
    calls_.close(call);
    if (!passed_.empty()) [[unlikely]]
      forget_passed(call);
  }
  // No closed call is compared with this task any more: it is about to go.
  void forget(const collectives::Task& task) noexcept { calls_.forget(task); }
  // Records a call that was rejected before it started (bad arguments, no memory). It still uses up
  // a number, and the news is for all members, because they may be waiting. If all reject it,
  // nothing is lost. `why`: as the call has returned it; if others have waited for it, this rank
  // hears it again.
  protocols::News refuse(Code code, std::string_view why = {}) noexcept;
  // News that a member that connects late must hear: the failure, the last refusals.
  template <class Visit>
  void each_old_news(Visit&& visit) const {
    if (failed()) visit(failure_.news());
    for (std::size_t i = refused_.size() - std::min(refused_.size(), OpenCalls::kRemembered);
         i < refused_.size(); ++i)
      visit(refusal(refused_[i]));
  }

  // --- what members say ------------------------------------------------------------------------

  // Takes in what a member says; what is to be answered, if anything.
  std::optional<protocols::News> hear(const protocols::News& news, int from) noexcept;
  // Whether no call here will ever ask for that message. Unless the communicator has failed, ranks
  // make different calls then, which is a failure.
  bool unwanted(const MessageName& name, int from) noexcept;
  // News to a member that `call` waits for, repeated; nullopt: there is no call to compare.
  std::optional<protocols::News> waiting(const OpenCall& call, int member) const noexcept;
  // Reports that `call` is still waiting for `member` although everything that has arrived was
  // processed. It is a failure if the member had said before the last such report that it has
  // passed the call: it will never come. `unacknowledged`: this rank may only be waiting for its
  // own adapter, which is no failure.
  void note_still_waiting(const OpenCall& call, int member, bool unacknowledged, Time now) noexcept;

  bool failed() const noexcept { return failure_.happened(); }
  const Failure& failure() const noexcept { return failure_; }
  Failure& failure() noexcept { return failure_; }

 private:
  struct Refused {  // a call that this rank rejected
    CollectiveNumber number;
    Code code;
    std::string why;  // of the last ones; empty: no memory
  };
  struct Refusal {  // of a member, for a call that this rank has not made yet
    int member;
    CollectiveNumber number;
    Code code;
  };
  struct Passed {
    int member;
    CollectiveNumber number;
    Time seen;  // when this rank first found itself still waiting
  };

  void look_for_refusal(const OpenCall& call) noexcept;
  void forget_passed(const OpenCall& call) noexcept;
  // Ended, or rejected.
  bool over(CollectiveNumber number) const noexcept;
  const Refused* refused(CollectiveNumber number) const noexcept;
  protocols::News refusal(const Refused& call) const noexcept;
  std::optional<std::uint32_t> fingerprint(CollectiveNumber number, int member) const noexcept;
  std::optional<protocols::News> heard_failed(const protocols::News& news, int from) noexcept;
  void heard_refused(const protocols::News& news, int from) noexcept;
  std::optional<protocols::News> heard_waits(const protocols::News& news, int from) noexcept;
  void heard_passed(const protocols::News& news, int from) noexcept;
  void fail_out_of_memory() noexcept {
    failure_.record(Code::out_of_memory, members_.world_rank(), "out of memory");
  }

  Members members_;
  CallCount count_;
  OpenCalls calls_;
  std::vector<Refused> refused_;  // the last of them, in order: members may ask much later
  static constexpr std::size_t kRefusedKept = 4096;
  std::vector<Refusal> refusals_;  // the first of them, if a member is very far ahead
  std::vector<Passed> passed_;
  Standings standings_{members_, count_, calls_};
  Failure failure_{members_, count_, calls_};
};

}  // namespace tutti
