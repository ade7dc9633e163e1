// Run: one execution of a program, on the buffers and under the name of one call. It advances
// whatever is ready, in whatever order messages come.
//
// All that changes is here: the cursor, the transfers, the scratch. Starting again costs no
// allocation and no look-up, so runs are kept and used again. Knows channels; knows no MPI.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/packed_view.hpp"
#include "base/scratch.hpp"
#include "collectives/execution/binding.hpp"
#include "collectives/execution/program.hpp"
#include "collectives/schedule/cursor.hpp"

namespace tutti::collectives {

// When a step was first taken, and when it was done: std::chrono::steady_clock, in nanoseconds.
struct StepTimes {
  std::int64_t begin = 0, end = 0;
};

// Views of buffers that are not as the schedule sees them: addresses are those of rooms. Null: the
// buffer is as it is. Not for reductions.
struct Views {
  PackedView *input = nullptr, *output = nullptr;
  explicit operator bool() const noexcept { return input || output; }
};

class Run {
 public:
  // Scratch that a run keeps for itself. The pool lends longer scratch.
  static constexpr Bytes kMostOwn = 4096;

  // `program` must outlive the run, and so must `pool`; null: the run keeps all its scratch. Has
  // its scratch. Throws Error{out_of_memory}.
  explicit Run(const Program& program, ScratchPool* pool = nullptr);
  ~Run();
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  // Between calls others may use what the pool has lent: take before start(), give back after the
  // end. After a failure not before the run is destroyed: peers or adapters may still be at it.
  // Throws Error{out_of_memory}.
  void take_scratch() {
    if (pool_ && !scratch_) scratch_ = pool_->take(program_.scratch_bytes(), kUse);
  }
  void give_scratch_back() noexcept {
    if (pool_) pool_->give_back(std::move(scratch_));
  }

  // Binds buffers and a name, to whose ordinal those of the schedule are added, and makes the first
  // steps ready. Not before the last start has ended. Slices are offsets into `input` (never
  // written) and `output`; both stay the caller's. `combine` is the operation of a reduction. With
  // a view of the output, places_differ() must be true if the program reads_output_back().
  void start(const void* input, void* output, const MessageName& name, const Combine& combine = {},
             const Views& views = {}) noexcept {
    // The input is only ever a source: no step kind writes it (the verifier proves that of every
    // schedule).
    base_ = {static_cast<std::byte*>(const_cast<void*>(input)), static_cast<std::byte*>(output),
             scratch_.data()};
    name_ = name;
    combine_ = combine;
    has_views_ = static_cast<bool>(views);
    prepares_ = has_views_ || lends_;
    if (has_views_) [[unlikely]]
      take_views(views);
    begin_all<Steps::any>();
  }

  // Before each start of those that will all be on the same buffers: keeps these and the scratch
  // registered where messages need that, until unbind(), abandon() or the end. Not with views.
  // Throws std::bad_alloc.
  void bind(const void* input, void* output) {
    if (!binding_ || !binding_->is_on(input, output, scratch_.data())) [[unlikely]]
      bind_anew(input, output);
    if (lends_) binding_->renew();
  }
  // bind() and start() with what the last start() had, save the name, where nothing has unbound it.
  void start_bound(const MessageName& name) noexcept {
    if (lends_) [[unlikely]]
      binding_->renew();
    name_ = name;
    if (at_once_ != 0) [[likely]] {
      culprit_ = nullptr;
      left_ = at_once_;
      if (times_) [[unlikely]]
        each_of(left_, [this](StepId id) { note_begin(id); });
    } else {
      short_steps_ ? begin_all<Steps::short_ones>() : begin_all<Steps::any>();
    }
  }
  // Not while peers or adapters may be at them.
  void unbind() noexcept;

  // From the next start on, the times of all steps go into `times`, by step; it stays the caller's.
  // Null: nowhere, which costs nothing.
  void record(StepTimes* times) noexcept { times_ = times; }

  // Takes every step as far as it goes now. done: the collective is complete here. failed: see
  // culprit().
  protocols::Answer advance() noexcept {
    if (!short_steps_) return advance_any();
    return left_ != 0 ? advance_at_once() : advance_short();
  }

  // After failed, or to give up: withdraws what peers may still write to, and forgets the call.
  void abandon() noexcept;

  // The channels that steps under way wait for; each may come several times.
  template <class Visit>
  void each_waiting(Visit&& visit) {
    for (std::size_t i = 0; i < active_count_; ++i)
      if (protocols::Channel* const channel = program_.channel(active_[i])) visit(*channel);
    each_of(left_, [&](StepId id) {
      if (protocols::Channel* const channel = program_.channel(id)) visit(*channel);
    });
  }
  // Whether messages wait for their receivers that go without this rank then.
  bool awaits_invitation() const noexcept;
  // Whether what has come over that channel for this call, and was not received yet, is something
  // that its schedule receives there. false: the channel's failure() says what is wrong. Goes
  // through the schedule for each such message.
  bool fits(protocols::Channel& channel) const noexcept;
  // After failed: the channel that failed; null: the operation did (Combine::failed()).
  protocols::Channel* culprit() const noexcept { return culprit_; }

 private:
  static constexpr ScratchUse kUse{kCacheLine,
                                   "of scratch; choose an algorithm that needs less (tutti list)"};

  template <class Visit>
  static void each_of(std::uint64_t ids, Visit&& visit) {
    for (; ids != 0; ids &= ids - 1) visit(static_cast<StepId>(std::countr_zero(ids)));
  }

  // How the steps are taken: any, or those of the binding.
  enum class Steps : std::uint8_t { any, short_ones };

  // The transfer of a short message that is done is as it was before.
  template <Steps steps>
  void begin(StepId id) noexcept {
    if (times_) [[unlikely]]
      note_begin(id);
    if constexpr (steps == Steps::any) {
      transfers_[id] = {};
      if (prepares_) [[unlikely]]
        prepare(id);
    }
    active_[active_count_++] = id;
  }
  void bind_anew(const void* input, void* output);
  template <Steps steps>
  protocols::Answer advance_by() noexcept;
  protocols::Answer advance_any() noexcept;
  protocols::Answer advance_short() noexcept;
  protocols::Answer advance_at_once() noexcept;
  protocols::Answer advance_short_step(StepId id) noexcept;
  void note_begin(StepId id) noexcept;
  void note_end(StepId id) noexcept;
  void take_views(const Views& views) noexcept;
  void prepare(StepId id) noexcept;
  void take_view(StepId id) noexcept;
  PackedView* view_of(const Slice& slice) const noexcept { return views_[index(slice.buffer)]; }
  void copy_views(const Slice& target, const Slice& source) noexcept;
  template <Steps steps>
  void begin_all() noexcept {
    culprit_ = nullptr;
    active_count_ = 0;
    cursor_.reset();
    begin_ready<steps>();
  }
  // Begins the steps that are ready; those that invite a peer first.
  template <Steps steps>
  void begin_ready() noexcept {
    if (steps == Steps::any && program_.any_invites()) [[unlikely]]
      return begin_inviting_first();
    for (const StepId id : cursor_.ready()) begin<steps>(id);
    cursor_.take_all();
  }
  void begin_inviting_first() noexcept;
  protocols::Answer advance_step(StepId id) noexcept;
  protocols::Answer advance_viewed_step(const Step& step, StepId id,
                                        const MessageName& name) noexcept;
  protocols::Answer advance_other_step(const Step& step, StepId id,
                                       const MessageName& name) noexcept;
  protocols::Answer combined(protocols::Answer answer) const noexcept;
  protocols::Answer receive_and_reduce(StepId id, const MessageName& name) noexcept;
  std::byte* at(const Slice& slice) const noexcept {
    return base_[index(slice.buffer)] + slice.offset;
  }

  const Program& program_;
  Cursor cursor_;
  std::vector<protocols::Transfer> transfers_;  // by step
  std::vector<std::byte*> places_;              // of messages, by step; only with views
  // Steps taken and not done, mostly in the order of ids: the first so many. A vector that grew and
  // shrank would take a tenth of the time of a short message.
  std::vector<StepId> active_;
  std::size_t active_count_ = 0;
  ScratchPool* pool_ = nullptr;  // null: the scratch is this run's own
  ScratchMemory scratch_;
  std::array<std::byte*, 3> base_{};
  std::array<PackedView*, 3> views_{};  // undefined unless there are any
  bool has_views_ = false;
  bool lends_ = false;     // the binding has registered something
  bool prepares_ = false;  // transfers need more than to be zeroed
  Combine combine_;
  MessageName name_;
  protocols::Channel* culprit_ = nullptr;
  StepTimes* times_ = nullptr;
  const ShortStep* short_steps_ = nullptr;  // of the binding; null: not all messages are short
  // From the second start of short steps on where none waits for another: all of them, and those
  // that are not done, by bits. No step is active then. 0: the cursor says which are ready.
  std::uint64_t at_once_ = 0, left_ = 0;
  std::optional<Binding> binding_;  // last: short messages do without
};

}  // namespace tutti::collectives
