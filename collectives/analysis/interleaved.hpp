// Fourth part of the verifier: several calls under way between the same ranks at once. Pure and
// deterministic.
//
// The proof holds for every order of progress, in three steps:
//   1. Calls share nothing but channels: each has buffers and scratch of its own. Neither of two
//      messages in one ring waits for the other: prove_ring() goes through all that can happen.
//   2. So what can go on, a message whose ends are both under way, a step, a start, can do so until
//      it does, whatever else goes on first. Then every execution makes the same steps, and ends
//      alike: one decides for all. search_interleaved() goes through all of them where they are
//      few, and finds the same.
//   3. verify_interleaved() plays one over rendezvous, in which it follows the data of each call,
//      and over rings of one slot and one credit three that differ as much as they can.
// That a call has the same result in every execution is proved of its own schedules (order.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

#include "collectives/analysis/exploration.hpp"
#include "collectives/analysis/under_way.hpp"
#include "collectives/analysis/verdict.hpp"

namespace tutti::collectives {

// Whether each call is sound (WholeCall::fault), each rank starts each call once and waits
// for it later, and the calls of each communicator are the same on all ranks. If not, the verdict
// says so, and what becomes of the messages of calls that meet though they are different.
Verdict check_scripts(const Calls& calls);

// The order in which an execution tries what can be tried.
enum class Turns : std::uint8_t {
  oldest_first,  // steps that are under way longest; what comes from other ranks last
  newest_first,  // the other way round
  drawn,         // by the seed
};

// One execution over rings. deadlock: which rank waits for what, and what was done until then.
Verdict run_interleaved(const Calls& calls, const Medium& medium, Turns turns,
                        std::uint64_t seed = 0);

// One execution over rendezvous: no deadlock, and the right result of each call.
Verdict run_interleaved_rendezvous(const Calls& calls);

// All executions over rings, unless there are more than `most_states` states. Executions that
// differ only in the order of moves about different rings may be left out, but for one of them.
Exploration search_interleaved(const Calls& calls, const Medium& medium, std::size_t most_states);

// check_scripts(), and the executions above. Each call by itself must be proved (verify()).
Verdict verify_interleaved(const Calls& calls, std::uint64_t seed = 0);

}  // namespace tutti::collectives
