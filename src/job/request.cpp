// The life of a call: start, advance, wait, fail.
#include "src/job/request.hpp"

#include "src/job/communicator.hpp"
#include "src/job/plan.hpp"

namespace tutti {

using protocols::Answer;

void Request::give_up() noexcept {
  Agreement& agreement = communicator_.agreement();
  const int me = communicator_.engine().rank();
  agreement.failure().record(Code::internal, me,
                             "rank {} of MPI_COMM_WORLD gave up a call before it had ended", me);
  running_->abandon();
  end(State::failed);
  communicator_.settle_failure();
}

// A bound request may have it already.
inline void Request::take_running(Plan& plan) {
  if (running_ && plan_ != &plan) release_running();
  plan_ = &plan;
  if (!running_) running_ = plan.take();
  if (bound_) running_->bind(call);
}

// Its buffers are nobody's but the program's.
[[gnu::cold]] void Request::release_running() noexcept {
  running_->unbind();
  plan_->give_back(running_);
  running_ = nullptr;
}

// `start(name)` starts what executes the call.
template <class Start>
[[gnu::always_inline]] inline void Request::begin(Start&& start) {
  Agreement& agreement = communicator_.agreement();
  Trace* const trace = communicator_.engine().trace();
  if (trace && !agreement.count().checked()) [[unlikely]]
    traced_ = trace->begin(*plan_, *running_);
  agreement.open(*this);
  CallsUnderWay& calls = communicator_.engine().calls();
  calls.began(needs_program());
  state_ = State::active;
  start({agreement.members().id(), number(), mark_});
  if (agreement.failed()) [[unlikely]] {  // a member had rejected this very call
    running_->abandon();
    end(State::failed);
    communicator_.throw_failure();
  }
  progress();
  calls.advance_others(*this, state_ == State::active);
}

// All but the number of the call is as it was.
void Request::start_again() {
  state_ = State::idle;
  if (communicator_.agreement().failed()) [[unlikely]]
    communicator_.throw_failure();
  begin([this](const MessageName& name) { running_->start_bound(call, name); });
}

void Request::start_anew(Plan& plan) {
  state_ = State::idle;
  if (communicator_.agreement().failed()) [[unlikely]]
    communicator_.throw_failure();
  take_running(plan);
  task_ = &plan.task();
  mark_ = plan.mark();
  begin([this](const MessageName& name) { running_->start(call, name); });
}

void Request::advance() noexcept {
  if (state_ == State::active) progress();
}

// Each poll of a rank that waits comes here.
[[gnu::always_inline]] inline void Request::progress() noexcept {
  if (is_held()) [[unlikely]]
    return;
  switch (running_->advance()) {
    case Answer::done: return end(State::done);
    case Answer::again:
      if (communicator_.agreement().failed()) break;
      return;
    case Answer::failed:
      if (call.combine.failed()) blame_operation();
      communicator_.blame(*this, running_->culprit());
      break;
  }
  running_->abandon();
  end(State::failed);
}

void Request::blame_operation() noexcept {
  const int me = communicator_.engine().rank();
  communicator_.agreement().failure().record(
      Code::operation_failed, me,
      "the operation of a reduction returned error {} on rank {} of MPI_COMM_WORLD",
      *call.combine.error, me);
}

// The call that has to end first: what is late, and who has left, is said of that one.
inline OpenCall& Request::awaited() noexcept {
  return is_held() ? *communicator_.agreement().calls().oldest() : *this;
}

void Request::pause_for(WaitState& wait_state) noexcept {
  communicator_.engine().waiting().wait_once(wait_state, communicator_.agreement(), *this,
                                             *running_);
}

void Request::look_for(WaitState& wait_state) noexcept {
  communicator_.engine().waiting().look_once(wait_state, communicator_.agreement(), *this,
                                             *running_);
}

void Request::look(WaitState& wait_state) noexcept {
  if (state_ != State::active) return;
  awaited().look_for(wait_state);
  advance();
  communicator_.engine().calls().advance_others(*this);
}

inline void Request::pause_once(WaitState& wait_state) noexcept {
  // Whether more can come or the communicator has failed, advance() sees it.
  if (is_held()) [[unlikely]]
    awaited().pause_for(wait_state);
  else
    pause_for(wait_state);
  if (state_ == State::active) progress();  // advance(), which may be a call
  communicator_.engine().calls().advance_others(*this);
}

void Request::pause(WaitState& wait_state) noexcept {
  if (state_ == State::active) pause_once(wait_state);
}

[[gnu::cold]] void Request::look_around_once() noexcept {
  communicator_.engine().calls().look_around();
}

void Request::await_invitations() noexcept {
  WaitState wait_state;
  const auto end = RunningClock::now() + plan_->time_for_invitations();
  // The last look is after that time: where a rank gives its core away, others take what they need.
  for (bool last = false; state_ == State::active && !is_held() && !last; look(wait_state)) {
    if (!running_->awaits_invitation()) return;
    last = RunningClock::now() >= end;
  }
}

void Request::wait_until_done() {
  WaitState wait_state;
  while (state_ == State::active) pause_once(wait_state);
  if (state_ == State::failed) communicator_.throw_failure();
}

void Request::end(State state) noexcept {
  communicator_.agreement().close(*this);
  communicator_.engine().calls().ended(needs_program());
  if (traced_) [[unlikely]] {
    running_->record(nullptr);
    if (state == State::done)
      communicator_.engine().trace()->end(*traced_, communicator_.agreement(), number());
    traced_.reset();
  }
  if (state == State::failed) [[unlikely]] {
    communicator_.keep_failed(*plan_, running_);
    running_ = nullptr;
  } else if (!bound_) {
    plan_->give_back(running_);
    running_ = nullptr;
  }
  state_ = state;
}

}  // namespace tutti
