// The bootstrap over MPI: the only code below src/ that calls MPI.
#include "transport/bootstrap_mpi.hpp"

#include <string>
#include <thread>
#include <utility>

#include "base/error.hpp"

namespace tutti::transport {
namespace {

using namespace std::chrono_literals;

// A rank that waits yields at first; then it sleeps between its looks, 2 ms if others measure.
constexpr auto kYieldsFor = 20ms;
constexpr auto kNap = 50us, kNapOfWhoRests = 2000us;

void check(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  PMPI_Error_string(code, text, &length);
  throw Error(Code::bootstrap_failed,
              std::string(call) + " failed while Tutti exchanged addresses: " + text);
}

}  // namespace

MpiBootstrap::MpiBootstrap(MPI_Comm comm, std::recursive_mutex& mpi_lock)
    : comm_(comm), mpi_lock_(mpi_lock) {
  const std::lock_guard lock(mpi_lock_);
  check(PMPI_Comm_rank(comm_, &rank_), "MPI_Comm_rank");
  check(PMPI_Comm_size(comm_, &size_), "MPI_Comm_size");
}

template <class Start>
void MpiBootstrap::run(const char* call, std::chrono::microseconds nap, Start&& start) {
  MPI_Request request = MPI_REQUEST_NULL;
  {
    const std::lock_guard lock(mpi_lock_);
    check(start(&request), call);
  }
  for (const auto since = RunningClock::now(); true;) {
    int done = 0;
    {
      const std::lock_guard lock(mpi_lock_);
      check(PMPI_Test(&request, &done, MPI_STATUS_IGNORE), call);
    }
    if (done) return;
    if (housekeeping_) housekeeping_();
    const auto waited = RunningClock::now() - since;
    look_at_clock(waited);
    if (nap == kNap && waited < kYieldsFor)
      yielder_.yield();
    else
      std::this_thread::sleep_for(nap);
  }
}

void MpiBootstrap::look_at_clock(RunningClock::duration waited) {
  if (!report_ || report_after_ == 0ms || waited < report_after_) return;
  std::exchange(report_, nullptr)(waited);
}

void MpiBootstrap::rest() {
  run("MPI_Ibarrier", kNapOfWhoRests,
      [&](MPI_Request* request) { return PMPI_Ibarrier(comm_, request); });
}

void MpiBootstrap::exchange(const void* mine, std::size_t bytes, void* all) {
  const int count = static_cast<int>(bytes);
  run("MPI_Iallgather", kNap, [&](MPI_Request* request) {
    return PMPI_Iallgather(mine, count, MPI_BYTE, all, count, MPI_BYTE, comm_, request);
  });
}

void MpiBootstrap::spread(void* data, std::size_t bytes) {
  run("MPI_Ibcast", kNap, [&](MPI_Request* request) {
    return PMPI_Ibcast(data, static_cast<int>(bytes), MPI_BYTE, 0, comm_, request);
  });
}

std::int64_t MpiBootstrap::largest(std::int64_t mine) {
  std::int64_t result = mine;
  run("MPI_Iallreduce", kNap, [&](MPI_Request* request) {
    return PMPI_Iallreduce(&mine, &result, 1, MPI_INT64_T, MPI_MAX, comm_, request);
  });
  return result;
}

}  // namespace tutti::transport
