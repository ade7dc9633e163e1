// Writes the schedule of ONE rank in textbook order, and infers from byte ranges which step must
// wait for which. Algorithms use this class and nothing below it. Pure: no I/O, no transport, no
// MPI.
#pragma once

#include <map>
#include <span>
#include <unordered_map>
#include <vector>

#include "collectives/schedule/blocks.hpp"
#include "collectives/schedule/schedule.hpp"

namespace tutti::collectives {

class Builder {
 public:
  using Use = protocols::Use;
  // `use`: of all messages but those of parts that are played.
  Builder(int P, Rank rank, const UserBuffers& buffers = {}, Use use = Use::stored);

  // Each adds one step, in the order in which a textbook would run them one after another. A step
  // waits for an earlier one only if their bytes demand it: read after write, write after read,
  // write after write.
  void send(Rank peer, const Slice& source);
  void recv(Rank peer, const Slice& target);
  void recv_reduce(Rank peer, const Slice& source, const Slice& target, bool reversed = false);
  // No step if it would copy nothing, or bytes onto themselves.
  void copy(const Slice& source, const Slice& target);
  // No step if it would combine nothing.
  void reduce(const Slice& source, const Slice& target, bool reversed = false);

  // A message without bytes, and its arrival.
  void signal(Rank peer) { send(peer, {}); }
  void await(Rank peer) { recv(peer, {}); }

  // Order without data: every step after this call waits for every step before it.
  void round();
  // The step added last; and: the next step waits for `step`, too.
  StepId last() const noexcept { return static_cast<StepId>(schedule_.steps.size() - 1); }
  void after(StepId step) { wait(step); }

  // The whole input; the whole output; `bytes` of fresh scratch, aligned to a cache line.
  Slice input() const noexcept { return {Buffer::input, 0, buffers_.input}; }
  Slice output() const noexcept { return {Buffer::output, 0, buffers_.output}; }
  Slice scratch(Bytes bytes) noexcept;

  // Adds all steps of another schedule of this rank. Its input and output lie in the given slices
  // (if it is in place, only the output counts), its scratch is fresh, and its rank i is ranks[i],
  // or i if `ranks` is empty. Its steps keep their edges, and wait for the steps added before as
  // their bytes demand. Messages of no bytes can be left out, which all ranks must do alike.
  enum class Empty { sent, left_out };
  void play(const Schedule& part, const Slice& input, const Slice& output,
            std::span<const Rank> ranks = {}, Empty empty = Empty::sent);

  // The schedule. The builder must not be used any more.
  Schedule finish();

 private:
  // The last steps that touched the bytes from its key in the map to `end`.
  struct Touched {
    Bytes end = 0;
    StepId writer = kNoStep;
    std::uint32_t readers = kNobody;  // since that write: the first of a list through readers_
  };
  static constexpr std::uint32_t kNobody = ~std::uint32_t{0};
  // Lists, not vectors: intervals that were one share what came before they were cut.
  struct Reader {
    StepId step;
    std::uint32_t next;
  };
  using History = std::map<Bytes, Touched>;

  void insert(Step step);
  Slice placed(Slice slice) const noexcept;
  History& history(Buffer buffer) noexcept { return histories_[index(buffer)]; }
  static void cut(History& history, Bytes at);
  void add_reader(Touched& touched, StepId reader) {
    readers_.push_back({reader, touched.readers});
    touched.readers = static_cast<std::uint32_t>(readers_.size() - 1);
  }
  void append_readers(const Touched& touched, std::vector<StepId>& all) const;
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

  const UserBuffers buffers_;
  const Use use_;
  Schedule schedule_;
  std::vector<Edge> edges_;
  History histories_[3];
  std::vector<Reader> readers_;
  std::vector<StepId> waits_;  // of the step that is being added
  // The steps that each step of this round waits for: the previous round's, or a join of them.
  std::vector<StepId> round_waits_;
  StepId round_first_ = 0;
  std::unordered_map<Rank, Ordinal> sent_, received_;  // messages so far, by peer
};

}  // namespace tutti::collectives
