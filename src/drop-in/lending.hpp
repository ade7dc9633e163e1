// A rank that waits in a function of MPI's, for a message or at a fence, keeps nobody waiting for
// its part of a collective that it has begun. The progress thread goes on; but below
// MPI_THREAD_MULTIPLE it may not call a function of the program's, such as the operation of a
// reduction, since the rank could be in another one. Where a call in flight needs such a function,
//
// - before a blocking message the rank takes its calls further until it need not wait
//   (messages.cpp);
// - in other functions that wait the rank lends the thread the right to call the program's
//   functions, unless the MPI may call some itself; but for error handlers, and functions that
//   delete attributes of what was freed earlier.
#pragma once

#include <mpi.h>

namespace tutti {
class Engine;
}
namespace tutti::drop_in {

// Whether a call in flight needs functions that the progress thread may not call by itself.
bool needs_this_rank() noexcept;

// Whether a function of MPI's copies attributes of a communicator, as it duplicates one.
enum class Attributes : bool { stay, may_be_copied };

// While it lives, its rank is in one function of MPI's that may wait for other ranks. It does
// nothing but where a call in flight needs the program's functions.
class Lending {
 public:
  // `op`: of a reduction that is the MPI's.
  explicit Lending(MPI_Op op = MPI_OP_NULL) noexcept
      : Lending(engine_in_need(op, Attributes::stay)) {}
  explicit Lending(Attributes attributes) noexcept
      : Lending(engine_in_need(MPI_OP_NULL, attributes)) {}
  // Waits for the end of a function that has been called.
  ~Lending() {
    if (engine_) [[unlikely]]
      end();
  }
  Lending(const Lending&) = delete;
  Lending& operator=(const Lending&) = delete;

  // From now on nothing is lent: a call in flight of the MPI's has an operation of the program's,
  // and the MPI calls it wherever it waits.
  static void stop() noexcept;

 private:
  explicit Lending(Engine* engine) noexcept : engine_(engine) {
    if (engine_) [[unlikely]]
      begin();
  }
  // Null: there is no such call, or the MPI may call functions of the program's.
  static Engine* engine_in_need(MPI_Op op, Attributes attributes) noexcept;
  void begin() noexcept;
  void end() noexcept;

  Engine* const engine_;
};

}  // namespace tutti::drop_in
