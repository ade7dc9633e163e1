// Statistics of the drop-in, for the setting `stats`: calls, bytes and time of each collective, by
// the library that ran it.
#pragma once

#include <mpi.h>

#include <bitset>
#include <chrono>
#include <string>
#include <string_view>

#include "src/drop-in/communicators.hpp"
#include "src/drop-in/interface.h"

namespace tutti::drop_in {

using Calls = std::bitset<TUTTI_COLLECTIVES>;

inline bool statistics_wanted = false;

// From the beginning of a call to its end.
class Watch {
 public:
  Watch(int call, const Communicator& comm, bool taken) noexcept
      : call_(call), comm_(comm), taken_(taken), begin_(Clock::now()) {}
  ~Watch();
  void note(MPI_Count bytes) noexcept { bytes_ = bytes; }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

 private:
  using Clock = std::chrono::steady_clock;
  const int call_;
  const Communicator& comm_;
  const bool taken_;
  MPI_Count bytes_ = 0;
  const Clock::time_point begin_;
};

// Remembers which algorithms ran on a communicator that is about to be freed.
void note_algorithms(tutti_comm comm) noexcept;

// The calls of a collective by its name without MPI_, in any case: all forms, blocking and not.
Calls calls_of(std::string_view name);

// This rank's table, and as JSON.
std::string statistics_table(const tutti_passed* passed);
std::string statistics_json(const tutti_passed* passed);

}  // namespace tutti::drop_in
