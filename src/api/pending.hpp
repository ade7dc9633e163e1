// Calls between the function that begins them and the one that ends them: what a tutti_request
// names. All with the engine's lock held, which a thread gives up only while it waits.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <vector>

#include "base/error.hpp"
#include "src/api/call_arguments.hpp"
#include "src/api/own_type.hpp"
#include "src/api/user_request.hpp"
#include "src/job/waiting.hpp"

struct tutti_comm_object;
struct tutti_request_object;

namespace tutti {

struct Library;
class CallsUnderWay;
class Plan;

enum class Form : std::uint8_t {
  once,        // begun, and gone when it has ended
  persistent,  // prepared, begun any number of times, and freed by the program
};

// One call. Inactive until start(), and from finish() on.
class Pending {
 public:
  // Holds the datatypes where the call needs them later: the program may free them. The arrays to
  // which `arguments` points must stay. Throws Error: an argument of a persistent call is wrong
  // (others are checked by start()), std::bad_alloc.
  Pending(Library& state, tutti_comm_object& comm, const Arguments& arguments, Form form);
  ~Pending();
  Pending(const Pending&) = delete;
  Pending& operator=(const Pending&) = delete;

  Form form() const noexcept { return form_; }
  bool belongs_to(const tutti_comm_object& comm) const noexcept { return &comm_ == &comm; }
  bool active() const noexcept { return under_way_ || settled_; }
  // Active, and finish() need not wait.
  bool ended() const noexcept {
    return settled_ || (under_way_ && request_->state() != Request::State::active);
  }

  // Throws Error: it is inactive still.
  void start(Library& state);
  // One look at what has come.
  void look() noexcept {
    if (under_way_) request_->look(wait_state_);
  }
  // Takes the call further, and pauses.
  void pause() noexcept {
    if (under_way_) request_->pause(wait_state_);
  }
  void begin_wait() noexcept { wait_state_ = {}; }
  // Waits for the end, keeps what came of it for finish(), and needs no communicator any more.
  void settle() noexcept;
  // Waits for the end. The result is where the program wants it. Throws Error, std::bad_alloc.
  // Inactive in any case.
  void finish();

  // An address that is the waiting thread's alone, so that no other thread waits for the call, too;
  // null: no thread waits.
  const void* claimant = nullptr;

 private:
  void check_arguments(Library& state);
  void start_request(Library& state);
  void start_again();
  void leave_alone(CallsUnderWay& calls);
  [[noreturn, gnu::cold]] void give_up_start();
  void keep_own_types(const Library& state, Side& side, std::size_t blocks);
  void drop_request() noexcept;

  tutti_comm_object& comm_;
  Communicator& communicator_;
  OwnType send_type_, receive_type_;
  // Types of calls whose blocks have types of their own: the send side's, then the others.
  std::vector<OwnType> own_types_;
  std::vector<MPI_Datatype> types_;
  Arguments arguments_;
  const Form form_;
  // While the call is active, unless it is settled; and from then on where its arguments always
  // mean the same, as in Repeats: each start begins it once more, with this plan.
  std::optional<UserRequest> request_;
  Plan* plan_ = nullptr;  // that of a bound request, which keeps it; null: nothing is known
  WaitState wait_state_{};
  bool under_way_ = false, settled_ = false;
  std::exception_ptr failure_;  // of a call that is settled
};

// All of the process, by handle. A handle is no address: the number of a place, and how often that
// was given away, so that one that was freed is an error for long.
class PendingCalls {
 public:
  // Adds an inactive call. Throws as Pending, std::bad_alloc.
  tutti_request_object* add(Library& state, tutti_comm_object& comm, const Arguments& arguments,
                            Form form);
  // Null: no request has that handle.
  [[gnu::always_inline]] Pending* look_up(tutti_request_object* handle) const noexcept {
    const std::uint32_t number = place_of(handle);
    if (number < places_.size()) [[likely]]
      if (Place& place = *places_[number]; place.pending && place.uses == uses_of(handle))
          [[likely]]
        return &*place.pending;
    return nullptr;
  }
  // Throws Error{bad_request}: no request has that handle.
  [[gnu::always_inline]] Pending& find(tutti_request_object* handle) const {
    if (Pending* const call = look_up(handle)) [[likely]]
      return *call;
    throw_no_request();
  }
  // Must be inactive.
  void remove(tutti_request_object* handle) noexcept;
  // Waits for the active calls of a communicator that is about to go. Throws Error{bad_request}: a
  // thread waits for one of these.
  void settle(const tutti_comm_object& comm);
  // The most requests that have been there at once.
  std::size_t places() const noexcept { return places_.size(); }
  // At the end: calls that are active are given up.
  void clear() noexcept { places_.clear(); }

 private:
  struct Place {
    std::optional<Pending> pending;
    std::uint32_t uses = 0;
  };
  // The number of a place from 1, so that no handle is null, and below it how often the place was
  // used.
  static_assert(sizeof(void*) == sizeof(std::uint64_t));
  static tutti_request_object* handle_of(std::uint32_t place, std::uint32_t uses) noexcept {
    return reinterpret_cast<tutti_request_object*>((std::uint64_t{place} + 1) << 32 | uses);
  }
  static std::uint32_t place_of(tutti_request_object* handle) noexcept {
    return static_cast<std::uint32_t>((reinterpret_cast<std::uint64_t>(handle) >> 32) - 1);
  }
  static std::uint32_t uses_of(tutti_request_object* handle) noexcept {
    return static_cast<std::uint32_t>(reinterpret_cast<std::uint64_t>(handle));
  }
  [[noreturn, gnu::cold]] static void throw_no_request();

  std::vector<std::unique_ptr<Place>> places_;
  std::vector<std::uint32_t> free_;  // with room for all places
};

}  // namespace tutti
