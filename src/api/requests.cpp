// Requests of the C API: beginning calls, waiting for them, testing and freeing them.
#include "src/api/requests.hpp"

#include <new>
#include <span>

#include "src/api/library.hpp"

namespace tutti {
namespace {

// If anything keeps this rank from taking part, the members may wait for it in this call.
tutti_request add(Library& state, tutti_comm comm, const Arguments& arguments, Form form,
                  const tutti_request* place) {
  Communicator& communicator = communicator_of(comm);
  try {
    if (!place)
      throw Error(Code::bad_request, "there is no place for the request: `request` is NULL");
    return state.pending.add(state, *comm, arguments, form);
  } catch (const Error& error) {
    communicator.refuse(error.code, error.message);
    throw;
  } catch (const std::bad_alloc&) {
    communicator.refuse(Code::out_of_memory, kOutOfMemory);
    throw;
  }
}

// Errors are made out of line, as a start and a wait of short messages cost little else.
[[noreturn, gnu::cold]] void throw_without_request(const char* function) {
  throw Error(Code::bad_request,
              std::string(function) + " needs the address of a request, and got NULL");
}
[[noreturn, gnu::cold]] void throw_null_starts() {
  throw Error(Code::bad_request,
              "the request is TUTTI_REQUEST_NULL; make one with a function such as "
              "tutti_allreduce_init");
}
[[noreturn, gnu::cold]] void throw_active_starts() {
  throw Error(Code::bad_request, "the request is active; wait for it before it starts again");
}

inline void must_have(const tutti_request* request, const char* function) {
  if (!request) [[unlikely]]
    throw_without_request(function);
}
void must_have(const int* place, const char* name) {
  if (!place) throw Error(Code::bad_buffer, std::string("`") + name + "` is NULL");
}
std::span<tutti_request> all_of(int count, tutti_request* requests) {
  if (count < 0) throw Error(Code::bad_count, "the number of requests is negative");
  if (!requests && count > 0) throw Error(Code::bad_request, "`requests` is NULL");
  return {requests, static_cast<std::size_t>(count)};
}

// Null: there is nothing to wait for, as the handle is null or its call is inactive.
[[gnu::always_inline]] inline Pending* active(const Library& state, tutti_request handle) {
  if (handle == TUTTI_REQUEST_NULL) return nullptr;
  Pending& call = state.pending.find(handle);
  return call.active() ? &call : nullptr;
}

[[noreturn, gnu::cold]] void throw_claimed() {
  throw Error(Code::bad_request,
              "a request stands twice in the array, or another thread waits for it");
}

// Ends a complete call: its handle is null from now on, unless it is persistent.
inline void release_handle(Library& state, tutti_request& handle, Pending& call) noexcept {
  call.claimant = nullptr;
  if (call.form() == Form::persistent) return;
  state.pending.remove(handle);
  handle = TUTTI_REQUEST_NULL;
}

// Waits for an active call, if it has to. The request is null or inactive afterwards. Throws what
// the call throws.
[[gnu::always_inline]] inline void complete(Library& state, tutti_request& handle, Pending& call) {
  try {
    call.finish();
  } catch (...) {
    release_handle(state, handle, call);
    throw;
  }
  release_handle(state, handle, call);
}

// The active ones of some requests, which are this thread's as long as this lives: while it waits,
// another thread may come with the same ones. It may also start or free those that were inactive:
// they are left alone. Throws Error{bad_request}.
class Claimed {
 public:
  Claimed(Library& state, std::span<tutti_request> requests) : state_(state), requests_(requests) {
    for (const tutti_request handle : requests_) active(state_, handle);  // throws at a bad handle
    for (; claimed_ < requests_.size(); ++claimed_) {
      Pending* const call = active(state_, requests_[claimed_]);
      if (call && call->claimant) {
        release();
        throw_claimed();
      }
      if (call) call->claimant = this;
    }
  }
  ~Claimed() { release(); }
  Claimed(const Claimed&) = delete;
  Claimed& operator=(const Claimed&) = delete;

  std::size_t size() const noexcept { return requests_.size(); }
  // Null: it was not active, or is not any more.
  Pending* at(std::size_t i) const noexcept {
    if (requests_[i] == TUTTI_REQUEST_NULL) return nullptr;
    Pending* const call = state_.pending.look_up(requests_[i]);
    return call && call->claimant == this && call->active() ? call : nullptr;
  }
  template <class Visit>
  void each(Visit&& visit) const {
    for (std::size_t i = 0; i < size(); ++i)
      if (Pending* const call = at(i)) visit(*call);
  }
  // The first active one from `from` on, in a circle; size(): none is.
  std::size_t next_active(std::size_t from) const {
    for (std::size_t i = 0; i < size(); ++i)
      if (const std::size_t which = (from + i) % size(); at(which)) return which;
    return size();
  }
  // size(): none has ended.
  std::size_t first_ended() const {
    for (std::size_t i = 0; i < size(); ++i)
      if (const Pending* const call = at(i); call && call->ended()) return i;
    return size();
  }
  // See above.
  void complete(std::size_t i) { tutti::complete(state_, requests_[i], *at(i)); }
  // Completes those for which `which(call)` is true, and calls `completed(i)`. The first error is
  // thrown when all are complete.
  template <class Which, class Completed>
  void complete_all(Which&& which, Completed&& completed) {
    std::exception_ptr first;
    for (std::size_t i = 0; i < size(); ++i) {
      Pending* const call = at(i);
      if (!call || !which(*call)) continue;
      completed(i);
      try {
        complete(i);
      } catch (...) {
        if (!first) first = std::current_exception();
      }
    }
    if (first) std::rethrow_exception(first);
  }
  // Waits until one has ended. false: none is active.
  bool wait_for_one() {
    each([](Pending& call) { call.begin_wait(); });
    for (std::size_t i = next_active(0); i < size(); i = next_active(i + 1)) {
      if (first_ended() < size()) return true;
      at(i)->pause();
    }
    return false;
  }

 private:
  void release() noexcept {
    for (std::size_t i = 0; i < claimed_; ++i)
      if (Pending* const call = at(i)) call->claimant = nullptr;
  }

  Library& state_;
  const std::span<tutti_request> requests_;
  std::size_t claimed_ = 0;  // number of handles looked at
};

[[gnu::always_inline]] inline void start(Library& state, tutti_request handle) {
  if (handle == TUTTI_REQUEST_NULL) [[unlikely]]
    throw_null_starts();
  Pending& call = state.pending.find(handle);
  if (call.active()) [[unlikely]]
    throw_active_starts();
  call.start(state);
}

constexpr auto kAll = [](const Pending&) { return true; };
constexpr auto kEnded = [](const Pending& call) { return call.ended(); };
constexpr auto kNobody = [](std::size_t) {};

// Hands those that have ended to the caller; at least one has.
void take_some(Claimed& claim, int* outcount, int* indices) {
  *outcount = 0;
  claim.complete_all(kEnded, [&](std::size_t i) { indices[(*outcount)++] = static_cast<int>(i); });
}

}  // namespace

int begin(tutti_comm comm, const Arguments& arguments, tutti_request* request) noexcept {
  return guard([&](Library& state) {
    if (request) *request = TUTTI_REQUEST_NULL;
    const tutti_request handle = add(state, comm, arguments, Form::once, request);
    try {
      state.pending.find(handle).start(state);
    } catch (...) {
      state.pending.remove(handle);
      throw;
    }
    *request = handle;
  });
}

int keep(tutti_comm comm, const Arguments& arguments, tutti_request* request) noexcept {
  return guard([&](Library& state) {
    if (request) *request = TUTTI_REQUEST_NULL;
    *request = add(state, comm, arguments, Form::persistent, request);
  });
}

}  // namespace tutti

using namespace tutti;

int tutti_start(tutti_request* request) {
  return guard([&](Library& state) {
    must_have(request, "tutti_start");
    start(state, *request);
  });
}

int tutti_startall(int count, tutti_request* requests) {
  return guard([&](Library& state) {
    std::exception_ptr first;
    for (const tutti_request handle : all_of(count, requests)) try {
        start(state, handle);
      } catch (...) {
        if (!first) first = std::current_exception();
      }
    if (first) std::rethrow_exception(first);
  });
}

int tutti_wait(tutti_request* request) {
  return guard([&](Library& state) {
    must_have(request, "tutti_wait");
    Pending* const call = active(state, *request);
    if (!call) return;
    if (call->claimant) [[unlikely]]
      throw_claimed();
    call->claimant = call;
    complete(state, *request, *call);
  });
}

int tutti_waitall(int count, tutti_request* requests) {
  return guard([&](Library& state) {
    Claimed claim(state, all_of(count, requests));
    claim.complete_all(kAll, kNobody);
  });
}

int tutti_waitany(int count, tutti_request* requests, int* index) {
  return guard([&](Library& state) {
    must_have(index, "index");
    *index = MPI_UNDEFINED;
    Claimed claim(state, all_of(count, requests));
    if (!claim.wait_for_one()) return;
    const std::size_t which = claim.first_ended();
    *index = static_cast<int>(which);
    claim.complete(which);
  });
}

int tutti_waitsome(int count, tutti_request* requests, int* outcount, int* indices) {
  return guard([&](Library& state) {
    must_have(outcount, "outcount");
    if (count > 0) must_have(indices, "indices");
    *outcount = MPI_UNDEFINED;
    Claimed claim(state, all_of(count, requests));
    if (claim.wait_for_one()) take_some(claim, outcount, indices);
  });
}

int tutti_test(tutti_request* request, int* flag) {
  return guard([&](Library& state) {
    must_have(request, "tutti_test");
    must_have(flag, "flag");
    *flag = 0;
    Claimed claim(state, {request, 1});
    Pending* const call = claim.at(0);
    if (call) call->look();
    *flag = !call || call->ended();
    if (call && *flag) claim.complete(0);
  });
}

int tutti_testall(int count, tutti_request* requests, int* flag) {
  return guard([&](Library& state) {
    must_have(flag, "flag");
    *flag = 0;
    Claimed claim(state, all_of(count, requests));
    bool all = true;
    claim.each([&](Pending& call) {
      call.look();
      all &= call.ended();
    });
    *flag = all;
    if (all) claim.complete_all(kAll, kNobody);
  });
}

int tutti_testany(int count, tutti_request* requests, int* index, int* flag) {
  return guard([&](Library& state) {
    must_have(index, "index");
    must_have(flag, "flag");
    *index = MPI_UNDEFINED;
    *flag = 0;
    Claimed claim(state, all_of(count, requests));
    claim.each([](Pending& call) { call.look(); });
    const std::size_t which = claim.first_ended();
    *flag = which < claim.size() || claim.next_active(0) == claim.size();
    if (which == claim.size()) return;
    *index = static_cast<int>(which);
    claim.complete(which);
  });
}

int tutti_testsome(int count, tutti_request* requests, int* outcount, int* indices) {
  return guard([&](Library& state) {
    must_have(outcount, "outcount");
    if (count > 0) must_have(indices, "indices");
    *outcount = MPI_UNDEFINED;
    Claimed claim(state, all_of(count, requests));
    claim.each([](Pending& call) { call.look(); });
    if (claim.next_active(0) < claim.size()) take_some(claim, outcount, indices);
  });
}

int tutti_request_free(tutti_request* request) {
  return guard([&](Library& state) {
    must_have(request, "tutti_request_free");
    if (*request == TUTTI_REQUEST_NULL)
      throw Error(Code::bad_request,
                  "the request is TUTTI_REQUEST_NULL, as after its end or after it was freed; free "
                  "each request once");
    if (state.pending.find(*request).active())
      throw Error(Code::bad_request, "the request is active; wait for it, then free it");
    state.pending.remove(*request);
    *request = TUTTI_REQUEST_NULL;
  });
}
