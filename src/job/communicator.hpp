// A communicator: its ranks, its cached executions, its failure. Runs one collective at a time.
// Knows collectives (registry, selection, executor) and the engine; knows no MPI type.
#pragma once

#include <fmt/format.h>

#include <iterator>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "collectives/execution/executor.hpp"
#include "collectives/algorithms/catalogue.hpp"
#include "collectives/selection/rules.hpp"
#include "protocols/multicast.hpp"
#include "src/job/engine.hpp"

namespace tutti {

// One collective to run: what is asked for, and where the bytes are.
struct Call {
  collectives::Task task{};
  const void* input = nullptr;
  void* output = nullptr;
  Combine combine{};
};

class Communicator {
 public:
  // `world_ranks`: the members, by rank of this communicator. `id`: agreed by all members.
  Communicator(Engine& engine, CommunicatorId id, int rank, std::vector<int> world_ranks,
               const collectives::Rules& rules);
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  // Runs a collective to its end. Throws Error; after any but an argument's error the communicator
  // has failed.
  void run(const Call& call);

  // A call that was refused here, for its arguments or for want of memory, before it could run: it
  // counts as one of the communicator's collectives, and the members hear of it, as they may wait
  // for this rank in it. Where all refuse it, nothing is lost.
  void refuse(Code code) noexcept;
  // A member refused collective `number`. If this rank did not, it can never end there: the
  // communicator fails.
  void refused_by(int world_rank, CollectiveNumber number, Code code) noexcept;
  // A member that waits long is told, now and then, what call this rank waits for it in; if it made
  // another one, the two can never end.
  void tell_waiting(protocols::Channel& channel) const noexcept;
  void waited_for(protocols::Channel& channel, CollectiveNumber number,
                  std::uint32_t fingerprint) noexcept;
  // The member has finished that collective, or freed the communicator: what this rank still waits
  // for from it after a further look at all that has come will never come.
  void passed_by(int world_rank, CollectiveNumber number) noexcept;
  void look_at(protocols::Channel& channel, Patience::Time now) noexcept;
  // Whether a message has come that no call here will ask for. Unless the communicator failed
  // before, ranks make different calls: an error.
  bool unwanted(const MessageName& name, int sender) noexcept;
  // Collectives called so far.
  CollectiveNumber calls() const noexcept { return number_; }
  bool has_refused() const noexcept { return !refused_.empty(); }
  // The last refusals here, for a member that connects late.
  template <class Visit>
  void each_refusal(Visit&& visit) const {
    auto it = refused_.size() > 16 ? std::prev(refused_.end(), 16) : refused_.begin();
    for (; it != refused_.end(); ++it) visit(it->first, it->second);
  }

  int size() const noexcept { return static_cast<int>(world_ranks_.size()); }
  int rank() const noexcept { return rank_; }
  CommunicatorId id() const noexcept { return id_; }
  bool has_member(int world_rank) const noexcept;
  const std::vector<int>& world_ranks() const noexcept { return world_ranks_; }

  // Records the first cause; later ones are ignored.
  template <class... Args>
  void fail(Code code, int culprit, fmt::format_string<Args...> text, Args&&... args) noexcept {
    if (failed()) return;
    failure_culprit_ = culprit;
    failure_code_ = code;
    try {
      failure_text_ = fmt::format(text, std::forward<Args>(args)...);
    } catch (...) {
      failure_text_.clear();  // out of memory: the code alone must do
    }
  }
  bool failed() const noexcept { return failure_code_ != Code::success; }
  Code failure_code() const noexcept { return failure_code_; }
  int failure_culprit() const noexcept { return failure_culprit_; }
  protocols::News failure_news() const noexcept {
    return {.communicator = id_, .code = failure_code_, .culprit = failure_culprit_};
  }
  nlohmann::json describe() const;  // an object with one member, "communicator"

 private:
  struct Prepared {
    collectives::Problem problem;
    collectives::Choice choice;
    std::unique_ptr<collectives::Execution> execution;
    std::unique_ptr<protocols::MulticastBroadcast>
        multicast;     // of a schedule with datagrams: runs in the execution's place
    Ordinal mark = 0;  // what the names of its messages say of the call; 0: nothing
    std::uint64_t last_use = 0;
    bool solves(const collectives::Task& task) const noexcept {
      return static_cast<const collectives::Task&>(problem) == task;
    }
  };

  Prepared& prepared(const Call& call);
  Prepared& prepare(const Call& call);
  std::unique_ptr<protocols::MulticastBroadcast> multicast_over(const collectives::Schedule& tree,
                                                                Rank root);
  // Takes what was started to its end.
  template <class Running>
  void complete(Running& running);
  [[noreturn]] void throw_failure();
  void fail_as_different(int world_rank, const char* what) noexcept;
  bool over(CollectiveNumber number) const noexcept {
    return static_cast<std::int32_t>(number - number_) < -1;
  }  // a later one was called
  std::optional<std::uint32_t> fingerprint(CollectiveNumber number, int world_rank) const noexcept;

  Engine& engine_;
  const CommunicatorId id_;
  const int rank_;
  const std::vector<int> world_ranks_;
  const collectives::Rules& rules_;
  collectives::Facts facts_;
  std::vector<int> nodes_;  // of each rank, numbered in order of first appearance
  CollectiveNumber number_ = 0;
  static constexpr std::size_t kMaxPrepared = 64;
  std::vector<std::unique_ptr<Prepared>> prepared_;
  std::array<Prepared*, collectives::kCollectives>
      last_{};  // by collective: what ran last, which mostly runs again
  static constexpr std::size_t kRemembered = 16;
  static constexpr CollectiveNumber kCallsPerGlance = 64;
  std::array<const Prepared*, kRemembered>
      recent_{};  // by number: the last calls; null: refused, or given up since
  std::uint64_t uses_ = 0;
  Code failure_code_ = Code::success;
  int failure_culprit_ = kNoPeer;
  std::string failure_text_;
  bool spread_ = false;  // the members were told
  std::map<CollectiveNumber, Code>
      refused_;  // here, the last of them: peers may tell of theirs much later
  struct Refusal {
    int world_rank;
    CollectiveNumber number;
    Code code;
  };
  std::vector<Refusal> refusals_;  // of peers, for collectives that this rank has not reached
  static constexpr std::size_t kRefusalsKept = 4096;
  struct Passed {
    int world_rank;
    CollectiveNumber number;
    Patience::Time seen;  // when this rank first found itself waiting all the same
  };
  std::vector<Passed> passed_;
};

}  // namespace tutti
