// Operations of a hostile job whose requests are bound.
#pragma once

#include <sys/mman.h>

#include <catch2/catch.hpp>

#include "tests/src/job/hostile_job.hpp"

namespace tutti::tests {

// Memory that shares no page with any other.
class WholePages {
 public:
  explicit WholePages(std::size_t bytes)
      : length_(round_up_to_pages(bytes + 1)),
        memory_(
            mmap(nullptr, length_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
    if (memory_ == MAP_FAILED) throw Error(Code::system, "mmap failed");
  }
  ~WholePages() { munmap(memory_, length_); }
  WholePages(const WholePages&) = delete;
  WholePages& operator=(const WholePages&) = delete;
  std::byte* at(std::size_t offset) const { return static_cast<std::byte*>(memory_) + offset; }

 private:
  const std::size_t length_;
  void* const memory_;
};

// Its input and its output share a page with each other, and none with another rank's: each rank
// here watches pages for itself, and the kernel lets only one of them watch a page. malloc() gives
// a thread the memory next to that of one that has ended, so a rank that was late could not bind.
struct Bound : private WholePages, Operation {
  Bound(Communicator& communicator, const collectives::Task& task)
      : WholePages(bytes_of({task, communicator.size(), communicator.rank()})),
        Operation(communicator, task) {
    request.call.input = at(0);
    request.call.output = output();
    refill();
    request.bind();
  }
  std::byte* output() const { return at(buffers.input.size()); }
  // The buffers stay where they are.
  void refill() {
    const Buffers fresh(problem);
    std::ranges::copy(fresh.input, at(0));
    std::ranges::copy(fresh.output, output());
  }
  bool right() {
    std::copy_n(output(), buffers.output.size(), buffers.output.begin());
    return Operation::right();
  }
  void repeat() {
    refill();
    start();
    request.wait();
    if (!right()) throw Error(Code::internal, "a wrong result");
  }

 private:
  static std::size_t bytes_of(const Problem& problem) {
    const collectives::UserBuffers user = user_buffers(problem);
    return static_cast<std::size_t>(user.input + user.output);
  }
};

inline void check_success(const std::vector<Outcome>& outcomes) {
  for (const Outcome& outcome : outcomes) {
    INFO(outcome.message);
    CHECK(outcome.code == Code::success);
  }
}

}  // namespace tutti::tests
