// Several calls under way at once, on all ranks together: how far each rank is with each of them,
// and what lies in the rings that they share. It does one move at a time, and leaves to whoever
// drives it which one, so that one execution, all of them, and the tests are loops over one class.
// Which steps are ready each call's own Cursor knows. Pure.
//
// A rank starts calls, and waits for their end, in the order of its script. While it waits, or
// later, it attempts the steps of all calls that it has started, in any order, as a job does
// (CallsUnderWay::advance_others()). Local steps, and a start whose turn it is, need no attempt and
// are done at once. To do them later is the same as to attempt later what follows from them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "collectives/analysis/knowledge.hpp"
#include "collectives/analysis/shared_ring.hpp"
#include "collectives/analysis/world.hpp"

namespace tutti::collectives {

// One call as all ranks make it. Its schedules must be well formed, and its messages meet their
// receives: `fault` says if they do not, and then nothing of it may run.
struct WholeCall {
  WholeCall(std::string name_of_call, std::vector<Problem> problem_of_each,
            std::vector<Schedule> schedule_of_each);

  std::string name;  // for people: "bcast binomial"
  std::vector<Problem> problems;
  std::vector<Schedule> schedules;
  World world;                  // only looked at
  Verdict fault;                // the first, of check_form() or of World::messages()
  std::vector<Cursor> cursors;  // at the start of each rank
};

// Starts a call on a rank, or waits until it has ended there. A rank does each once for each call.
struct Action {
  enum class Kind : std::uint8_t { start, wait } kind;
  std::uint32_t call;
};
using Script = std::vector<Action>;
// Starts the calls in the order of `order`. Bit j(j-1)/2 + i of `waits`, i < j: the end of the i-th
// of these is waited for before the j-th starts. The ends of all others are waited for last.
Script script_of(std::span<const std::uint32_t> order, std::uint64_t waits);

struct Calls {
  std::vector<const WholeCall*> calls;  // all of the same ranks; they must outlive what uses them
  std::vector<Script> scripts;          // of each rank
  // The communicator of each call. Each rank numbers the calls of one communicator in the order in
  // which it starts them, and their messages meet by these numbers.
  std::vector<int> communicators;
  int P() const noexcept { return static_cast<int>(scripts.size()); }
};

// How messages pass: all of one rank to another through one ring.
struct Medium {
  RingRules ring{};
  int pieces = 1;  // of each message
};

class CallsUnderWay {
 public:
  class Layout;  // the part that never changes
  // Has begun whatever can begin at once. The layout must outlive it and its copies.
  CallsUnderWay(const Layout& layout, const Medium& medium);

  // Over rendezvous; follows the data of each call, which has its place in `knowledge`.
  CallsUnderWay(const Layout& layout, std::vector<Knowledge>& knowledge);

  // One of the moves [0, moves()): an attempt of a step that is under way, or that something comes
  // from one rank to another. false: it changes nothing, now.
  std::size_t moves() const noexcept { return active_.size() + 3 * rings_.size(); }
  bool make(std::size_t move) { return change(move, nullptr); }
  // Also appends to the trace what the move did.
  bool make(std::size_t move, std::vector<std::string>& trace) { return change(move, &trace); }

  // The ring that a move is about; two moves about different rings do not change each other.
  std::size_t rings() const noexcept { return rings_.size(); }
  std::size_t ring_of(std::size_t move) const noexcept;
  // Whether all messages of the ring are under way at both ends, or done: then no moves about other
  // rings bring new ones about this one.
  bool is_settled(std::size_t ring) const noexcept { return not_ready_[ring] == 0; }

  bool finished() const noexcept { return unfinished_ == 0; }  // all ranks, with their scripts
  void append_key(std::string& key) const;
  std::string fault() const;
  // If no move changes anything: which rank waits for what, as far as it goes round; empty: all
  // have finished.
  std::string end() const;

 private:
  enum class Status : std::uint8_t { not_ready, under_way, done };
  struct StepState {
    Status status = Status::not_ready;
    std::uint8_t sent = 0;  // pieces
    SharedRing::Waiting waiting;
  };
  struct Where {  // a step
    std::uint32_t call;
    Place place;
  };

  void begin();
  void start_ready(std::uint32_t call, Rank rank);
  void follow_script(Rank rank);
  void complete(std::uint32_t step);
  void complete_local(std::uint32_t call, Place place);
  Change attempt(std::uint32_t step);
  Change pass_directly(std::uint32_t step);
  bool change(std::size_t move, std::vector<std::string>* trace);
  Cursor& cursor(std::uint32_t call, Rank rank);
  bool has_started(std::uint32_t call, Rank rank) const;
  std::string name(std::uint32_t step) const;
  std::uint32_t blocker(std::uint32_t step, std::string& text) const;
  std::uint32_t under_way_before(std::uint32_t step) const;

  const Layout* layout_;
  std::uint8_t pieces_ = 1;
  std::vector<Cursor> cursors_;              // call * P + rank
  std::vector<std::uint32_t> script_place_;  // by rank
  std::vector<StepState> steps_;             // of all calls, as Layout numbers them
  std::vector<std::uint32_t> active_;        // steps under way: messages
  std::vector<std::uint32_t> not_ready_;     // by ring: ends of messages that are not under way yet
  std::vector<SharedRing> rings_;            // as Layout numbers them; rendezvous: none
  // Null: messages go through rings. If not, each passes when both its send and its receive are
  // under way, whatever others do.
  std::vector<Knowledge>* knowledge_ = nullptr;
  int unfinished_ = 0;  // ranks
};

// The steps of all calls are numbered call by call, and in each as its World does; the pairs of
// ranks of which one sends to the other in some call are numbered, too.
class CallsUnderWay::Layout {
 public:
  explicit Layout(const Calls& calls);  // borrowed

 private:
  friend class CallsUnderWay;
  std::uint32_t number(std::uint32_t call, Place place) const noexcept {
    return first_[call] + what_->calls[call]->world.number(place);
  }
  const Step& step(const Where& where) const noexcept {
    return what_->calls[where.call]->world.step(where.place);
  }
  std::uint32_t partner(const Where& where) const noexcept {
    return number(where.call, what_->calls[where.call]->world.partner(where.place));
  }

  const Calls* what_;
  std::vector<std::uint32_t> first_;    // of each call
  std::vector<Where> where_;            // by step
  std::vector<std::uint32_t> ring_of_;  // by step: of messages
  struct Ends {
    Rank from, to;
  };
  std::vector<Ends> rings_;
  std::vector<std::uint32_t> ends_of_messages_;  // by ring
};

}  // namespace tutti::collectives
