// MPI's functions that may wait for other ranks, besides those for messages: they are the MPI's,
// and the progress thread may call the program's functions meanwhile.
#include "src/drop-in/lending.hpp"

#include <atomic>

#include "src/api/library.hpp"
#include "src/data/reduction.hpp"
#include "src/drop-in/taking.hpp"

namespace tutti::drop_in {
namespace {

std::atomic<bool> g_stopped{false};

// An error handler of the program's may throw.
template <auto function>
struct Waiting;
template <class... Arguments, int (*function)(Arguments...)>
struct Waiting<function> {
  static int call(Arguments... arguments) {
    const Lending lending;
    return function(arguments...);
  }
};

}  // namespace

bool needs_this_rank() noexcept {
  Library* const state = library();
  return state && state->engine->calls().need_program();
}

void Lending::stop() noexcept { g_stopped.store(true, std::memory_order_relaxed); }

Engine* Lending::engine_in_need(MPI_Op op) noexcept {
  if (!needs_this_rank()) [[likely]]
    return nullptr;
  const bool calls_none = op == MPI_OP_NULL || name_of_operation(op);
  return calls_none && !g_stopped.load(std::memory_order_relaxed) ? library()->engine.get()
                                                                  : nullptr;
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
#define TUTTI_WAIT(name) TUTTI_PUT(name, Waiting<&PMPI_##name>::call);
  TUTTI_MAY_WAIT(TUTTI_WAIT)
#undef TUTTI_WAIT
}

}  // namespace tutti::drop_in
