// The life of a call that outlives the function which began it, and the names of such calls.
#include "src/api/pending.hpp"

#include <utility>

#include "base/index.hpp"
#include "src/api/collective.hpp"
#include "src/job/plan.hpp"
#include "src/news/call_words.hpp"

namespace tutti {
namespace {

using collectives::Collective;

// Whether MPI looks at the datatype of a side of the call, on this rank.
bool uses_send_type(const Arguments& a, int rank) noexcept {
  if (a.own_types) return false;
  switch (a.collective) {
    case Collective::barrier:
    case Collective::bcast: return false;
    case Collective::scatter: return rank == a.root;
    case Collective::gather:
    case Collective::allgather:
    case Collective::alltoall:
    case Collective::neighbor_allgather:
    case Collective::neighbor_alltoall: return a.send.buffer != MPI_IN_PLACE;
    default: return true;  // the one type of a reduction
  }
}
bool uses_receive_type(const Arguments& a, int rank) noexcept {
  if (a.own_types) return false;
  switch (a.collective) {
    case Collective::bcast:
    case Collective::allgather:
    case Collective::alltoall:
    case Collective::neighbor_allgather:
    case Collective::neighbor_alltoall: return true;
    case Collective::scatter: return a.receive.buffer != MPI_IN_PLACE;
    case Collective::gather: return rank == a.root;
    default: return false;
  }
}

// Blocks of an all-to-all, on the send and on the receive side.
std::pair<std::size_t, std::size_t> blocks_of(const Arguments& a, const Communicator& comm) {
  const std::size_t P = index(comm.size());
  if (a.collective != Collective::neighbor_alltoall) return {P, P};
  const auto& around = comm.neighbours();
  if (!around) return {0, 0};
  return {around->to.size(), around->from.size()};
}

// Whether the call needs the type after it has begun: what was read of one is kept with the call.
bool needs_later(const Layout& layout, const Arguments& a, Form form) noexcept {
  return form == Form::persistent || collectives::reduces(a.collective) || !layout.is_known();
}

// An error in a type is reported where the arguments are checked, with the argument's name.
OwnType own(const Library& state, bool used, MPI_Datatype type, const Arguments& a, Form form) {
  try {
    if (!used) return OwnType(type);
    const Layout layout = state.datatypes.layout(type);
    if (needs_later(layout, a, form)) return {layout, type};
  } catch (const Error&) {
  }
  return OwnType(type);
}

}  // namespace

// --- one call ----------------------------------------------------------------------------------

Pending::Pending(Library& state, tutti_comm_object& comm, const Arguments& arguments, Form form)
    : comm_(comm),
      communicator_(*comm.communicator),
      send_type_(own(state, uses_send_type(arguments, communicator_.rank()), arguments.send.type,
                     arguments, form)),
      receive_type_(own(state, uses_receive_type(arguments, communicator_.rank()),
                        arguments.receive.type, arguments, form)),
      arguments_(arguments),
      form_(form) {
  arguments_.send.type = send_type_.type();
  arguments_.receive.type = receive_type_.type();
  if (arguments_.own_types) {
    const auto [sent, received] = blocks_of(arguments_, communicator_);
    own_types_.reserve(sent + received);
    types_.reserve(sent + received);
    if (arguments_.send.buffer != MPI_IN_PLACE) keep_own_types(state, arguments_.send, sent);
    keep_own_types(state, arguments_.receive, received);
  }
  if (form_ == Form::persistent) check_arguments(state);
  comm_.persistent += form_ == Form::persistent;
}

// The type of a block without elements may be anything.
void Pending::keep_own_types(const Library& state, Side& side, std::size_t blocks) {
  if (!side.counts || !side.types) return;
  const MPI_Datatype* const types = types_.data() + types_.size();
  for (std::size_t i = 0; i < blocks; ++i) {
    own_types_.push_back(own(state, side.counts[i] != 0, side.types[i], arguments_, form_));
    types_.push_back(own_types_.back().type());
  }
  side.types = types;
}

// Throws Error: the call could never start.
void Pending::check_arguments(Library& state) {
  try {
    UserRequest unstarted(communicator_);
    prepare(state, unstarted, arguments_);
  } catch (Error& error) {
    error.message =
        in_next_call(communicator_.agreement(), name_of(arguments_) + "_init", error.message);
    throw;
  }
}

Pending::~Pending() {
  request_.reset();
  if (form_ == Form::persistent && --comm_.persistent == 0) comm_.kept.reset();
}

// Throws as start_request().
[[gnu::always_inline]] inline void Pending::start_again() {
  try {
    request_->start(communicator_.again(*plan_));
  } catch (...) {
    give_up_start();
  }
}

void Pending::start(Library& state) {
  wait_state_ = {};
  if (plan_ && !gpu_pointer_query.load(std::memory_order_relaxed))
    start_again();
  else
    start_request(state);
  under_way_ = true;
  if (request_->state() == Request::State::active) leave_alone(state.engine->calls());
  request_->look_around();
}

// Its rank may turn to other things. Where no thread takes the call further, what waits for its
// receivers is looked after for a moment; no other thread may end the call meanwhile.
[[gnu::always_inline]] inline void Pending::leave_alone(CallsUnderWay& calls) {
  const bool goes_on = calls.leave_alone() && !calls.need_program();
  if (goes_on || request_->plan().time_for_invitations().count() == 0) [[likely]]
    return;
  claimant = this;
  request_->await_invitations();
  claimant = nullptr;
}

// Within a handler of what a start has thrown.
void Pending::give_up_start() {
  try {
    rethrow(*request_, arguments_);
  } catch (...) {
    drop_request();
    throw;
  }
}

void Pending::start_request(Library& state) {
  try {
    const bool may_be_on_gpu = gpu_pointer_query.load(std::memory_order_relaxed);
    plan_ = nullptr;
    UserRequest& request = request_.emplace(communicator_);
    tutti::start(request, arguments_, [&]() -> Plan& {
      prepare(state, request, arguments_);
      Plan& plan = communicator_.plan(request.task);
      request.choose_copies(plan);
      if (form_ == Form::persistent && request.is_plain() && !may_be_on_gpu) request.bind();
      return plan;
    });
    if (request.bound()) plan_ = &request.plan();
  } catch (...) {
    drop_request();
    throw;
  }
}

void Pending::drop_request() noexcept {
  under_way_ = false;
  plan_ = nullptr;
  request_.reset();
}

void Pending::settle() noexcept {
  if (!under_way_) return;
  try {
    finish();
  } catch (...) {
    failure_ = std::current_exception();
  }
  settled_ = true;
}

void Pending::finish() {
  if (std::exchange(settled_, false)) {
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
    return;
  }
  try {
    request_->advance();  // before a pause: something may have come since the start
    request_->wait();
    if (!plan_) request_->deliver();  // where it is already, if the request is bound
  } catch (...) {
    drop_request();
    throw;
  }
  under_way_ = false;
  if (!plan_) request_.reset();
}

// --- all of them -------------------------------------------------------------------------------

tutti_request PendingCalls::add(Library& state, tutti_comm_object& comm, const Arguments& arguments,
                                Form form) {
  if (free_.empty()) {
    free_.reserve(places_.size() + 1);
    places_.push_back(std::make_unique<Place>());
    free_.push_back(static_cast<std::uint32_t>(places_.size() - 1));
  }
  const std::uint32_t number = free_.back();
  Place& place = *places_[number];
  place.pending.emplace(state, comm, arguments, form);
  free_.pop_back();
  return handle_of(number, ++place.uses);
}

void PendingCalls::throw_no_request() {
  throw Error(
      Code::bad_request,
      "this is not a request of Tutti, or it has been completed or freed; its variable should "
      "be TUTTI_REQUEST_NULL then: pass the address of the variable, not of a copy");
}

void PendingCalls::remove(tutti_request handle) noexcept {
  const std::uint32_t number = place_of(handle);
  places_[number]->pending.reset();
  free_.push_back(number);
}

void PendingCalls::settle(const tutti_comm_object& comm) {
  const auto each = [&](auto&& visit) {
    for (std::size_t i = 0; i < places_.size(); ++i)  // there may be more after a wait
      if (auto& pending = places_[i]->pending; pending && pending->belongs_to(comm))
        visit(*pending);
  };
  each([](const Pending& call) {
    if (call.claimant)
      throw Error(Code::bad_request,
                  "another thread waits for a request of the communicator; free it after that");
  });
  each([](Pending& call) {
    call.claimant = &call;
    call.settle();
    call.claimant = nullptr;
  });
}

}  // namespace tutti
