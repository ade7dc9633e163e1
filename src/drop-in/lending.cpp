// MPI's functions that may wait for other ranks, besides those for messages: they are the MPI's,
// and the progress thread may call the program's functions meanwhile.
#include "src/drop-in/lending.hpp"

#include <atomic>

#include "src/api/library.hpp"
#include "src/data/reduction.hpp"
#include "src/drop-in/beneath.hpp"
#include "src/drop-in/taking.hpp"

namespace tutti::drop_in {
namespace {

std::atomic<bool> g_stopped{false};
std::atomic<bool> g_copies{false};  // the program has a function that copies attributes

template <class Function>
bool is_programs(Function* function) noexcept {
  return function && !is_of_mpi(reinterpret_cast<const void*>(function));
}

// The MPI calls functions that copy attributes as it duplicates a communicator, also for a window
// or a file, and those that delete the copies as it closes the file, or fails to open it. It has
// some of its own, as for files.
template <class Copy, class Delete>
void note_copying(Copy* copy, Delete* drop) noexcept {
  if (copy && (is_programs(copy) || is_programs(drop))) g_copies = true;
}
int create_keyval(MPI_Comm_copy_attr_function* copy, MPI_Comm_delete_attr_function* drop, int* key,
                  void* extra) {
  note_copying(copy, drop);
  return PMPI_Comm_create_keyval(copy, drop, key, extra);
}
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
int create_old_keyval(MPI_Copy_function* copy, MPI_Delete_function* drop, int* key, void* extra) {
  note_copying(copy, drop);
  return PMPI_Keyval_create(copy, drop, key, extra);
}
#pragma GCC diagnostic pop

// An error handler of the program's may throw.
template <auto function, Attributes attributes>
struct Waiting;
template <class... Arguments, int (*function)(Arguments...), Attributes attributes>
struct Waiting<function, attributes> {
  static int call(Arguments... arguments) {
    const Lending lending(attributes);
    return function(arguments...);
  }
};

}  // namespace

bool needs_this_rank() noexcept {
  Library* const state = library();
  return state && state->engine->calls().need_program();
}

void Lending::stop() noexcept { g_stopped = true; }

Engine* Lending::engine_in_need(MPI_Op op, Attributes attributes) noexcept {
  if (!needs_this_rank()) [[likely]]
    return nullptr;
  const bool reduces = op != MPI_OP_NULL && !name_of_operation(op),
             copies = attributes == Attributes::may_be_copied && g_copies;
  return reduces || copies || g_stopped ? nullptr : library()->engine.get();
}

void Lending::begin() noexcept {
  const auto lock = engine_->enter();
  engine_->calls().lend_program();
}

void Lending::end() noexcept {
  const auto lock = engine_->enter();
  engine_->calls().end_loan();
}

void add_waits(tutti_function functions[TUTTI_CALLS]) {
#define TUTTI_WAIT(name) TUTTI_PUT(name, (Waiting<&PMPI_##name, Attributes::stay>::call));
  TUTTI_MAY_WAIT(TUTTI_WAIT)
#undef TUTTI_WAIT
#define TUTTI_COPY(name) TUTTI_PUT(name, (Waiting<&PMPI_##name, Attributes::may_be_copied>::call));
  TUTTI_MAY_COPY(TUTTI_COPY)
#undef TUTTI_COPY
  TUTTI_PUT(Comm_create_keyval, create_keyval);
  TUTTI_PUT(Keyval_create, create_old_keyval);
}

}  // namespace tutti::drop_in
