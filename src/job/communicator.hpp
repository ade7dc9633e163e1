// A communicator: its members, what they have agreed on, and its plans. Calls run through requests.
// Knows collectives and the engine; knows no MPI type.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "src/news/agreement.hpp"
#include "src/job/engine.hpp"
#include "src/job/membership.hpp"

namespace tutti {

class Selection;

class Communicator {
 public:
  // `world_ranks`: the members, by rank of this communicator. `id`: agreed by all members. The
  // engine and the selection must outlive it.
  Communicator(Engine& engine, CommunicatorId id, int rank, std::vector<int> world_ranks,
               Selection& selection);
  // Messages that have come show whether there was a mistake that no call has met: then the members
  // hear of it, and it is logged.
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  int size() const noexcept { return agreement_.members().size(); }
  int rank() const noexcept { return agreement_.members().rank(); }
  Engine& engine() const noexcept { return engine_; }
  Agreement& agreement() noexcept { return agreement_; }
  // This rank's neighbours; nothing: the communicator has no topology.
  const std::optional<collectives::Neighbourhood>& neighbours() const noexcept {
    return neighbours_;
  }
  void set_neighbours(std::optional<collectives::Neighbourhood> neighbours) noexcept {
    neighbours_ = std::move(neighbours);
  }

  // The plan for a task, made if there is none yet. Throws Error, and the failure if there was one
  // before.
  Plan& plan(const collectives::Task& task) {
    if (Plan* const known = plans_.find(task)) return *known;
    return make_plan(task);
  }
  // The same plan once more; no plan was dropped since.
  Plan& again(Plan& plan) noexcept {
    plans_.use(plan);
    return plan;
  }
  // A plan by that algorithm, which applies to all, and whatever settings say. The caller's, who
  // lets the agreement forget its task. Throws Error.
  std::unique_ptr<Plan> plan_by(const collectives::Task& task, std::string_view algorithm);
  std::uint64_t dropped_plans() const noexcept { return plans_.dropped(); }
  // A call that was rejected before it started: the members hear of it, as they may wait for this
  // rank in it. `why`: what it has returned.
  void refuse(Code code, std::string_view why = {}) noexcept;
  // The call has failed, by this channel; null: by itself.
  void blame(const OpenCall& call, protocols::Channel* culprit) noexcept;
  // The execution has failed, of a call of this communicator. No other call gets it.
  void keep_failed(Plan& plan, Running* running) noexcept { plan.fail(running, this); }
  // After a failure: tells the members, the first time, and sees that nobody writes into the
  // buffers of calls that have ended, or reads from them.
  void settle_failure() noexcept;
  // Settles the failure, and throws it.
  [[noreturn]] void throw_failure();

  // An object with one member, "communicator"; see tutti_describe(3).
  nlohmann::json describe() const;
  // See tutti_explain(3). Throws Error{bad_configuration | bad_count | algorithm_not_applicable}.
  nlohmann::json explain(std::string_view collective, Bytes bytes) const;

 private:
  Plan& make_plan(const collectives::Task& task);
  std::unique_ptr<Plan> new_plan(collectives::Problem problem, const collectives::Choice& choice);
  collectives::Problem problem_for(const collectives::Task& task) const;

  Engine& engine_;
  Agreement agreement_;
  std::optional<collectives::Neighbourhood> neighbours_;
  const Selection& selection_;
  const std::shared_ptr<Membership> membership_;
  Plans plans_;
};

// Makes one, whose number all ranks of the bootstrap agree on; null for a rank that is no member.
// Collective over the bootstrap. Takes the engine's lock, but not where it exchanges data: they
// may come to it only after other calls, of other threads. Throws Error.
std::unique_ptr<Communicator> agree_on_communicator(Engine& engine, transport::Bootstrap& bootstrap,
                                                    std::optional<int> rank,
                                                    const std::vector<int>& world_ranks,
                                                    Selection& selection);

}  // namespace tutti
