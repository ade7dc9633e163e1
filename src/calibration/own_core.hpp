// A core for each of some ranks that are measured, where there are enough.
#pragma once

#include <sched.h>

#include "transport/processors.hpp"

namespace tutti {

// While it lives, this thread stays on one core of those that it may use. Ranks that wait yield
// their core, and where others of the job wait besides, the scheduler may leave two that exchange
// messages on one core; what a message takes would then be what a change of process takes. The
// model that reads the parameters counts ranks that share a core by itself.
class OwnCore {
 public:
  // `place`: of this rank among those of its node that are measured, from 0.
  OwnCore(int place, const transport::Processors& processors);
  ~OwnCore();
  OwnCore(const OwnCore&) = delete;
  OwnCore& operator=(const OwnCore&) = delete;

 private:
  cpu_set_t before_{};
  bool changed_ = false;
};

}  // namespace tutti
