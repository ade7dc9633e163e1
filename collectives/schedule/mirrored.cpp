// Undoes the steps of a schedule, last one first, and keeps track of what lies where. Pure.
#include "collectives/schedule/mirrored.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>

#include "collectives/schedule/builder.hpp"

namespace tutti::collectives {
namespace {

// The content of a place: nothing; the caller's contribution, which still lies in the input; or a
// value of its own.
enum class Holds : std::uint8_t { nothing, input, value };

// The content of one buffer, as intervals that cover it.
class States {
 public:
  States(Bytes size, Holds holds) : end_(size) { starts_[0] = holds; }
  void set(const Slice& slice, Holds holds) {
    if (slice.length == 0) return;
    cut(slice.offset);
    cut(slice.end());
    starts_.erase(starts_.lower_bound(slice.offset), starts_.lower_bound(slice.end()));
    starts_[slice.offset] = holds;
  }
  struct Piece {
    Slice slice;
    Holds holds;
  };
  // The slice in pieces that hold the same; neighbours that hold the same are one piece.
  std::vector<Piece> pieces(const Slice& slice) const {
    std::vector<Piece> all;
    if (slice.length == 0) return all;
    for (auto it = std::prev(starts_.upper_bound(slice.offset));
         it != starts_.end() && it->first < slice.end(); ++it) {
      const auto next = std::next(it);
      const Bytes from = std::max(slice.offset, it->first),
                  to = std::min(slice.end(), next == starts_.end() ? end_ : next->first);
      if (!all.empty() && all.back().holds == it->second)
        all.back().slice.length += to - from;
      else
        all.push_back({{slice.buffer, from, to - from}, it->second});
    }
    return all;
  }

 private:
  void cut(Bytes at) {
    if (at >= end_) return;
    auto it = std::prev(starts_.upper_bound(at));
    if (it->first != at) starts_.emplace_hint(std::next(it), at, it->second);
  }
  Bytes end_;
  std::map<Bytes, Holds> starts_;
};

class Mirror {
 public:
  Mirror(const Schedule& spread, const Problem& problem)
      : spread_(spread),
        problem_(problem),
        s_(problem.P, problem.rank, user_buffers(problem), use_in(problem)),
        states_{States{spread.input_bytes, Holds::nothing},
                States{spread.output_bytes, Holds::input},
                States{spread.scratch_bytes, Holds::nothing}} {
    check_slices();
    choose_result();
    lay_out();
  }

  Schedule run() {
    for (auto step = spread_.steps.rbegin(); step != spread_.steps.rend(); ++step) undo(*step);
    for (const auto& piece : states(result_.buffer).pieces(result_)) {
      const Slice target{Buffer::output, piece.slice.offset - result_.offset, piece.slice.length};
      if (piece.holds != Holds::nothing) s_.copy(where(piece), target);
    }
    return s_.finish();
  }

 private:
  States& states(Buffer buffer) { return states_[index(buffer)]; }

  void check_slices() const {
    const Bytes sizes[] = {spread_.input_bytes, spread_.output_bytes, spread_.scratch_bytes};
    for (const Step& step : spread_.steps)
      for (const Slice& slice : {step.source, step.target})
        if (slice.offset < 0 || slice.length < 0 || slice.end() > sizes[index(slice.buffer)])
          throw std::logic_error("this schedule has no mirror: bytes of a step do not exist");
  }

  // The mirror's result is the slice that the spread schedule takes from its caller.
  void choose_result() {
    const bool root = problem_.rank == problem_.root;
    if (problem_.collective == Collective::gather && root)
      result_ = {Buffer::input, 0, spread_.input_bytes};
    if (problem_.collective == Collective::reduce && root)
      result_ = {Buffer::output, 0, spread_.output_bytes};
    if (problem_.collective == Collective::reduce_scatter) {
      const Problem forwards = mirror_of(problem_);
      result_ = blocks_in(Buffer::output, forwards)[problem_.rank];
    }
    // The result is made where it has to be in the end, unless a slice runs across its border or
    // the caller's input is in the way.
    in_place_ = !(problem_.collective == Collective::reduce_scatter && problem_.in_place);
    for (const Step& step : spread_.steps)
      for (const Slice& slice : {step.source, step.target}) {
        if (slice.length == 0 || slice.buffer != result_.buffer) continue;
        const bool apart = slice.end() <= result_.offset || slice.offset >= result_.end();
        const bool inside = slice.offset >= result_.offset && slice.end() <= result_.end();
        if (!apart && !inside) in_place_ = false;
      }
  }

  bool in_result(const Slice& place) const {
    return in_place_ && place.buffer == result_.buffer && place.offset >= result_.offset &&
           place.end() <= result_.end();
  }

  // Scratch for what is combined or received outside of the result. A buffer in which nothing is
  // needs none.
  void lay_out() {
    for (std::size_t b = 0; b < 3; ++b) {
      Bytes first = 0, end = 0;
      bool makes = false;
      for (const Step& step : spread_.steps)
        for (const Slice& slice : {step.source, step.target}) {
          if (slice.length == 0 || index(slice.buffer) != b || in_result(slice)) continue;
          first = end == 0 ? slice.offset : std::min(first, slice.offset);
          end = std::max(end, slice.end());
          makes |= slice == step.source && step.kind != StepKind::recv;
        }
      storage_[b] = s_.scratch(makes ? end - first : 0);
      storage_[b].offset -= first;
    }
  }

  Slice storage(const Slice& place) const {
    if (in_result(place)) return {Buffer::output, place.offset - result_.offset, place.length};
    const Slice& base = storage_[index(place.buffer)];
    return {Buffer::scratch, base.offset + place.offset, place.length};
  }
  Slice where(const States::Piece& piece) const {
    return piece.holds == Holds::input
               ? Slice{Buffer::input, piece.slice.offset, piece.slice.length}
               : storage(piece.slice);
  }

  // Makes all of the place hold the same: contributions that lie beside values are copied to their
  // own place.
  States::Piece gathered(const Slice& place) {
    auto pieces = states(place.buffer).pieces(place);
    if (pieces.size() == 1) return pieces.front();
    for (const auto& piece : pieces) {
      if (piece.holds == Holds::nothing)
        throw std::logic_error("this schedule has no mirror: part of a message is undefined");
      if (piece.holds == Holds::input) s_.copy(where(piece), storage(piece.slice));
    }
    states(place.buffer).set(place, Holds::value);
    return {place, Holds::value};
  }

  void undo(const Step& step) {
    switch (step.kind) {
      case StepKind::send: return collect(step);
      case StepKind::recv:
        if (step.target.length == 0) return s_.send(step.peer, {});
        s_.send(step.peer, where(gathered(step.target)));
        return states(step.target.buffer).set(step.target, Holds::nothing);
      case StepKind::copy: return undo_copy(step);
      case StepKind::recv_reduce:
      case StepKind::reduce: throw std::logic_error("only what spreads data has a mirror");
    }
  }

  void collect(const Step& step) {
    if (step.source.length == 0) return s_.recv(step.peer, {});
    const auto held = gathered(step.source);
    if (held.holds == Holds::nothing)
      s_.recv(step.peer, storage(step.source));
    else
      s_.recv_reduce(step.peer, where(held), storage(step.source), step.peer < problem_.rank);
    states(step.source.buffer).set(step.source, Holds::value);
  }

  void undo_copy(const Step& step) {
    if (step.source.length == 0) return;  // a join; here the order follows from the bytes
    for (const auto& piece : states(step.target.buffer).pieces(step.target)) {
      if (piece.holds == Holds::nothing) continue;
      const Bytes at = piece.slice.offset - step.target.offset;
      const Slice back{step.source.buffer, step.source.offset + at, piece.slice.length};
      const auto held = gathered(back);
      if (held.holds == Holds::nothing) {
        s_.copy(where(piece), storage(back));
      } else {
        if (held.holds == Holds::input) s_.copy(where(held), storage(back));
        s_.reduce(where(piece), storage(back));
      }
      states(back.buffer).set(back, Holds::value);
    }
    states(step.target.buffer).set(step.target, Holds::nothing);
  }

  const Schedule& spread_;
  const Problem& problem_;
  Builder s_;
  States states_[3];
  Slice result_;  // of the spread schedule's buffers
  bool in_place_ = true;
  Slice storage_[3];  // by buffer of the spread schedule: where in scratch its byte 0 would lie
};

}  // namespace

Problem mirror_of(Problem problem) {
  switch (problem.collective) {
    case Collective::gather: problem.collective = Collective::scatter; break;
    case Collective::reduce:
      problem.collective = Collective::bcast;
      problem.in_place = false;
      break;
    case Collective::reduce_scatter:
      problem.collective = Collective::allgather;
      problem.in_place = true;  // so that the own block has one place only
      break;
    default: throw std::logic_error("only gather, reduce and reduce-scatter are mirrors");
  }
  return problem;
}

Schedule mirrored(const Schedule& spread, const Problem& problem) {
  return Mirror{spread, problem}.run();
}

}  // namespace tutti::collectives
