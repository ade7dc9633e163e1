// MPI's functions that may wait for other ranks: they are the MPI's, and the progress thread may
// call the program's functions meanwhile.
#include "src/drop-in/lending.hpp"

#include "src/api/library.hpp"
#include "src/drop-in/taking.hpp"

namespace tutti::drop_in {
namespace {

template <auto function>
struct Waiting;
template <class... Arguments, int (*function)(Arguments...)>
struct Waiting<function> {
  static int call(Arguments... arguments) noexcept {
    const Lending lending;
    return function(arguments...);
  }
};

}  // namespace

Engine* Lending::engine_in_need() noexcept {
  Library* const state = library();
  return state && state->engine->calls().need_program() ? state->engine.get() : nullptr;
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
