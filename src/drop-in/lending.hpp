// A rank that waits in a function of MPI's, for a message or at a fence, keeps nobody waiting for
// its part of a collective that it has begun: the progress thread goes on. Below
// MPI_THREAD_MULTIPLE that thread may not call a function of the program's, such as the operation
// of a reduction, since the rank could be in another one. In MPI's function it is not.
#pragma once

namespace tutti {
class Engine;
}
namespace tutti::drop_in {

// While it lives, its rank is in one function of MPI's that may wait for other ranks. It does
// nothing but where a call in flight needs the program's functions.
class Lending {
 public:
  Lending() noexcept : engine_(engine_in_need()) {
    if (engine_) [[unlikely]]
      begin();
  }
  // Waits for the end of a function that has been called.
  ~Lending() {
    if (engine_) [[unlikely]]
      end();
  }
  Lending(const Lending&) = delete;
  Lending& operator=(const Lending&) = delete;

 private:
  static Engine* engine_in_need() noexcept;  // null: there is no such call
  void begin() noexcept;
  void end() noexcept;

  Engine* const engine_;
};

}  // namespace tutti::drop_in
