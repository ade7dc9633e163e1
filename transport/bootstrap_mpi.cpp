// The bootstrap over MPI: the only code below src/ that calls MPI.
#include "transport/bootstrap_mpi.hpp"

#include <chrono>
#include <string>
#include <thread>

#include "base/error.hpp"

namespace tutti::transport {
namespace {

void check(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  PMPI_Error_string(code, text, &length);
  throw Error(Code::bootstrap_failed,
              std::string(call) + " failed while Tutti exchanged addresses: " + text);
}

}  // namespace

MpiBootstrap::MpiBootstrap(MPI_Comm comm) : comm_(comm) {
  check(PMPI_Comm_rank(comm_, &rank_), "MPI_Comm_rank");
  check(PMPI_Comm_size(comm_, &size_), "MPI_Comm_size");
}

void MpiBootstrap::rest() {
  constexpr std::chrono::milliseconds kNap{2};
  MPI_Request request = MPI_REQUEST_NULL;
  check(PMPI_Ibarrier(comm_, &request), "MPI_Ibarrier");
  for (int all_there = 0; true; std::this_thread::sleep_for(kNap)) {
    check(PMPI_Test(&request, &all_there, MPI_STATUS_IGNORE), "MPI_Test");
    if (all_there) return;
  }
}

void MpiBootstrap::exchange(const void* mine, std::size_t bytes, void* all) {
  const int count = static_cast<int>(bytes);
  check(PMPI_Allgather(mine, count, MPI_BYTE, all, count, MPI_BYTE, comm_), "MPI_Allgather");
}

void MpiBootstrap::spread(void* data, std::size_t bytes) {
  check(PMPI_Bcast(data, static_cast<int>(bytes), MPI_BYTE, 0, comm_), "MPI_Bcast");
}

std::int64_t MpiBootstrap::largest(std::int64_t mine) {
  std::int64_t result = mine;
  check(PMPI_Allreduce(&mine, &result, 1, MPI_INT64_T, MPI_MAX, comm_), "MPI_Allreduce");
  return result;
}

}  // namespace tutti::transport
