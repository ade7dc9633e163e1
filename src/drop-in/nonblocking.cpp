// The non-blocking and the persistent collectives, and all forms of those of neighbours, with plain
// and with large counts.
#include <cstddef>
#include <new>
#include <tuple>
#include <utility>

#include "src/api/collective.hpp"
#include "src/data/reduction.hpp"
#include "src/drop-in/given.hpp"
#include "src/drop-in/in_flight.hpp"
#include "src/drop-in/persistent.hpp"

namespace tutti::drop_in {
namespace {

MPI_Count bytes_from_neighbours(const Side& received, const Communicator& comm) noexcept {
  MPI_Count bytes = 0;
  for (int i = 0; i < given::degrees_of(comm).in; ++i) {
    const MPI_Count count = received.counts ? received.counts[i] : received.count;
    if (count > 0) bytes += count * size_of(received.types ? received.types[i] : received.type);
  }
  return bytes;
}

// Bytes that this rank gives, or gets from a root.
MPI_Count bytes_of(const Arguments& a, const Communicator& comm) noexcept {
  using collectives::Collective;
  const Side& sent = a.send;
  const Side& received = a.receive;
  const auto block = [](const Side& side) { return side.count * size_of(side.type); };
  const auto blocks = [&](const Side& side, MPI_Datatype type) {
    return (side.counts ? sum_of(comm, side.counts) : side.count * comm.size) * size_of(type);
  };
  switch (a.collective) {
    case Collective::barrier: return 0;
    case Collective::bcast: return block(received);
    case Collective::gather: return sent.buffer == MPI_IN_PLACE ? 0 : block(sent);
    case Collective::scatter: return received.buffer == MPI_IN_PLACE ? 0 : block(received);
    case Collective::allgather:
      return a.by_rank && sent.buffer == MPI_IN_PLACE ? 0 : block(a.by_rank ? sent : received);
    case Collective::alltoall:
      return a.own_types ? bytes_by_type(comm, received.counts, received.types)
                         : blocks(received, received.type);
    case Collective::neighbor_allgather: return block(sent);
    case Collective::neighbor_alltoall: return bytes_from_neighbours(received, comm);
    case Collective::reduce_scatter:
      return a.by_rank ? blocks(received, sent.type) : blocks(sent, sent.type);
    default: return block(sent);
  }
}

// A blocking call, by the arguments that its other forms have.
int run_call(Communicator& state, MPI_Comm comm, MPI_Request*,
             FunctionRef<Arguments(Numbers&)> given) noexcept {
  Numbers room;
  Arguments arguments{.collective = collectives::Collective::barrier};
  int code = guard([&](Library&) {
    try {
      arguments = given(room);
    } catch (const std::bad_alloc&) {
      communicator_of(state.tutti).refuse(Code::out_of_memory, kOutOfMemory);
      throw;
    }
  });
  if (code == TUTTI_SUCCESS) code = blocking(state.tutti, arguments);
  return code == TUTTI_SUCCESS ? MPI_SUCCESS : report(code, comm);
}

// How a call goes on from its arguments: run_call(), begin_call() or keep_call().
using GoOn = int(Communicator& state, MPI_Comm comm, MPI_Request* request,
                 FunctionRef<Arguments(Numbers&)> given) noexcept;

// Reductions that are begun or kept.
constexpr bool is_reduction(int call) noexcept {
  switch (call) {
#define TUTTI_ENDING(prefix, end)                      \
  case TUTTI_CALL_##prefix##Allreduce##end:            \
  case TUTTI_CALL_##prefix##Exscan##end:               \
  case TUTTI_CALL_##prefix##Reduce##end:               \
  case TUTTI_CALL_##prefix##Reduce_scatter##end:       \
  case TUTTI_CALL_##prefix##Reduce_scatter_block##end: \
  case TUTTI_CALL_##prefix##Scan##end:
    TUTTI_IF_MPI_4(TUTTI_ENDING(, _init))
    TUTTI_IF_EXTENDED(TUTTI_ENDING(X_, _init))
#undef TUTTI_ENDING
    case TUTTI_CALL_Iallreduce:
    case TUTTI_CALL_Iexscan:
    case TUTTI_CALL_Ireduce:
    case TUTTI_CALL_Ireduce_scatter:
    case TUTTI_CALL_Ireduce_scatter_block:
    case TUTTI_CALL_Iscan: return true;
    default: return false;
  }
}

// The MPI calls an operation of the program's wherever it makes progress.
void note_beneath(const Communicator& comm,
                  FunctionRef<Arguments(const Communicator&, Numbers&)> given) noexcept {
  try {
    Numbers room;
    const Arguments arguments = given(comm, room);
    if (name_of_operation(arguments.operation)) return;
  } catch (const std::bad_alloc&) {  // then it may be one of these
  }
  Lending::stop();
}

// `given(communicator, room)`: the arguments. `beneath()` is the MPI's own function.
int take_request(int call, MPI_Comm comm, MPI_Request* request, GoOn& go_on, May may,
                 FunctionRef<Arguments(const Communicator&, Numbers&)> given,
                 FunctionRef<int()> beneath) noexcept {
  int error = MPI_SUCCESS;
  Communicator* const state = find_communicator(comm, error, may);
  if (!state) return error;
  const bool taken = is_taken(call, *state);
  const auto run = [&] {
    if (taken)
      return go_on(*state, comm, request, [&](Numbers& room) { return given(*state, room); });
    const bool combines = state->between_groups || state->size > 1;
    if (combines && is_reduction(call)) note_beneath(*state, given);
    const Lending lending;
    return beneath();
  };
  if (!statistics_wanted) return run();
  Watch watch(call, *state, taken);
  const int code = run();
  if (code != MPI_SUCCESS || state->between_groups) return code;
  try {
    Numbers room;
    watch.note(bytes_of(given(*state, room), *state));
  } catch (const std::bad_alloc&) {  // the table has the call without its bytes
  }
  return code;
}

// The arguments of the collective, as `given` understands the first ones of the function.
template <auto given, class... Types, std::size_t... i>
auto meaning_of(const std::tuple<Types...>& all, std::index_sequence<i...>) noexcept {
  return [&all](const Communicator& comm, Numbers& room) {
    static_cast<void>(all);  // a barrier has none that count
    return given(comm, room, std::get<i>(all)...);
  };
}

// An MPI function whose arguments are those of the collective, which `given` says the meaning of,
// the communicator, the information of a persistent one, and the request.
template <int call, auto beneath, auto given, GoOn& go_on, int after, May may>
struct Requested;
template <int call, class... Types, int (*beneath)(Types...), auto given, GoOn& go_on, int after,
          May may>
struct Requested<call, beneath, given, go_on, after, may> {
  static int run(Types... arguments) noexcept {
    const std::tuple<Types...> all(arguments...);
    constexpr std::size_t kBefore = sizeof...(Types) - after;
    return take_request(call, std::get<kBefore>(all), std::get<sizeof...(Types) - 1>(all), go_on,
                        may, meaning_of<given>(all, std::make_index_sequence<kBefore>()),
                        [&] { return beneath(arguments...); });
  }
};
template <int call, auto beneath, auto given>
struct Blocking;
template <int call, class... Types, int (*beneath)(Types...), auto given>
struct Blocking<call, beneath, given> {
  static int run(Types... arguments) noexcept {
    const std::tuple<Types...> all(arguments...);
    constexpr std::size_t kBefore = sizeof...(Types) - 1;
    return take_request(call, std::get<kBefore>(all), nullptr, run_call, May::wait,
                        meaning_of<given>(all, std::make_index_sequence<kBefore>()),
                        [&] { return beneath(arguments...); });
  }
};
template <int call, auto beneath, auto given>
using Begun = Requested<call, beneath, given, begin_call, 2, May::not_wait>;
// They may wait for each other, and will be used more than once.
template <int call, auto beneath, auto given>
using Kept = Requested<call, beneath, given, keep_call, 3, May::decide>;

}  // namespace

// Both forms of counts are one collective in the settings and the statistics.
#define TUTTI_BEGIN(Name, suffix, ...) \
  TUTTI_PUT(Name##suffix,              \
            (Begun<TUTTI_CALL_##Name, &PMPI_##Name##suffix, &given::__VA_ARGS__>::run))
#define TUTTI_KEEP(Name, suffix, ...) \
  TUTTI_PUT(Name##suffix, (Kept<TUTTI_CALL_##Name, &PMPI_##Name##suffix, &given::__VA_ARGS__>::run))
#define TUTTI_RUN(Name, suffix, ...) \
  TUTTI_PUT(Name##suffix,            \
            (Blocking<TUTTI_CALL_##Name, &PMPI_##Name##suffix, &given::__VA_ARGS__>::run))
// `PUT` is one of these; the names are prefix_allgather##end and so on.
#define TUTTI_NEIGHBOURS_BY(PUT, prefix, end, suffix, Count, Displacement)         \
  PUT(prefix##_allgather##end, suffix, neighbor_allgather<Count>);                 \
  PUT(prefix##_allgatherv##end, suffix, neighbor_allgatherv<Count, Displacement>); \
  PUT(prefix##_alltoall##end, suffix, neighbor_alltoall<Count>);                   \
  PUT(prefix##_alltoallv##end, suffix, neighbor_alltoallv<Count, Displacement>);   \
  PUT(prefix##_alltoallw##end, suffix, neighbor_alltoallw<Count>)
#define TUTTI_BEGIN_ALL(suffix, Count, Displacement)                       \
  TUTTI_BEGIN(Iallgather, suffix, allgather<Count>);                       \
  TUTTI_BEGIN(Iallgatherv, suffix, allgatherv<Count, Displacement>);       \
  TUTTI_BEGIN(Iallreduce, suffix, allreduce<Count>);                       \
  TUTTI_BEGIN(Ialltoall, suffix, alltoall<Count>);                         \
  TUTTI_BEGIN(Ialltoallv, suffix, alltoallv<Count, Displacement>);         \
  TUTTI_BEGIN(Ialltoallw, suffix, alltoallw<Count, Displacement>);         \
  TUTTI_BEGIN(Ibcast, suffix, bcast<Count>);                               \
  TUTTI_BEGIN(Iexscan, suffix, exscan<Count>);                             \
  TUTTI_BEGIN(Igather, suffix, gather<Count>);                             \
  TUTTI_BEGIN(Igatherv, suffix, gatherv<Count, Displacement>);             \
  TUTTI_BEGIN(Ireduce, suffix, reduce<Count>);                             \
  TUTTI_BEGIN(Ireduce_scatter, suffix, reduce_scatter<Count>);             \
  TUTTI_BEGIN(Ireduce_scatter_block, suffix, reduce_scatter_block<Count>); \
  TUTTI_BEGIN(Iscan, suffix, scan<Count>);                                 \
  TUTTI_BEGIN(Iscatter, suffix, scatter<Count>);                           \
  TUTTI_BEGIN(Iscatterv, suffix, scatterv<Count, Displacement>)
#define TUTTI_KEEP_ALL(prefix, suffix, Count, Displacement)                           \
  TUTTI_KEEP(prefix##Allgather_init, suffix, allgather<Count>);                       \
  TUTTI_KEEP(prefix##Allgatherv_init, suffix, allgatherv<Count, Displacement>);       \
  TUTTI_KEEP(prefix##Allreduce_init, suffix, allreduce<Count>);                       \
  TUTTI_KEEP(prefix##Alltoall_init, suffix, alltoall<Count>);                         \
  TUTTI_KEEP(prefix##Alltoallv_init, suffix, alltoallv<Count, Displacement>);         \
  TUTTI_KEEP(prefix##Alltoallw_init, suffix, alltoallw<Count, Displacement>);         \
  TUTTI_KEEP(prefix##Bcast_init, suffix, bcast<Count>);                               \
  TUTTI_KEEP(prefix##Exscan_init, suffix, exscan<Count>);                             \
  TUTTI_KEEP(prefix##Gather_init, suffix, gather<Count>);                             \
  TUTTI_KEEP(prefix##Gatherv_init, suffix, gatherv<Count, Displacement>);             \
  TUTTI_KEEP(prefix##Reduce_init, suffix, reduce<Count>);                             \
  TUTTI_KEEP(prefix##Reduce_scatter_init, suffix, reduce_scatter<Count>);             \
  TUTTI_KEEP(prefix##Reduce_scatter_block_init, suffix, reduce_scatter_block<Count>); \
  TUTTI_KEEP(prefix##Scan_init, suffix, scan<Count>);                                 \
  TUTTI_KEEP(prefix##Scatter_init, suffix, scatter<Count>);                           \
  TUTTI_KEEP(prefix##Scatterv_init, suffix, scatterv<Count, Displacement>)

void add_nonblocking(tutti_function functions[TUTTI_CALLS]) {
  TUTTI_BEGIN(Ibarrier, , barrier);
  TUTTI_BEGIN_ALL(, int, int);
  TUTTI_NEIGHBOURS_BY(TUTTI_RUN, Neighbor, , , int, int);
  TUTTI_NEIGHBOURS_BY(TUTTI_BEGIN, Ineighbor, , , int, int);
#if MPI_VERSION >= 4
  TUTTI_BEGIN_ALL(_c, MPI_Count, MPI_Aint);
  TUTTI_NEIGHBOURS_BY(TUTTI_RUN, Neighbor, , _c, MPI_Count, MPI_Aint);
  TUTTI_NEIGHBOURS_BY(TUTTI_BEGIN, Ineighbor, , _c, MPI_Count, MPI_Aint);
#endif
}

void add_persistent([[maybe_unused]] tutti_function functions[TUTTI_CALLS]) {
#if MPI_VERSION >= 4
  TUTTI_KEEP(Barrier_init, , barrier);
  TUTTI_KEEP_ALL(, , int, int);
  TUTTI_KEEP_ALL(, _c, MPI_Count, MPI_Aint);
  TUTTI_NEIGHBOURS_BY(TUTTI_KEEP, Neighbor, _init, , int, int);
  TUTTI_NEIGHBOURS_BY(TUTTI_KEEP, Neighbor, _init, _c, MPI_Count, MPI_Aint);
#endif
  TUTTI_IF_EXTENDED(TUTTI_KEEP(X_Barrier_init, , barrier); TUTTI_KEEP_ALL(X_, , int, int);
                    TUTTI_NEIGHBOURS_BY(TUTTI_KEEP, X_Neighbor, _init, , int, int);)
}

}  // namespace tutti::drop_in
