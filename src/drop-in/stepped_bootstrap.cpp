// Each exchange is a non-blocking collective of the MPI's.
#include "src/drop-in/stepped_bootstrap.hpp"

#include <mutex>
#include <string>
#include <thread>

#include "base/error.hpp"
#include "src/data/mpi_lock.hpp"

namespace tutti::drop_in {

template <class Start>
void SteppedBootstrap::run(const char* call, Start&& start) {
  const auto must = [&](int code) {
    if (code != MPI_SUCCESS)
      throw Error(Code::bootstrap_failed,
                  std::string(call) + " failed while Tutti made a communicator");
  };
  MPI_Request request = MPI_REQUEST_NULL;
  {
    const std::lock_guard lock(mpi_lock);
    must(start(&request));
  }
  for (int done = 0; true; std::this_thread::yield()) {
    const std::lock_guard lock(mpi_lock);
    must(PMPI_Test(&request, &done, MPI_STATUS_IGNORE));
    if (done) return;
  }
}

void SteppedBootstrap::rest() {
  run("MPI_Ibarrier", [&](MPI_Request* request) { return PMPI_Ibarrier(comm_, request); });
}

void SteppedBootstrap::exchange(const void* mine, std::size_t bytes, void* all) {
  const auto count = static_cast<int>(bytes);
  run("MPI_Iallgather", [&](MPI_Request* request) {
    return PMPI_Iallgather(mine, count, MPI_BYTE, all, count, MPI_BYTE, comm_, request);
  });
}

void SteppedBootstrap::spread(void* data, std::size_t bytes) {
  run("MPI_Ibcast", [&](MPI_Request* request) {
    return PMPI_Ibcast(data, static_cast<int>(bytes), MPI_BYTE, 0, comm_, request);
  });
}

std::int64_t SteppedBootstrap::largest(std::int64_t mine) {
  std::int64_t result = mine;
  run("MPI_Iallreduce", [&](MPI_Request* request) {
    return PMPI_Iallreduce(&mine, &result, 1, MPI_INT64_T, MPI_MAX, comm_, request);
  });
  return result;
}

}  // namespace tutti::drop_in
