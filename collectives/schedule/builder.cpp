// How dependencies are inferred: for each buffer a map of intervals remembers who wrote each byte
// last and who has read it since. Near-linear, because a step touches few intervals, and a write
// makes one interval of those that it covers.
#include "collectives/schedule/builder.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include "base/bits.hpp"
#include "base/error.hpp"

namespace tutti::collectives {
namespace {

// If a step would get this many edges, a join (a copy of 0 bytes) gathers them: then n steps that
// wait for n others need 2n edges, not n².
constexpr std::size_t kJoinFrom = 17;

void sort_unique(std::vector<StepId>& ids) {
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
}

}  // namespace

Builder::Builder(int P, Rank rank, const UserBuffers& buffers, Use use)
    : buffers_(buffers), use_(use) {
  schedule_.P = P;
  schedule_.rank = rank;
  schedule_.input_bytes = buffers.in_place ? 0 : buffers.input;
  schedule_.output_bytes = buffers.output;
  schedule_.in_place = buffers.in_place;
}

void Builder::send(Rank peer, const Slice& source) {
  insert({.kind = StepKind::send, .peer = peer, .use = use_, .source = source});
}

void Builder::recv(Rank peer, const Slice& target) {
  insert({.kind = StepKind::recv, .peer = peer, .use = use_, .target = target});
}

void Builder::recv_reduce(Rank peer, const Slice& source, const Slice& target, bool reversed) {
  insert({.kind = StepKind::recv_reduce,
          .reversed = reversed,
          .peer = peer,
          .use = use_,
          .source = source,
          .target = target});
}

void Builder::copy(const Slice& source, const Slice& target) {
  if (source.length != 0) insert({.kind = StepKind::copy, .source = source, .target = target});
}

void Builder::reduce(const Slice& source, const Slice& target, bool reversed) {
  if (source.length != 0)
    insert({.kind = StepKind::reduce, .reversed = reversed, .source = source, .target = target});
}

// The only place where a step gets its ordinal and learns what it waits for.
void Builder::insert(Step step) {
  assert((!reads_source(step.kind) || !writes_target(step.kind) ||
          step.source.length == step.target.length) &&
         "operands of one length");
  step.source = placed(step.source);
  step.target = placed(step.target);
  if (step.kind == StepKind::copy && step.source == step.target) {
    waits_.clear();
    return;
  }
  if (is_message(step.kind)) step.ordinal = (receives(step.kind) ? received_ : sent_)[step.peer]++;
  if (reads_source(step.kind)) wait_for_writers(step.source);
  if (writes_target(step.kind)) wait_for_all(step.target);
  add(step);
}

void Builder::play(const Schedule& part, const Slice& input, const Slice& output,
                   std::span<const Rank> ranks, Empty empty) {
  const Slice bases[] = {input, output, scratch(part.scratch_bytes)};
  const auto moved = [&](Slice slice) {
    const Slice& base = bases[index(slice.buffer)];
    return slice.length == 0 ? Slice{}
                             : Slice{base.buffer, base.offset + slice.offset, slice.length};
  };
  std::vector<std::vector<StepId>> waits(part.steps.size());
  for (StepId id = 0; id < part.steps.size(); ++id) {
    Step step = part.steps[id];
    step.source = moved(step.source);
    step.target = moved(step.target);
    if (is_message(step.kind) && !ranks.empty()) {
      const bool known = step.peer >= 0 && static_cast<std::size_t>(step.peer) < ranks.size();
      step.peer = known ? ranks[index(step.peer)] : kNoPeer;  // that the verifier refuses
    }
    step.predecessors = step.first_successor = step.successor_count = 0;
    const auto before = static_cast<StepId>(schedule_.steps.size());
    const bool left_out = empty == Empty::left_out && is_message(step.kind) && length_of(step) == 0;
    if (step.kind == StepKind::copy && step.source.length == 0) {
      if (!waits[id].empty()) join(waits[id]);
    } else if (!left_out) {
      waits_ = waits[id];
      insert(step);
    }
    // If the step came to nothing, those that wait for it wait for what it waited for: for each
    // step once, or their number would double with every round that comes to nothing.
    const bool vanished = schedule_.steps.size() == before;
    if (vanished) sort_unique(waits[id]);
    const auto mine = static_cast<StepId>(schedule_.steps.size() - 1);
    for (const StepId next : part.successors_of(id)) {
      if (vanished)
        waits[next].insert(waits[next].end(), waits[id].begin(), waits[id].end());
      else
        waits[next].push_back(mine);
    }
  }
}

// Names all steps of the round before, not only the last ones, so that the edges still mean
// "everything" after the steps have been cut into segments.
void Builder::round() {
  const StepId next = static_cast<StepId>(schedule_.steps.size());
  if (next == round_first_) return;
  round_waits_.clear();
  for (StepId id = round_first_; id < next; ++id) round_waits_.push_back(id);
  if (round_waits_.size() >= kJoinFrom) round_waits_ = {join(round_waits_)};
  round_first_ = static_cast<StepId>(schedule_.steps.size());
}

Slice Builder::scratch(Bytes bytes) noexcept {
  const Bytes offset = round_up(schedule_.scratch_bytes, kCacheLine);
  schedule_.scratch_bytes = offset + bytes;
  return {Buffer::scratch, offset, bytes};
}

Schedule Builder::finish() {
  link(schedule_, edges_);
  return std::move(schedule_);
}

Slice Builder::placed(Slice slice) const noexcept {
  if (slice.length == 0) return {};
  if (slice.buffer == Buffer::input && buffers_.in_place) {
    slice.buffer = Buffer::output;
    slice.offset += buffers_.input_within_output;
  }
  return slice;
}

StepId Builder::push(const Step& step) {
  schedule_.steps.push_back(step);
  return static_cast<StepId>(schedule_.steps.size() - 1);
}

StepId Builder::join(std::vector<StepId>& before) {
  const StepId id = push(Step{});
  for (StepId step : before) edges_.push_back({step, id});
  return id;
}

void Builder::add(const Step& step) {
  waits_.insert(waits_.end(), round_waits_.begin(), round_waits_.end());
  sort_unique(waits_);
  const StepId id = push(step);
  for (StepId before : waits_) edges_.push_back({before, id});
  waits_.clear();
  if (reads_source(step.kind)) note_read(step.source, id);
  if (writes_target(step.kind)) note_write(step.target, id);
}

// Makes `at` a border between two intervals.
void Builder::cut(History& history, Bytes at) {
  auto after = history.upper_bound(at);
  if (after == history.begin()) return;
  auto& [start, touched] = *std::prev(after);
  if (start == at || touched.end <= at) return;
  history.emplace_hint(after, at, touched);
  touched.end = at;
}

void Builder::append_readers(const Touched& touched, std::vector<StepId>& all) const {
  for (std::uint32_t at = touched.readers; at != kNobody; at = readers_[at].next)
    all.push_back(readers_[at].step);
}

void Builder::wait_for_writers(const Slice& read) {
  if (read.length == 0) return;
  History& map = history(read.buffer);
  cut(map, read.offset);
  cut(map, read.end());
  const auto first = map.lower_bound(read.offset);
  const auto last = map.lower_bound(read.end());
  const std::size_t before = waits_.size();
  for (auto it = first; it != last; ++it) wait(it->second.writer);
  if (waits_.size() - before < kJoinFrom) return;
  // Many writers: the next reader of this range would need all these edges again. One join stands
  // for them.
  std::vector<StepId> writers(waits_.begin() + static_cast<std::ptrdiff_t>(before), waits_.end());
  sort_unique(writers);
  waits_.resize(before);
  const StepId gathered = writers.size() == 1 ? writers.front() : join(writers);
  Touched whole{read.end(), gathered};
  std::vector<StepId> readers;
  for (auto it = first; it != last; ++it) append_readers(it->second, readers);
  sort_unique(readers);
  for (const StepId reader : readers) add_reader(whole, reader);
  map.emplace_hint(map.erase(first, last), read.offset, whole);
  wait(gathered);
}

void Builder::wait_for_all(const Slice& written) {
  if (written.length == 0) return;
  History& map = history(written.buffer);
  cut(map, written.offset);
  cut(map, written.end());
  for (auto it = map.lower_bound(written.offset); it != map.end() && it->first < written.end();
       ++it) {
    const Touched& touched = it->second;
    // If there are readers, each of them waits for the writer already.
    if (touched.readers == kNobody) wait(touched.writer);
    append_readers(touched, waits_);
  }
}

// Requires that wait_for_writers() has cut the borders.
void Builder::note_read(const Slice& read, StepId reader) {
  if (read.length == 0) return;
  History& map = history(read.buffer);
  Bytes at = read.offset;
  auto it = map.lower_bound(at);
  while (at < read.end()) {
    if (it == map.end() || it->first > at) {  // a gap: nobody has touched these bytes yet
      const Bytes gap_end = it == map.end() ? read.end() : std::min(read.end(), it->first);
      it = map.emplace_hint(it, at, Touched{gap_end});
    }
    add_reader(it->second, reader);
    at = it->second.end;
    ++it;
  }
}

void Builder::note_write(const Slice& written, StepId writer) {
  if (written.length == 0) return;
  History& map = history(written.buffer);
  const auto after = map.erase(map.lower_bound(written.offset), map.lower_bound(written.end()));
  map.emplace_hint(after, written.offset, Touched{written.end(), writer});
}

}  // namespace tutti::collectives
