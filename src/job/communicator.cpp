// Makes the plans of a communicator, and carries out its failure.
#include "src/job/communicator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "collectives/selection/choices.hpp"
#include "src/job/selection.hpp"

namespace tutti {

namespace {

// A communicator that not all ranks have yet. The dispatcher's data change under the lock.
class PendingCommunicator {
 public:
  explicit PendingCommunicator(Engine& engine) : engine_(engine) {}
  ~PendingCommunicator() {
    const auto lock = engine_.enter();
    identifiers().end(vote_);
    communicator_.reset();
  }
  PendingCommunicator(const PendingCommunicator&) = delete;
  PendingCommunicator& operator=(const PendingCommunicator&) = delete;

  // All that can fail.
  void make(int rank, const std::vector<int>& world_ranks, Selection& selection) {
    const auto lock = engine_.enter();
    communicator_ =
        std::make_unique<Communicator>(engine_, Agreement::kNoId, rank, world_ranks, selection);
  }
  Identifiers::Proposal propose() noexcept {
    const auto lock = engine_.enter();
    return identifiers().propose(vote_);
  }
  // False: another communicator has that number here. Otherwise it is this one's from now on.
  bool take(CommunicatorId id) noexcept {
    const auto lock = engine_.enter();
    const bool taken = Identifiers::may_be_taken(id) && !engine_.dispatcher().is_free(id);
    if (communicator_ && !taken)
      engine_.dispatcher().identify(communicator_->agreement(), id);
    else
      identifiers().note(id);
    identifiers().end(vote_);
    vote_.refused = taken;
    return !communicator_ || !taken;
  }
  std::unique_ptr<Communicator> born() noexcept {
    const auto lock = engine_.enter();
    if (communicator_) engine_.dispatcher().hear_early(communicator_->agreement().members().id());
    return std::move(communicator_);
  }

 private:
  Identifiers& identifiers() noexcept { return engine_.dispatcher().identifiers(); }

  Engine& engine_;
  Identifiers::Vote vote_;
  std::unique_ptr<Communicator> communicator_;
};

}  // namespace

// A rank that fails before the first vote says so by that vote, as it leaves the bootstrap: see
// Bootstrap. Nothing fails after it on one rank alone.
std::unique_ptr<Communicator> agree_on_communicator(Engine& engine, transport::Bootstrap& bootstrap,
                                                    std::optional<int> rank,
                                                    const std::vector<int>& world_ranks,
                                                    Selection& selection) {
  PendingCommunicator made{engine};
  if (rank) made.make(*rank, world_ranks, selection);
  for (;;) {
    const Identifiers::Proposal agreed = bootstrap.maximum(made.propose());
    if (Identifiers::used_up(agreed))
      throw Error(Code::unsupported,
                  "the program has made so many communicators that no number is left for another");
    const bool taken = !made.take(static_cast<CommunicatorId>(agreed));
    if (!Identifiers::may_be_taken(agreed) || bootstrap.maximum(taken ? 1 : 0) == 0)
      return made.born();
  }
}

Communicator::Communicator(Engine& engine, CommunicatorId id, int rank,
                           std::vector<int> world_ranks, Selection& selection)
    : engine_(engine),
      agreement_({id, rank, std::move(world_ranks)}),
      selection_(selection),
      membership_(
          selection.memberships().of(agreement_.members().world_ranks(), engine, selection)),
      plans_(membership_->plans,
             [this](const collectives::Task& task) { agreement_.forget(task); }) {
  engine_.dispatcher().add(agreement_);
}

Communicator::~Communicator() {
  Dispatcher& dispatcher = engine_.dispatcher();
  dispatcher.catch_up();
  if (agreement_.failed() && !agreement_.failure().told()) {
    settle_failure();
    if (agreement_.failure().code() == Code::calls_differ)
      dispatcher.warn(agreement_.failure().text());
  }
  dispatcher.remove(agreement_);
  if (agreement_.failed()) membership_->plans.end_failed(this);
}

collectives::Problem Communicator::problem_for(const collectives::Task& task) const {
  collectives::Problem problem{task, size(), rank(), size() == 1 || engine_.mailbox(), {}};
  problem.node = membership_->nodes;
  return problem;
}

Plan& Communicator::make_plan(const collectives::Task& task) {
  if (agreement_.failed()) throw_failure();
  collectives::Problem problem = problem_for(task);
  const collectives::Choice choice = selection_.choose(problem, *membership_->decisions);
  if (const JobLog& log = engine_.log(); log.enabled())
    log.write(fmt::format("{} of {} on {}, {}: {} ({})", collectives::name_of(task.collective),
                          counted(collectives::typical_bytes(problem), "byte"),
                          counted(size(), "rank"), counted(membership_->facts.nodes, "node"),
                          collectives::to_string(choice), choice.reason));
  return plans_.add(new_plan(std::move(problem), choice));
}

std::unique_ptr<Plan> Communicator::plan_by(const collectives::Task& task,
                                            std::string_view algorithm) {
  if (agreement_.failed()) throw_failure();
  return new_plan(problem_for(task), {collectives::find(task.collective, algorithm)});
}

std::unique_ptr<Plan> Communicator::new_plan(collectives::Problem problem,
                                             const collectives::Choice& choice) {
  const auto world_rank = [this](Rank peer) {
    return agreement_.members().world_ranks()[static_cast<std::size_t>(peer)];
  };
  const auto channel_to = [&](Rank peer) -> protocols::Channel& {
    return engine_.connections().channel(world_rank(peer));
  };
  return std::make_unique<Plan>(
      std::move(problem), choice,
      Plan::PlanContext{channel_to, engine_.mailbox(), world_rank, engine_.scratch(),
                        [this](Bytes bytes) {
                          return models::costs_of(selection_.platform().between, bytes).gap;
                        }});
}

void Communicator::refuse(Code code, std::string_view why) noexcept {
  if (agreement_.failed()) return;
  engine_.dispatcher().spread(agreement_, agreement_.refuse(code, why), Dispatcher::Reach::near);
}

void Communicator::blame(const OpenCall& call, protocols::Channel* culprit) noexcept {
  if (culprit) {
    if (culprit->failed()) culprit->progress();  // earlier news of the peer is the cause
    agreement_.failure().record_in(call, culprit->failure_code(),
                                   culprit->culprit(agreement_.members().world_rank()),
                                   culprit->failure());
    culprit->forget_complaint();
  }
  if (!agreement_.failed())
    agreement_.failure().record(Code::internal, agreement_.members().world_rank(),
                                "a step of the schedule cannot be run; please report this");
}

// Calls of members that came too late for the first error are named in the next ones.
void Communicator::settle_failure() noexcept {
  Dispatcher& dispatcher = engine_.dispatcher();
  if (agreement_.failure().note_told()) {
    if (agreement_.failure().code() == Code::calls_differ) dispatcher.catch_up();
    dispatcher.end_use(agreement_);
  } else {
    dispatcher.spread_failure(agreement_);
  }
  agreement_.failure().tell_difference();
}

void Communicator::throw_failure() {
  settle_failure();
  throw Error(agreement_.failure().code(), agreement_.failure().text(),
              agreement_.failure().culprit());
}

nlohmann::json Communicator::explain(std::string_view name, Bytes bytes) const {
  const collectives::Collective collective = collectives::read_collective(name);
  if (bytes < 0)
    throw Error(Code::bad_count, fmt::format("`bytes` is {}; it must not be negative", bytes));
  if (bytes > models::kMostInAll / size())
    throw Error(Code::bad_count, fmt::format("{} bytes for each of {} ranks are too many: at most "
                                             "{} in all",
                                             bytes, size(), models::kMostInAll));
  auto problem = problem_for(explained_task(collective, bytes, engine_.configuration()));
  // Without a torus only this rank knows its neighbours, and the estimates are of a ring.
  if (is_of_neighbours(collective) && neighbours_ && !neighbours_->torus.empty())
    problem.neighbours = neighbours_;
  return selection_.explain(problem, *membership_->decisions);
}

nlohmann::json Communicator::describe() const {
  nlohmann::json collectives = nlohmann::json::object();
  plans_.each_last([&](const Plan& plan) {
    const collectives::Schedule& schedule = plan.program().schedule();
    collectives[std::string(collectives::name_of(plan.task().collective))] = {
        {"algorithm", collectives::to_string(plan.choice())},
        {"digest", fmt::format("{:016x}", schedule.digest())},
        {"steps", schedule.steps.size()},
        {"scratch_bytes", schedule.scratch_bytes},
        {"staging_bytes", plan.program().staging_bytes()}};
  });
  return {{"communicator",
           {{"id", agreement_.members().id()},
            {"size", size()},
            {"rank", rank()},
            {"nodes", membership_->facts.nodes},
            {"max_ranks_per_node", membership_->facts.max_ranks_per_node},
            {"address_bytes", agreement_.members().world_ranks().capacity() * sizeof(int)},
            {"failed", agreement_.failed()},
            {"collectives", collectives}}}};
}

}  // namespace tutti
