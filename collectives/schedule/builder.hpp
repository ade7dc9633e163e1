// Writes the schedule of ONE rank in textbook order, and infers from the byte ranges which step
// must wait for which. Pure: no I/O, no transport, no MPI. Algorithms use this class and nothing
// below it.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "collectives/schedule/blocks.hpp"
#include "collectives/schedule/schedule.hpp"

namespace tutti::collectives {

class Builder {
 public:
  Builder(int P, Rank rank, const UserBuffers& buffers = {});

  // One step each. The order of the calls is the order in which the textbook would run them one
  // after another; a step waits for earlier ones only where bytes demand it (read after write,
  // write after read, write after write).
  void send(Rank peer, const Slice& source);
  void recv(Rank peer, const Slice& target);
  void recv_reduce(Rank peer, const Slice& source, const Slice& target, bool reversed = false);
  void copy(const Slice& source, const Slice& target);  // of nothing, or onto itself: no step
  void reduce(const Slice& source, const Slice& target, bool reversed = false);

  // A message without bytes, and its arrival.
  void signal(Rank peer) { send(peer, {}); }
  void await(Rank peer) { recv(peer, {}); }

  // Order without data: every step after this call waits for every step before it.
  void round();
  // The step made last, and: the next step waits for that one too.
  StepId last() const noexcept { return static_cast<StepId>(schedule_.steps.size() - 1); }
  void after(StepId step) { wait(step); }

  // The whole input, the whole output; `bytes` of fresh scratch, aligned to a cache line.
  Slice input() const noexcept { return {Buffer::input, 0, buffers_.input}; }
  Slice output() const noexcept { return {Buffer::output, 0, buffers_.output}; }
  Slice scratch(Bytes bytes) noexcept;

  // All steps of another schedule of this rank, whose input and output lie where it is said (with
  // in_place only the output counts), whose scratch is fresh, and whose rank i is ranks[i] (empty:
  // i). Besides its own edges its steps get those that the bytes touched before demand.
  void play(const Schedule& part, const Slice& input, const Slice& output,
            std::span<const Rank> ranks = {});

  // The schedule; the builder is used up.
  Schedule finish();

 private:
  // Who touched [its key in the map, end) last.
  struct Touched {
    Bytes end = 0;
    StepId writer = kNoStep;
    std::vector<StepId> readers;  // since that write
  };
  using History = std::map<Bytes, Touched>;

  void insert(Step step);
  Slice placed(Slice slice) const noexcept;
  History& history(Buffer buffer) noexcept { return histories_[static_cast<std::size_t>(buffer)]; }
  void cut(History& history, Bytes at);
  void add(const Step& step);
  void wait_for_writers(const Slice& read);
  void wait_for_all(const Slice& written);
  void note_read(const Slice& read, StepId reader);
  void note_write(const Slice& written, StepId writer);
  void wait(StepId step) {
    if (step != kNoStep) waits_.push_back(step);
  }
  StepId push(const Step& step);
  StepId join(std::vector<StepId>& before);

  UserBuffers buffers_;
  Schedule schedule_;
  std::vector<Edge> edges_;
  History histories_[3];
  std::vector<StepId> waits_;        // of the step that is being added
  std::vector<StepId> round_waits_;  // what each step of this round waits for: the steps of the
                                     // round before, or a join
  StepId round_first_ = 0;
  std::vector<Ordinal> sent_, received_;  // messages so far, by peer
};

}  // namespace tutti::collectives
