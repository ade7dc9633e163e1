// Request: one call on its way, and all that must outlive the function that began it.
//
// A blocking call keeps its request on the stack and waits; the request of a non-blocking or a
// persistent call lives until the program has completed or freed it. All state changes happen with
// the engine's lock held, by whichever thread advances the request.
#pragma once

#include <cstdint>
#include <memory>

#include "src/news/agreement.hpp"
#include "src/job/running.hpp"
#include "src/job/trace.hpp"

namespace tutti {

class Communicator;
class Plan;
struct WaitState;

class Request : public OpenCall {
 public:
  enum class State : std::uint8_t {
    idle,    // not started, or rejected
    active,  // peers may read from and write to its buffers
    done,    // complete here: the result is in call.output
    failed,  // the communicator has failed; the buffers are the caller's again after wait()
  };

  explicit Request(Communicator& communicator) noexcept : communicator_(communicator) {}
  // Gives an active call up: it can never end, so its communicator fails.
  virtual ~Request() {
    if (state_ == State::active) [[unlikely]]
      give_up();
    if (running_) [[unlikely]]
      release_running();
  }
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;

  // Filled in before start(), and left alone until the end.
  Call call;

  State state() const noexcept { return state_; }
  Communicator& communicator() const noexcept { return communicator_; }
  Plan& plan() const noexcept { return *plan_; }  // once started

  // Before the first of many starts, all with the same buffers, and without views: what this call
  // needs stays its own until it is destroyed or fails: the plan with an execution and scratch
  // memory, and a registration of each buffer, made anew if that was unmapped between two calls.
  void bind() noexcept { bound_ = true; }
  bool bound() const noexcept { return bound_; }

  // Idle, or done: the same call once more. → active, or straight to done or failed. `plan`: of the
  // communicator. Throws Error; if the state is idle then, the call has used no number, and the
  // members do not know of it.
  void start(Plan& plan) {
    const bool goes_on = running_ && plan_ == &plan && state_ == State::done;
    goes_on ? start_again() : start_anew(plan);
  }
  void advance() noexcept final;
  void pause_for(WaitState& wait_state) noexcept final;
  void look_for(WaitState& wait_state) noexcept final;
  void advance_apart() noexcept final {
    if (!needs_program()) advance();
  }
  // Follows a start: perhaps no call of a sequence ever waits, so each looks around a little. The
  // lock may be free meanwhile, and the call may end.
  void look_around() noexcept {
    if (number() % kStartsPerLook == 0) [[unlikely]]
      look_around_once();
  }
  // Follows a start whose rank may turn to other things, with nobody to take its calls further, if
  // the plan has a time for that: looks for the invitations to messages that go without the rank
  // then. If all ranks start at the same time, these would stay until the next call. As
  // look_around() otherwise.
  void await_invitations() noexcept;
  // One look at what has come, and all open calls go on as far as they can. See
  // Waiting::look_once().
  void look(WaitState& wait_state) noexcept;
  // Takes the call further, and pauses: one turn of those in which wait() passes.
  void pause(WaitState& wait_state) noexcept;
  // Until it is done. Throws the communicator's failure.
  void wait() {
    if (state_ != State::done) wait_until_done();
  }

 private:
  static constexpr CollectiveNumber kStartsPerLook = 64;

  // It reduces by a function of the program's, or of the MPI's.
  bool needs_program() const noexcept { return call.combine.error; }
  void give_up() noexcept;
  void start_anew(Plan& plan);
  void start_again();
  void take_running(Plan& plan);
  template <class Start>
  void begin(Start&& start);
  void release_running() noexcept;
  void progress() noexcept;
  OpenCall& awaited() noexcept;
  void look_around_once() noexcept;
  void pause_once(WaitState& wait_state) noexcept;
  void wait_until_done();
  void blame_operation() noexcept;
  void end(State state) noexcept;

  Communicator& communicator_;
  Plan* plan_ = nullptr;
  Running* running_ = nullptr;          // null: not active, and not bound
  std::unique_ptr<TracedCall> traced_;  // null: it is not recorded
  State state_ = State::idle;
  bool bound_ = false;
};

}  // namespace tutti
