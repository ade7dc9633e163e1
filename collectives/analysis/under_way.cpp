// Moves of several calls under way: their scripts, their steps and the rings that they share.
#include "collectives/analysis/under_way.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "collectives/analysis/form.hpp"

namespace tutti::collectives {
namespace {

constexpr std::uint32_t kNobodysRing = ~std::uint32_t{0};
constexpr std::uint32_t kNoBlocker = ~std::uint32_t{0};

const char* words_for(Change change) noexcept {
  switch (change) {
    case Change::sent: return "is sent";
    case Change::lined_up: return "finds no slot, and is the first in line";
    case Change::received: return "has its message";
    case Change::reported: return "tells its sender of credit";
    case Change::starved: return "finds all credit used up by other messages";
    case Change::set_aside: return "sets aside what lies in the slots";
    case Change::asked: return "sets aside what lies in the slots, and asks for its message";
    default: return "";
  }
}

}  // namespace

Script script_of(std::span<const std::uint32_t> order, std::uint64_t waits) {
  Script script;
  std::vector<bool> ended(order.size());
  const auto wait = [&](std::size_t i) {
    if (!ended[i]) script.push_back({Action::Kind::wait, order[i]});
    ended[i] = true;
  };
  for (std::size_t j = 0; j < order.size(); ++j) {
    for (std::size_t i = 0; i < j; ++i)
      if ((waits >> (j * (j - 1) / 2 + i) & 1U) != 0) wait(i);
    script.push_back({Action::Kind::start, order[j]});
  }
  for (std::size_t i = 0; i < order.size(); ++i) wait(i);
  return script;
}

WholeCall::WholeCall(std::string name_of_call, std::vector<Problem> problem_of_each,
                     std::vector<Schedule> schedule_of_each)
    : name(std::move(name_of_call)),
      problems(std::move(problem_of_each)),
      schedules(std::move(schedule_of_each)),
      world(schedules) {
  const int P = static_cast<int>(schedules.size());
  for (Rank rank = 0; rank < P && fault.ok(); ++rank)
    fault = check_form(schedules[index(rank)], P, rank);
  if (fault.ok()) fault = world.messages();
  cursors.reserve(schedules.size());
  for (const Schedule& schedule : schedules) cursors.emplace_back(schedule);
}

CallsUnderWay::Layout::Layout(const Calls& calls) : what_(&calls) {
  const std::size_t P = calls.scripts.size();
  first_.reserve(calls.calls.size());
  std::vector<std::uint32_t> ring(P * P, kNobodysRing);
  for (std::uint32_t call = 0; call < calls.calls.size(); ++call) {
    const World& world = calls.calls[call]->world;
    first_.push_back(static_cast<std::uint32_t>(where_.size()));
    where_.reserve(where_.size() + world.steps());
    ring_of_.reserve(where_.capacity());
    for (Rank rank = 0; rank < world.P(); ++rank) {
      const std::vector<Step>& steps = world.schedule(rank).steps;
      for (StepId id = 0; id < steps.size(); ++id) {
        where_.push_back({call, {rank, id}});
        ring_of_.push_back(kNobodysRing);
        if (!is_message(steps[id].kind)) continue;
        const bool sends = steps[id].kind == StepKind::send;
        const Ends ends{sends ? rank : steps[id].peer, sends ? steps[id].peer : rank};
        std::uint32_t& number = ring[index(ends.from) * P + index(ends.to)];
        if (number == kNobodysRing) {
          number = static_cast<std::uint32_t>(rings_.size());
          rings_.push_back(ends);
          ends_of_messages_.push_back(0);
        }
        ++ends_of_messages_[number];
        ring_of_.back() = number;
      }
    }
  }
}

CallsUnderWay::CallsUnderWay(const Layout& layout, const Medium& medium)
    : layout_(&layout),
      pieces_(static_cast<std::uint8_t>(medium.pieces)),
      script_place_(layout.what_->scripts.size()),
      steps_(layout.where_.size()),
      not_ready_(layout.ends_of_messages_),
      rings_(layout.rings_.size(), SharedRing(medium.ring)) {
  begin();
}

CallsUnderWay::CallsUnderWay(const Layout& layout, std::vector<Knowledge>& knowledge)
    : layout_(&layout),
      script_place_(layout.what_->scripts.size()),
      steps_(layout.where_.size()),
      not_ready_(layout.ends_of_messages_),
      knowledge_(&knowledge) {
  begin();
}

void CallsUnderWay::begin() {
  for (const WholeCall* call : layout_->what_->calls)
    cursors_.insert(cursors_.end(), call->cursors.begin(), call->cursors.end());
  unfinished_ = layout_->what_->P();
  for (Rank rank = 0; rank < layout_->what_->P(); ++rank) follow_script(rank);
}

Cursor& CallsUnderWay::cursor(std::uint32_t call, Rank rank) {
  return cursors_[call * layout_->what_->scripts.size() + index(rank)];
}

// As far as nothing has to be waited for.
void CallsUnderWay::follow_script(Rank rank) {
  const Script& script = layout_->what_->scripts[index(rank)];
  std::uint32_t& place = script_place_[index(rank)];
  if (place == script.size() && place != 0) return;
  for (; place < script.size(); ++place) {
    const Action& action = script[place];
    if (action.kind == Action::Kind::start)
      start_ready(action.call, rank);
    else if (!cursor(action.call, rank).finished())
      return;
  }
  --unfinished_;
}

void CallsUnderWay::start_ready(std::uint32_t call, Rank rank) {
  Cursor& steps = cursor(call, rank);
  while (!steps.ready().empty()) {
    const auto taken = steps.ready();
    steps.take_all();
    for (const StepId id : taken) {
      const Place place{rank, id};
      const std::uint32_t number = layout_->number(call, place);
      if (is_message(layout_->step({call, place}).kind)) {
        steps_[number].status = Status::under_way;
        --not_ready_[layout_->ring_of_[number]];
        active_.push_back(number);
        continue;
      }
      steps_[number].status = Status::done;
      complete_local(call, place);
    }
  }
}

void CallsUnderWay::complete_local(std::uint32_t call, Place place) {
  if (knowledge_) {
    (*knowledge_)[call].local(place);
    (*knowledge_)[call].done(place);
  }
  cursor(call, place.rank).done(place.id);
}

// Completes one end of a message; its rank goes on.
void CallsUnderWay::complete(std::uint32_t step) {
  const Where& where = layout_->where_[step];
  steps_[step].status = Status::done;
  active_.erase(std::find(active_.begin(), active_.end(), step));
  if (knowledge_) (*knowledge_)[where.call].done(where.place);
  cursor(where.call, where.place.rank).done(where.place.id);
  start_ready(where.call, where.place.rank);
  follow_script(where.place.rank);
}

std::size_t CallsUnderWay::ring_of(std::size_t move) const noexcept {
  return move < active_.size() ? layout_->ring_of_[active_[move]] : (move - active_.size()) / 3;
}

Change CallsUnderWay::pass_directly(std::uint32_t step) {
  const Where& where = layout_->where_[step];
  const std::uint32_t other = layout_->partner(where);
  if (steps_[other].status != Status::under_way) return Change::nothing;
  const bool sends = layout_->step(where).kind == StepKind::send;
  const std::uint32_t send = sends ? step : other, receive = sends ? other : step;
  (*knowledge_)[where.call].message(layout_->where_[send].place, layout_->where_[receive].place);
  complete(send);
  complete(receive);
  return Change::received;
}

Change CallsUnderWay::attempt(std::uint32_t step) {
  if (knowledge_) return pass_directly(step);
  const Where& where = layout_->where_[step];
  StepState& state = steps_[step];
  SharedRing& ring = rings_[layout_->ring_of_[step]];
  Change change{};
  if (layout_->step(where).kind == StepKind::send) {
    change = ring.put(step, state.sent + 1 == pieces_);
    if (change == Change::sent && ++state.sent == pieces_) complete(step);
  } else {
    // Its message has the number of its send.
    change = ring.receive(layout_->partner(where), pieces_, state.waiting);
    if (change == Change::received && state.waiting.pieces == pieces_) complete(step);
  }
  return change;
}

bool CallsUnderWay::change(std::size_t move, std::vector<std::string>* trace) {
  if (move < active_.size()) {
    const std::uint32_t step = active_[move];
    const Change change = attempt(step);
    if (change == Change::nothing) return false;
    if (trace) trace->push_back(fmt::format("{} {}", name(step), words_for(change)));
    return true;
  }
  const std::size_t number = (move - active_.size()) / 3, what = (move - active_.size()) % 3;
  SharedRing& ring = rings_[number];
  const Change change = what == 0 ? ring.arrive() : what == 1 ? ring.tell() : ring.hear();
  if (change == Change::nothing) return false;
  if (!trace) return true;
  const auto [from, to] = layout_->rings_[number];
  if (what == 0)
    trace->push_back(fmt::format("a message from rank {} arrives at rank {}", from, to));
  else
    trace->push_back(fmt::format("rank {} learns of {} rank {}", from,
                                 what == 1 ? "its credit with" : "what is asked for by", to));
  return true;
}

void CallsUnderWay::append_key(std::string& key) const {
  for (const StepState& state : steps_) {
    key.push_back(static_cast<char>(static_cast<unsigned>(state.status) |
                                    static_cast<unsigned>(state.waiting.phase) << 2U |
                                    static_cast<unsigned>(state.sent) << 4U));
    if (state.status != Status::under_way) continue;
    key.push_back(static_cast<char>(state.waiting.pieces));
    key.push_back(static_cast<char>(state.waiting.ticket));  // few messages are explored
  }
  for (const SharedRing& ring : rings_) ring.append_key(key);
}

std::string CallsUnderWay::fault() const {
  for (std::size_t i = 0; i < rings_.size(); ++i)
    if (rings_[i].fault())
      return fmt::format("from rank {} to rank {}: {}", layout_->rings_[i].from,
                         layout_->rings_[i].to, rings_[i].fault());
  return {};
}

// --- in words

std::string CallsUnderWay::name(std::uint32_t step) const {
  const Where& where = layout_->where_[step];
  const WholeCall& call = *layout_->what_->calls[where.call];
  return fmt::format("{} of call {} ({})",
                     describe(call.schedules[index(where.place.rank)], where.place.id), where.call,
                     call.name);
}

bool CallsUnderWay::has_started(std::uint32_t call, Rank rank) const {
  const Script& script = layout_->what_->scripts[index(rank)];
  return std::any_of(script.begin(), script.begin() + script_place_[index(rank)],
                     [&](const Action& action) {
                       return action.kind == Action::Kind::start && action.call == call;
                     });
}

// A step under way of the same call and rank, for which `step` waits.
std::uint32_t CallsUnderWay::under_way_before(std::uint32_t step) const {
  const Where& late = layout_->where_[step];
  const Schedule& schedule = layout_->what_->calls[late.call]->world.schedule(late.place.rank);
  for (const std::uint32_t candidate : active_) {
    const Where& where = layout_->where_[candidate];
    if (where.call != late.call || where.place.rank != late.place.rank) continue;
    std::set<StepId> reached{where.place.id};
    for (const StepId id : reached)  // edges go upwards
      for (const StepId next : schedule.successors_of(id)) reached.insert(next);
    if (reached.contains(late.place.id)) return candidate;
  }
  return kNoBlocker;
}

// Adds for what a step under way waits, and returns the step under way on which that depends.
std::uint32_t CallsUnderWay::blocker(std::uint32_t step, std::string& text) const {
  std::uint32_t other = layout_->partner(layout_->where_[step]);
  if (steps_[other].status != Status::not_ready && !knowledge_) {
    // Both ends are under way, or the send has ended and its message has not come: what lies in
    // front of it?
    const SharedRing& ring = rings_[layout_->ring_of_[step]];
    const MessageNumber front = ring.first();
    if (front == kNoMessage) {
      text += "nothing that could be seen";
      return kNoBlocker;
    }
    text += fmt::format("the slot in which the message of {} lies, which waits for ", name(front));
    other = layout_->partner(layout_->where_[front]);
    if (steps_[other].status != Status::not_ready) {
      text += "its receive, which is under way";
      return kNoBlocker;
    }
  }
  const Where& where = layout_->where_[other];
  if (has_started(where.call, where.place.rank)) {
    text += fmt::format("{}, which does not get ready", name(other));
    return under_way_before(other);
  }
  const Action& now =
      layout_->what_->scripts[index(where.place.rank)][script_place_[index(where.place.rank)]];
  text += fmt::format("{}, which that rank starts only after call {} ({}) has ended there",
                      name(other), now.call, layout_->what_->calls[now.call]->name);
  for (const std::uint32_t candidate : active_)
    if (layout_->where_[candidate].call == now.call &&
        layout_->where_[candidate].place.rank == where.place.rank)
      return candidate;
  return kNoBlocker;
}

std::string CallsUnderWay::end() const {
  if (finished()) return {};
  std::string text;
  std::set<std::uint32_t> told;
  for (std::uint32_t step = active_.empty() ? kNoBlocker : active_.front(); step != kNoBlocker;) {
    if (!told.insert(step).second) return text + "; and so round in a circle";
    text += fmt::format("{}{} waits for ever for ", text.empty() ? "" : "; ", name(step));
    step = blocker(step, text);
  }
  return text.empty() ? "a rank waits for a call that it has not started" : text;
}

}  // namespace tutti::collectives
