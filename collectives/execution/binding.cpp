// Finds the bytes of each buffer that a device will access, for registration.
#include "collectives/execution/binding.hpp"

#include <utility>

namespace tutti::collectives {

namespace {

// Memory that the step's message has registered, as UserMemory::hold() asks for it.
struct Accessed {
  const protocols::Channel* channel;  // null: nothing
  Buffer buffer;
  Bytes offset, bytes;
  bool written;
};

Accessed accessed_by(const Program& program, StepId id) noexcept {
  using protocols::Protocol;
  const Step& step = program.schedule().steps[id];
  const protocols::Channel* const channel = program.channel(id);
  if (!channel) return {};
  const Bytes bytes = length_of(step);
  const Protocol protocol = protocols::protocol_for(bytes, step.use, channel->limits());
  if (protocol != Protocol::rendezvous && !protocols::may_be_fetched(protocol)) return {};
  if (step.kind == StepKind::send)
    return {channel, step.source.buffer, step.source.offset, bytes, false};
  const Bytes staged = program.staged_at(id);
  if (staged != Program::kNotStaged) return {channel, Buffer::scratch, staged, bytes, true};
  return {channel, step.target.buffer, step.target.offset, bytes, true};
}

}  // namespace

Binding::Binding(const Program& program, const Buffers& buffers, const Combine& combine)
    : program_(program), buffers_(buffers) {
  const std::size_t steps = program.schedule().steps.size();
  for (StepId id = 0; id < steps; ++id)
    if (const Accessed part = accessed_by(program, id); part.channel) {
      const std::size_t buffer = index(part.buffer);
      memory_.add(*part.channel, static_cast<int>(buffer), buffers[buffer] + part.offset,
                  part.bytes, part.written);
    }
  if (!memory_.empty()) regions_.resize(steps, nullptr);
  shorten(combine);
}

std::uint64_t Binding::at_once() const noexcept {
  constexpr std::size_t kMost = 64;
  const Schedule& schedule = program_.schedule();
  const std::size_t steps = schedule.steps.size();
  if (steps == 0 || steps > kMost || !schedule.successors.empty()) return 0;
  return ~std::uint64_t{0} >> (kMost - steps);
}

void Binding::shorten(const Combine& combine) {
  const std::vector<Step>& steps = program_.schedule().steps;
  std::vector<ShortStep> all;
  all.reserve(steps.size());
  for (StepId id = 0; id < steps.size(); ++id) {
    const Step& step = steps[id];
    const Slice& slice = step.kind == StepKind::send ? step.source : step.target;
    ShortStep short_step{{},
                         step.kind,
                         step.ordinal,
                         at(slice),
                         {&combine, at(step.source), step.reversed, nullptr}};
    if (is_message(step.kind)) {
      if (program_.staged_at(id) != Program::kNotStaged) return;
      short_step.message =
          protocols::SlotMessage::over(*program_.channel(id), slice.length, step.use);
      if (!short_step.message) return;
    }
    all.push_back(short_step);
  }
  short_steps_ = std::move(all);
}

void Binding::look_up() noexcept {
  for (StepId id = 0; id < regions_.size(); ++id)
    if (const Accessed part = accessed_by(program_, id); part.channel)
      regions_[id] =
          memory_.region(*part.channel, buffers_[index(part.buffer)] + part.offset, part.bytes);
}

}  // namespace tutti::collectives
