// Running a program: a list of steps under way, polled until nothing moves.
#include "collectives/execution/run.hpp"

#include <algorithm>
#include <span>

#include "base/clock.hpp"
#include "base/copy.hpp"

namespace tutti::collectives {

using protocols::Answer;

Run::Run(const Program& program, ScratchPool* pool)
    : program_(program), cursor_(program.schedule()) {
  const std::size_t steps = program.schedule().steps.size();
  transfers_.resize(steps);
  active_.resize(steps);
  places_.resize(steps);
  const Bytes bytes = program.scratch_bytes();
  if (bytes > kMostOwn) pool_ = pool;
  if (pool_)
    take_scratch();
  else if (bytes > 0)
    scratch_ = ScratchMemory(bytes, kUse);
}

Run::~Run() {
  abandon();
  give_scratch_back();
}

void Run::note_begin(StepId id) noexcept { times_[id].begin = steady_nanoseconds(); }
void Run::note_end(StepId id) noexcept { times_[id].end = steady_nanoseconds(); }

void Run::take_views(const Views& views) noexcept {
  views_ = {views.input, views.output, nullptr};
  for (PackedView* const view : views_)
    if (view) view->note_receivers(program_.load().receivers);
}

[[gnu::cold]] void Run::bind_anew(const void* input, void* output) {
  unbind();
  binding_.emplace(program_,
                   Binding::Buffers{static_cast<std::byte*>(const_cast<void*>(input)),
                                    static_cast<std::byte*>(output), scratch_.data()},
                   combine_);
  lends_ = !binding_->empty();
  short_steps_ = binding_->short_steps();
  at_once_ = short_steps_ ? binding_->at_once() : 0;
}

[[gnu::noinline]] void Run::unbind() noexcept {
  binding_.reset();
  lends_ = false;
  short_steps_ = nullptr;
  at_once_ = 0;
}

// Kept out of the path of messages that need it not.
[[gnu::noinline]] void Run::prepare(StepId id) noexcept {
  if (has_views_) take_view(id);
  if (!lends_) return;
  transfers_[id].region = binding_->region(id);
  transfers_[id].lent = transfers_[id].region != nullptr;
}

// Where a message begins: in memory, if its bytes lie there as one run, or in the room of the view
// that its transfer has.
void Run::take_view(StepId id) noexcept {
  const Step& step = program_.schedule().steps[id];
  if (!is_message(step.kind)) return;
  const Slice& slice = receives(step.kind) ? step.target : step.source;
  PackedView* const view = view_of(slice);
  places_[id] = at(slice);
  if (!view || slice.length == 0) return;
  std::byte* const run = view->run_in_memory(at(slice), slice.length);
  if (!run) {
    transfers_[id].view = view;
    return;
  }
  places_[id] = run;
  if (receives(step.kind)) view->forget(at(slice), slice.length);
}

void Run::begin_inviting_first() noexcept {
  for (const bool invites : {true, false})
    for (const StepId id : cursor_.ready())
      if (program_.invites(id) == invites) begin<Steps::any>(id);
  cursor_.take_all();
}

template <Run::Steps steps>
[[gnu::always_inline]] inline Answer Run::advance_by() noexcept {
  for (;;) {
    const std::size_t count = active_count_;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const StepId id = active_[i];
      const Answer answer = steps == Steps::short_ones ? advance_short_step(id) : advance_step(id);
      if (answer == Answer::done) {
        if (times_) [[unlikely]]
          note_end(id);
        cursor_.done(id);
      } else if (answer == Answer::again) {
        active_[kept++] = id;
      } else {
        culprit_ = combine_.failed() ? nullptr : program_.channel(id);
        while (i < count) active_[kept++] = active_[i++];
        active_count_ = kept;
        return Answer::failed;
      }
    }
    active_count_ = kept;
    if (cursor_.finished()) return Answer::done;
    if (kept == count) return Answer::again;  // nothing moved
    begin_ready<steps>();
  }
}

[[gnu::always_inline]] inline Answer Run::advance_short_step(StepId id) noexcept {
  const ShortStep& step = short_steps_[id];
  const MessageName name{name_.communicator, name_.collective, name_.ordinal + step.ordinal};
  if (step.kind == StepKind::send) return step.message->send(transfers_[id], name, step.place);
  if (step.kind == StepKind::recv) return step.message->recv(transfers_[id], name, step.place);
  if (step.kind == StepKind::recv_reduce)
    return combined(step.message->recv(transfers_[id], name, step.place, &step.operand));
  return advance_other_step(program_.schedule().steps[id], id, name);
}

// No step that is done makes another one ready, so one pass is enough.
Answer Run::advance_at_once() noexcept {
  std::uint64_t left = left_;
  for (std::uint64_t untried = left; untried != 0; untried &= untried - 1) {
    const auto id = static_cast<StepId>(std::countr_zero(untried));
    const Answer answer = advance_short_step(id);
    if (answer == Answer::done) {
      if (times_) [[unlikely]]
        note_end(id);
      left &= ~(std::uint64_t{1} << id);
    } else if (answer == Answer::failed) [[unlikely]] {
      culprit_ = combine_.failed() ? nullptr : program_.channel(id);
      left_ = left;
      return Answer::failed;
    }
  }
  left_ = left;
  return left == 0 ? Answer::done : Answer::again;
}

Answer Run::advance_any() noexcept { return advance_by<Steps::any>(); }
Answer Run::advance_short() noexcept { return advance_by<Steps::short_ones>(); }

[[gnu::always_inline]] inline Answer Run::advance_step(StepId id) noexcept {
  const Step& step = program_.schedule().steps[id];
  const MessageName name{name_.communicator, name_.collective, name_.ordinal + step.ordinal};
  if (has_views_) [[unlikely]]
    return advance_viewed_step(step, id, name);
  if (step.kind == StepKind::send)
    return program_.channel(id)->send(transfers_[id], name, at(step.source), step.source.length,
                                      step.use, program_.load());
  if (step.kind == StepKind::recv)
    return program_.channel(id)->recv(transfers_[id], name, at(step.target), step.target.length,
                                      step.use);
  return advance_other_step(step, id, name);
}

// As advance_step(), where buffers have views.
Answer Run::advance_viewed_step(const Step& step, StepId id, const MessageName& name) noexcept {
  switch (step.kind) {
    case StepKind::send:
      return program_.channel(id)->send(transfers_[id], name, places_[id], step.source.length,
                                        step.use, program_.load());
    case StepKind::recv:
      return program_.channel(id)->recv(transfers_[id], name, places_[id], step.target.length,
                                        step.use);
    case StepKind::copy:
      if (step.source.length != 0) copy_views(step.target, step.source);
      return Answer::done;
    case StepKind::recv_reduce:
    case StepKind::reduce: break;
  }
  return advance_other_step(step, id, name);
}

Answer Run::advance_other_step(const Step& step, StepId id, const MessageName& name) noexcept {
  switch (step.kind) {
    case StepKind::recv_reduce: return combined(receive_and_reduce(id, name));
    case StepKind::copy:
      if (step.source.length != 0)
        copy_bytes(at(step.target), at(step.source), static_cast<std::size_t>(step.source.length));
      return Answer::done;
    case StepKind::reduce: {
      const std::byte *theirs = at(step.source), *mine = at(step.target);
      combine_.apply(combine_.context, step.reversed ? theirs : mine, step.reversed ? mine : theirs,
                     at(step.target), step.target.length);
      return combined(Answer::done);
    }
    case StepKind::send:
    case StepKind::recv: break;  // advance_step() has them
  }
  return Answer::failed;
}

void Run::copy_views(const Slice& target, const Slice& source) noexcept {
  PackedView *const gathers = view_of(source), *const scatters = view_of(target);
  std::byte *const from = at(source), *const to = at(target);
  if (gathers && scatters)
    copy_between(*gathers, from, *scatters, to, source.length);
  else if (gathers)
    gathers->pack(from, source.length, to);
  else if (scatters)
    scatters->unpack(to, source.length, from);
  else
    copy_bytes(to, from, static_cast<std::size_t>(source.length));
}

// The result of a failed operation is not sent on.
Answer Run::combined(Answer answer) const noexcept {
  return answer == Answer::done && combine_.failed() ? Answer::failed : answer;
}

Answer Run::receive_and_reduce(StepId id, const MessageName& name) noexcept {
  const Step& step = program_.schedule().steps[id];
  const Operand operand{&combine_, at(step.source), step.reversed};
  const Bytes staged = program_.staged_at(id);
  if (staged == Program::kNotStaged)
    return program_.channel(id)->recv(transfers_[id], name, at(step.target), step.target.length,
                                      step.use, &operand);
  std::byte* const place = scratch_.data() + staged;
  const Answer answer =
      program_.channel(id)->recv(transfers_[id], name, place, step.target.length, step.use);
  if (answer == Answer::done) operand.apply(place, at(step.target), 0, step.target.length);
  return answer;
}

bool Run::awaits_invitation() const noexcept {
  const auto active = std::span(active_).first(active_count_);
  return std::ranges::any_of(active, [this](StepId id) {
    return program_.goes_alone(id) && transfers_[id].is_to_be_moved();
  });
}

bool Run::fits(protocols::Channel& channel) const noexcept {
  const auto& steps = program_.schedule().steps;
  return channel.fits(name_, [&](Ordinal ordinal) -> std::optional<protocols::Channel::Expected> {
    for (StepId id = 0; id < steps.size(); ++id)
      if (receives(steps[id].kind) && steps[id].ordinal == ordinal &&
          program_.channel(id) == &channel)
        return {{steps[id].target.length, steps[id].use}};
    return std::nullopt;
  });
}

void Run::abandon() noexcept {
  for (std::size_t i = 0; i < active_count_; ++i)
    if (protocols::Channel* const channel = program_.channel(active_[i]))
      channel->abandon(transfers_[active_[i]]);
  active_count_ = 0;
  each_of(std::exchange(left_, 0), [this](StepId id) {
    if (protocols::Channel* const channel = program_.channel(id)) channel->abandon(transfers_[id]);
  });
  unbind();  // so that giving the buffers back takes all rights to them away
}

}  // namespace tutti::collectives
