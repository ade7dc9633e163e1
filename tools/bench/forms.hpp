// The forms of a call that the bench times.
#pragma once

#include <mpi.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif

#include <array>
#include <functional>
#include <string_view>
#include <type_traits>

#include "tutti/tutti.h"

// The MPI's function that prepares a call; null: it has none.
#if MPI_VERSION >= 4
#define TUTTI_MPI_PREPARES(name) MPI_##name##_init
#elif defined(OMPI_HAVE_MPI_EXT_PCOLLREQ)
#define TUTTI_MPI_PREPARES(name) MPIX_##name##_init
#else
#define TUTTI_MPI_PREPARES(name) nullptr
#endif

namespace tutti::tools {

// non_blocking: begun and waited for at once. persistent: prepared once, started and waited for.
enum class CallForm { blocking, non_blocking, persistent };
inline constexpr std::array<std::string_view, 3> kCallForms{"blocking", "non-blocking",
                                                            "persistent"};

// One call of Tutti again and again, always with the same arguments.
class FormedCall {
 public:
  explicit FormedCall(CallForm form) noexcept : form_(form) {}
  ~FormedCall() {
    if (prepared_ != TUTTI_REQUEST_NULL) tutti_request_free(&prepared_);
  }
  FormedCall(const FormedCall&) = delete;
  FormedCall& operator=(const FormedCall&) = delete;

  // Called between the beginning of a non-blocking call and the wait; null: nothing is.
  std::function<void(tutti_request*)> between;
  // The three functions of one collective, and their arguments. A code of Tutti's.
  template <class... A, class Begin, class Prepare>
  int operator()(int (*call)(A...), Begin begin, Prepare prepare, std::type_identity_t<A>... a) {
    if (form_ == CallForm::blocking) return call(a...);
    tutti_request begun = TUTTI_REQUEST_NULL;
    int code = TUTTI_SUCCESS;
    if (form_ == CallForm::non_blocking) {
      code = begin(a..., &begun);
      if (code == TUTTI_SUCCESS && between) between(&begun);
      return code == TUTTI_SUCCESS ? tutti_wait(&begun) : code;
    }
    if (prepared_ == TUTTI_REQUEST_NULL) code = prepare(a..., &prepared_);
    if (code == TUTTI_SUCCESS) code = tutti_start(&prepared_);
    return code == TUTTI_SUCCESS ? tutti_wait(&prepared_) : code;
  }

 private:
  const CallForm form_;
  tutti_request prepared_ = TUTTI_REQUEST_NULL;
};

// This MPI has persistent collectives.
#if MPI_VERSION >= 4 || defined(OMPI_HAVE_MPI_EXT_PCOLLREQ)
inline constexpr bool kMpiPrepares = true;
#else
inline constexpr bool kMpiPrepares = false;
#endif

// A call of the MPI's in that form. MPIs without persistent collectives begin each call anew.
class FormedMpiCall {
 public:
  explicit FormedMpiCall(CallForm wanted) noexcept : form(wanted) {}
  ~FormedMpiCall() {
    if (prepared_ != MPI_REQUEST_NULL) MPI_Request_free(&prepared_);
  }
  FormedMpiCall(const FormedMpiCall&) = delete;
  FormedMpiCall& operator=(const FormedMpiCall&) = delete;

  CallForm form;
  std::function<void(MPI_Request*)> between;  // as above

  template <class... A, class Begin, class Prepare>
  void operator()(int (*call)(A...), Begin begin, Prepare prepare, std::type_identity_t<A>... a) {
    if (form == CallForm::blocking) {
      call(a...);
      return;
    }
    if constexpr (!std::is_null_pointer_v<Prepare>)
      if (form == CallForm::persistent) {
        if (prepared_ == MPI_REQUEST_NULL) prepare(a..., MPI_INFO_NULL, &prepared_);
        MPI_Start(&prepared_);
        MPI_Wait(&prepared_, MPI_STATUS_IGNORE);
        return;
      }
    MPI_Request begun = MPI_REQUEST_NULL;
    begin(a..., &begun);
    if (between) between(&begun);
    MPI_Wait(&begun, MPI_STATUS_IGNORE);
  }

 private:
  MPI_Request prepared_ = MPI_REQUEST_NULL;
};

}  // namespace tutti::tools
