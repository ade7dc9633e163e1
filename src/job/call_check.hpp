// The check of calls: before each call of a communicator, its ranks compare what they are about to
// call. Knows no MPI type: a call is numbers that must be equal on all ranks, and words.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/function_ref.hpp"
#include "src/job/communicator.hpp"

namespace tutti {

// A rank's description of its call.
struct Claim {
  std::uint64_t typed = 0;  // of all that must be equal on all ranks
  std::uint64_t bytes = 0;  // as `typed`, for types that are known by their bytes only
  bool by_bytes = false;    // some type here is
};

class CallCheck {
 public:
  // `communicator` has several ranks and must outlive this object. Its agreement counts checks, and
  // it makes no call without compare() before it.
  explicit CallCheck(Communicator& communicator) noexcept : communicator_(communicator) {}
  ~CallCheck();
  CallCheck(const CallCheck&) = delete;
  CallCheck& operator=(const CallCheck&) = delete;

  // Collective over the communicator. Returns if all ranks claim the same. Otherwise the
  // communicator fails on all ranks, and the text names who calls what. `task` is what people hear
  // this rank is in meanwhile; `words` is asked only if calls differ. Throws Error, std::bad_alloc.
  void compare(const Claim& claim, const collectives::Task& task, FunctionRef<std::string()> words);

 private:
  struct Record;

  void run(Plan& plan, const collectives::Task& task, const void* mine, void* all);
  std::vector<Record> records_of_all(const Claim& claim, const collectives::Task& task,
                                     const std::string& words);
  void reach_all(const collectives::Task& task);
  [[noreturn]] void fail(std::uint64_t call, const std::vector<Record>& all, bool by_bytes);

  Communicator& communicator_;
  std::unique_ptr<Plan> reduces_, gathers_;  // from the first use on
};

}  // namespace tutti
