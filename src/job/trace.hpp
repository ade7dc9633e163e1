// Trace: what this rank's calls did and when, step by step, in a file for `tutti draw --trace`
// (setting `trace`). Lines of JSON, which models/simulation/recorded.hpp reads: who writes; each
// call, when it has ended; how many there were. Calls have the numbers that messages give them,
// from 1; the checks of the setting `check` are not recorded.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/files.hpp"
#include "base/types.hpp"
#include "collectives/execution/run.hpp"
#include "collectives/schedule/problem.hpp"

namespace tutti {

namespace transport {
class Placement;
}
class Agreement;
class Plan;
class Running;

// A call on its way.
struct TracedCall {
  const Plan& plan;
  std::int64_t begin;                         // as in StepTimes
  std::vector<collectives::StepTimes> times;  // by step
};

// Throws Error{bad_configuration} if a trace could not be written into this folder; makes nothing.
void check_trace(const std::string& folder);

class Trace {
 public:
  // Makes `folder` unless it is there, and the file rank-N.jsonl in it. Throws
  // Error{bad_configuration}.
  Trace(const std::string& folder, int most_calls, const transport::Placement& placement);
  ~Trace();
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;

  // Begins the trace of a call that is to start: `running` records from now on. Null: enough were
  // recorded. Throws std::bad_alloc.
  std::unique_ptr<TracedCall> begin(const Plan& plan, Running& running);
  // It has ended; what cannot be written is left out, and the file says so by having no last line.
  void end(const TracedCall& call, const Agreement& agreement, CollectiveNumber number) noexcept;

 private:
  File file_;
  const int most_;
  std::array<int, collectives::kCollectives> begun_{};
  int written_ = 0;
  bool broken_ = false;
};

}  // namespace tutti
