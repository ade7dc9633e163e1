// How a process chooses algorithms: what the user has said, and the model of the machine. Knows the
// bootstrap, by which all ranks get the same parameters.
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "models/decision/decisions.hpp"
#include "src/setup/configuration.hpp"
#include "src/job/membership.hpp"
#include "transport/bootstrap.hpp"

namespace tutti {

// Refuses the values of the setting `model` that agree_on_platform() would, on rank 0. Throws
// Error{bad_configuration}.
void check_model(const Configuration& configuration);

// The platform that a job takes if its rank 0 is this process, without the job.
struct PlatformHere {
  models::Platform platform;
  bool to_measure = false;  // a job would measure first; until then the parameters are these
  std::string from;         // for people: whose parameters these are, and which file they are in
};
// Rank 0's part of agree_on_platform(), which throws the same.
PlatformHere platform_here(const Configuration& configuration, std::string_view wire,
                           const std::function<void(std::string_view)>& warn);

struct AgreedPlatform {
  models::Platform platform;
  bool to_measure = false;  // the user wants measured parameters, and none are kept
};
// The parameters of rank 0: of the setting `model`, else what was measured on its machine for
// `wire` and kept, else those that Tutti brings along. Kept parameters of another machine or
// format, and named ones of another machine, are told to `warn`. Collective. Throws
// Error{bad_configuration} on all ranks if rank 0 has none.
AgreedPlatform agree_on_platform(const Configuration& configuration, std::string_view wire,
                                 transport::Bootstrap& bootstrap,
                                 const std::function<void(std::string_view)>& warn);
// Rank 0's platform, on all ranks; null there: the one that Tutti ships for the wire. Collective.
models::Platform spread_platform(const models::Platform* mine, std::string_view wire,
                                 transport::Bootstrap& bootstrap);

// The parameters by which a program's calls are chosen: those of the machine, and what the setting
// `calls_in_a_row` says of the program.
models::Platform for_program(models::Platform machine, const Configuration& configuration);

// The call that is explained: blocks of one length, and a commutative operation unless the setting
// `reproducible` lets reductions keep the order of the ranks.
collectives::Task explained_task(collectives::Collective collective, Bytes bytes,
                                 const Configuration& configuration);

class Selection {
 public:
  Selection(const collectives::Rules& rules, models::Platform platform)
      : rules_(rules), platform_(std::move(platform)) {}

  // Communicators of equal facts share their decisions, also if there is none of them for a while:
  // the last used ones are kept.
  static constexpr std::size_t kMostUnused = 8;
  std::shared_ptr<models::Decisions> decisions_for(const collectives::Facts& facts);
  // The choice by hand, with the model's times where it names none, else the model's. Throws
  // Error{algorithm_not_applicable}.
  collectives::Choice choose(const collectives::Problem& problem,
                             models::Decisions& decisions) const;
  // The choice of choose() and its reason, with the model's estimates of it and of all others; see
  // tutti_explain(3). Throws Error{algorithm_not_applicable}.
  nlohmann::json explain(const collectives::Problem& problem, models::Decisions& decisions) const;
  const models::Platform& platform() const noexcept { return platform_; }
  // Members of the engine's communicators, for whose plans this selection chooses. Outlives them.
  Memberships& memberships() noexcept { return memberships_; }

 private:
  const collectives::Rules& rules_;
  const models::Platform platform_;
  void drop_unused() noexcept;
  std::vector<std::shared_ptr<models::Decisions>> made_;  // the last used one at the end
  Memberships memberships_;
};

}  // namespace tutti
