// The bootstrap over MPI.
#pragma once

#include <mpi.h>

#include <chrono>
#include <functional>
#include <mutex>

#include "base/running_clock.hpp"
#include "base/yielder.hpp"
#include "transport/bootstrap.hpp"

namespace tutti::transport {

// Never stays inside MPI: each exchange is a non-blocking collective of the MPI's, polled until it
// is done. So a rank that waits for others can say so; and threads of a program may make
// communicators at the same time, whatever level of threads it has asked MPI for. Every call of MPI
// is made with the lock held, and none waits for other ranks: a lock that is held while ranks wait
// for each other would be a deadlock, as threads of two ranks may come in different orders.
class MpiBootstrap final : public Bootstrap {
 public:
  // `comm` is an intracommunicator. It is not duplicated: it must outlive the bootstrap, which may
  // be used only inside calls that are collective over it. Throws Error{bootstrap_failed}.
  MpiBootstrap(MPI_Comm comm, std::recursive_mutex& mpi_lock);
  ~MpiBootstrap() override { leave(); }
  MpiBootstrap(const MpiBootstrap&) = delete;
  MpiBootstrap& operator=(const MpiBootstrap&) = delete;

  // From now on, the first exchange that takes longer than `after` is reported once, by a call of
  // `report` with its time so far. With `after` 0 or `report` null, no exchange is.
  void report_long_wait(std::chrono::milliseconds after,
                        std::function<void(RunningClock::duration waited)> report) {
    report_after_ = after;
    report_ = std::move(report);
  }

  // While this rank waits, it calls `housekeeping` again and again.
  void while_waiting(std::function<void()> housekeeping) {
    housekeeping_ = std::move(housekeeping);
  }

  int rank() const noexcept override { return rank_; }
  int size() const noexcept override { return size_; }
  void rest() override;

 private:
  void exchange(const void* mine, std::size_t bytes, void* all) override;
  void spread(void* data, std::size_t bytes) override;
  std::int64_t largest(std::int64_t mine) override;
  template <class Start>
  void run(const char* call, std::chrono::microseconds nap, Start&& start);
  void look_at_clock(RunningClock::duration waited);

  const MPI_Comm comm_;
  std::recursive_mutex& mpi_lock_;
  int rank_ = 0, size_ = 1;
  std::chrono::milliseconds report_after_{0};
  std::function<void(RunningClock::duration)> report_;  // null: nothing, or nothing more
  std::function<void()> housekeeping_;                  // null: nothing
  Yielder yielder_;
};

}  // namespace tutti::transport
