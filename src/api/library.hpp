// The process-wide state behind the C API: is Tutti initialized, which communicators exist, what
// went wrong last.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/api/pending.hpp"
#include "src/api/repeats.hpp"
#include "src/data/callback.hpp"
#include "src/data/datatype.hpp"
#include "src/data/mpi_progress.hpp"
#include "src/data/reduction.hpp"
#include "src/job/call_check.hpp"
#include "src/job/communicator.hpp"
#include "src/setup/configuration.hpp"
#include "src/job/engine.hpp"
#include "src/job/selection.hpp"
#include "tutti/tutti.h"

// The object of a tutti_comm. Never given back to the allocator, so that a freed handle is an
// error and not a crash; see give_back_handle().
struct tutti_comm_object {
  static constexpr std::uint64_t kMagic = 0x7475747469636f6dull;
  std::uint64_t magic = kMagic;
  std::unique_ptr<tutti::Communicator> communicator;  // null: freed
  std::unique_ptr<tutti::Repeats> repeats;            // null: freed
  std::unique_ptr<tutti::CallCheck> check;            // from the first call that is checked on
  // A communicator that the program has freed, and its persistent requests may still use.
  std::unique_ptr<tutti::Communicator> kept;
  int persistent = 0;  // requests of that form

  void free() noexcept {
    check.reset();
    repeats.reset();
    if (persistent != 0) kept = std::move(communicator);
    communicator.reset();
  }
};

namespace tutti {

namespace transport {
class MpiBootstrap;
}

// For whom Tutti runs. The drop-in serves programs that were written for an MPI, with its mistakes.
struct Manner {
  bool always_locks = false;  // several threads may call, whatever MPI's level of threads says
  // Takes arguments that MPIs take without an error: blocks of a receive buffer, or pieces of its
  // datatype, that overlap, operations on types for which the standard has none, send and receive
  // buffers that share bytes.
  bool lenient = false;
  bool equal_buffers = false;            // even if a rank's own data are where they are to arrive
  const char* starts_in = "tutti_init";  // the function that the program has called
};

struct Library {
  explicit Library(const Manner& m)
      : manner(m), datatypes(scratch, m.lenient), operations(m.lenient) {}

  const Manner manner;
  Configuration configuration;
  Log warn;  // of this rank; null: nobody wants warnings
  collectives::Rules rules;
  MpiProgress mpi;
  ScratchPool scratch{0};
  Datatypes datatypes;
  Operations operations;
  std::unique_ptr<Engine> engine;
  std::optional<Selection> selection;
  PendingCalls pending;
};

// Null before tutti_init, after tutti_finalize, and in forked children.
Library* library() noexcept;
[[noreturn]] void throw_no_library();
[[noreturn]] void throw_in_callback();

[[noreturn]] void throw_bad_communicator(tutti_comm comm);
// The communicator behind a handle. Throws Error{bad_communicator}.
inline Communicator& communicator_of(tutti_comm comm) {
  if (comm == TUTTI_COMM_NULL || comm->magic != tutti_comm_object::kMagic || !comm->communicator)
      [[unlikely]]
    throw_bad_communicator(comm);
  return *comm->communicator;
}

// From now on a long wait of the bootstrap is a warning: rank `world_rank` of MPI_COMM_WORLD waits
// in `place`, "tutti_init" for example.
void report_long_waits(const Library& state, transport::MpiBootstrap& bootstrap, int world_rank,
                       std::string place);
// As report_long_waits(); and while the bootstrap waits, calls that this rank has begun are taken
// further: others may wait in these. Without the engine's lock.
void attend_while_waiting(Library& state, transport::MpiBootstrap& bootstrap, std::string place);

// Whether a member of an MPI communicator is not in this rank's MPI_COMM_WORLD. A local call, which
// allocates nothing; all members get the same answer.
bool has_strangers(MPI_Comm mpi);

// The members of an MPI communicator, none of which is a stranger, by rank of MPI_COMM_WORLD.
std::vector<int> world_ranks_of(MPI_Comm mpi, int size);
std::string name_of(MPI_Comm mpi);
// "communicator `solver`", or "a communicator without a name".
std::string words_for(std::string_view name);
// Makes a communicator of Tutti's with the ranks of the bootstrap. `name`: what people call it; may
// be empty. Throws Error: then all members do.
tutti_comm make_communicator(Library& state, transport::Bootstrap& bootstrap,
                             const std::vector<int>& world_ranks, std::string name);
// The same without a message: the members have counted alike, and so agree on the number already.
// Throws Error, std::bad_alloc, on this rank alone.
tutti_comm make_copy(Library& state, CommunicatorId id, int rank,
                     const std::vector<int>& world_ranks, std::string name);
// A freed handle that no program has seen may be that of the next communicator.
void give_back_handle(tutti_comm handle) noexcept;
void free_all_communicators() noexcept;

// tutti_init for somebody else than a program that calls Tutti.
int initialize(const tutti_options* options, const Manner& manner) noexcept;

// The message of a call that has no memory.
inline constexpr const char* kOutOfMemory = "the process is out of memory";
// Within a handler: the code of what was thrown, whose message this thread's
// tutti_last_error_message() is from now on.
int code_of_exception() noexcept;

// The boundary: what is thrown inside becomes a code and this thread's message. `body` runs with
// the engine's lock, unless it takes it itself.
enum class Enter : bool { by_itself, before };
template <Enter enter = Enter::before, class Body>
[[gnu::always_inline]] inline int guard(Body&& body) noexcept {
  try {
    Library* const state = library();
    if (!state) [[unlikely]]
      throw_no_library();
    if (Callback::runs_on_this_thread()) [[unlikely]]
      throw_in_callback();
    std::unique_lock<std::mutex> lock;
    if constexpr (enter == Enter::before) lock = state->engine->enter();
    body(*state);
    return TUTTI_SUCCESS;
  } catch (...) {
    return code_of_exception();
  }
}

}  // namespace tutti
