// Every function of the drop-in works like this: it finds the communicator, and lets Tutti or the
// MPI beneath run the call.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <type_traits>

#include "src/drop-in/communicators.hpp"
#include "src/drop-in/errors.hpp"
#include "src/drop-in/interface.h"
#include "src/drop-in/lending.hpp"
#include "src/drop-in/statistics.hpp"

// The MPI's own function: the large-count form where the counts are large. In templates only: where
// an MPI has no such form, nobody asks for it.
#define TUTTI_BENEATH(name, Count, ...)       \
  [&] {                                       \
    if constexpr (std::is_same_v<Count, int>) \
      return PMPI_##name(__VA_ARGS__);        \
    else                                      \
      return PMPI_##name##_c(__VA_ARGS__);    \
  }

namespace tutti::drop_in {

// The calls that Tutti takes; the same on all ranks.
inline Calls calls_taken = Calls().set();

inline bool is_taken(int call, const Communicator& comm) noexcept {
  return comm.tutti != TUTTI_COMM_NULL && calls_taken[static_cast<std::size_t>(call)];
}

// `tutti(communicator)` returns a code of Tutti's, `beneath()` one of MPI's. `bytes(communicator)`:
// what this rank gives, or gets of a root, for statistics; asked when the call was right. `op`: of
// a reduction.
template <class Tutti, class Beneath, class Bytes>
[[gnu::always_inline]] inline int take(int call, MPI_Comm comm, Tutti&& tutti, Beneath&& beneath,
                                       Bytes&& bytes, MPI_Op op = MPI_OP_NULL) noexcept {
  int error = MPI_SUCCESS;
  Communicator* const state = find_communicator(comm, error);
  if (!state) [[unlikely]]
    return error;
  const bool taken = is_taken(call, *state);
  const auto run = [&] {
    if (!taken) {
      const Lending lending(op);
      return beneath();
    }
    const int code = tutti(*state);
    return code == TUTTI_SUCCESS ? MPI_SUCCESS : report(code, comm);
  };
  if (statistics_wanted) [[unlikely]] {
    Watch watch(call, *state, taken);
    const int code = run();
    if (code == MPI_SUCCESS && !state->between_groups) watch.note(bytes(*state));
    return code;
  }
  return run();
}

// Without elements the type does not matter, and may be invalid.
template <class Count>
MPI_Datatype type_of(Count count, MPI_Datatype type) noexcept {
  return count == 0 ? MPI_BYTE : type;
}

// Makes room for four arrays of counts. False: there is no memory.
bool reserve_counts(Communicator& comm) noexcept;
// Whether this rank has the counts of all in a v-form of gather or scatter.
bool looks_at_counts(const Communicator& comm, int root) noexcept;

// The first `count` numbers as Tutti wants them: as they are, or copied to what `room()` returns.
// Null if there are no numbers, or no room.
template <class Number, class Room>
const MPI_Count* widened(const Number* numbers, int count, Room&& room) {
  if constexpr (std::is_same_v<Number, MPI_Count>) {
    return numbers;
  } else {
    MPI_Count* const place = numbers ? room() : nullptr;
    if (place) std::copy_n(numbers, count, place);
    return place;
  }
}
// An entry for each rank, in part `part` of the communicator's room for four arrays. Null if there
// are none, or no memory.
template <class Number>
const MPI_Count* widened(Communicator& comm, int part, const Number* numbers) noexcept {
  return widened(numbers, comm.size, [&]() -> MPI_Count* {
    return reserve_counts(comm) ? comm.counts.data() + part * comm.size : nullptr;
  });
}
// The type of blocks that may all be empty.
template <class Count>
MPI_Datatype type_of(const Communicator& comm, const Count* counts, MPI_Datatype type) noexcept {
  if (type != MPI_DATATYPE_NULL || !counts) return type;
  for (int i = 0; i < comm.size; ++i)
    if (counts[i] != 0) return type;
  return MPI_BYTE;
}

template <class Count>
MPI_Count sum_of(const Communicator& comm, const Count* counts) noexcept {
  MPI_Count sum = 0;
  for (int i = 0; i < comm.size; ++i) sum += counts[i];
  return sum;
}
inline MPI_Count size_of(MPI_Datatype type) noexcept {
  MPI_Count size = 0;
  return type == MPI_DATATYPE_NULL || PMPI_Type_size_x(type, &size) != MPI_SUCCESS ? 0 : size;
}
// Bytes of blocks with types of their own; the type of an empty block may be anything.
template <class Count>
MPI_Count bytes_by_type(const Communicator& comm, const Count* counts,
                        const MPI_Datatype* types) noexcept {
  MPI_Count bytes = 0;
  for (int i = 0; i < comm.size; ++i)
    if (counts[i] > 0) bytes += counts[i] * size_of(types[i]);
  return bytes;
}

template <class Function>
tutti_function as_function(Function* function) noexcept {
  return reinterpret_cast<tutti_function>(function);
}
#define TUTTI_PUT(name, function) functions[TUTTI_CALL_##name] = as_function(function)

// Puts the functions of a file into the table of what is called from now on.
void add_messages(tutti_function functions[TUTTI_CALLS]);
void add_movements(tutti_function functions[TUTTI_CALLS]);
void add_reductions(tutti_function functions[TUTTI_CALLS]);
void add_windows(tutti_function functions[TUTTI_CALLS]);
void add_waits(tutti_function functions[TUTTI_CALLS]);
void add_duplicates(tutti_function functions[TUTTI_CALLS]);
void add_frees(tutti_function functions[TUTTI_CALLS]);
void add_nonblocking(tutti_function functions[TUTTI_CALLS]);
void add_persistent(tutti_function functions[TUTTI_CALLS]);
void add_requests(tutti_function functions[TUTTI_CALLS]);

}  // namespace tutti::drop_in
