// Looks at each host of the job, by one rank, while the others sleep.
#include "tools/hosts.hpp"

#include <mpi.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <thread>

namespace tutti::tools {
namespace {

// A host as a message; `ranks` is 0 where another rank of the host speaks for it.
struct HostCard {
  char name[256];
  int ranks, cpus;
  Load load;
  char kernel[64];
};

}  // namespace

std::vector<Host> hosts_of_job() {
  using std::chrono::milliseconds;
  constexpr milliseconds kAllAsleep{20}, kLooked{80};
  HostCard card{};
  MPI_Comm host = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
  int place = 0, ranks = 1, rank = 0, size = 1;
  MPI_Comm_rank(host, &place);
  MPI_Comm_size(host, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  sched_getaffinity(0, sizeof allowed, &allowed);
  MPI_Allreduce(MPI_IN_PLACE, &allowed, sizeof allowed, MPI_BYTE, MPI_BOR, host);
  MPI_Comm_free(&host);
  MPI_Barrier(MPI_COMM_WORLD);
  if (place == 0) {
    std::this_thread::sleep_for(kAllAsleep);
    gethostname(card.name, sizeof card.name - 1);
    card.ranks = ranks;
    card.cpus = std::max(1, CPU_COUNT(&allowed));
    card.load = load_here();
    kernel_here().copy(card.kernel, sizeof card.kernel - 1);
  } else {
    std::this_thread::sleep_for(kAllAsleep + kLooked);
  }
  std::vector<HostCard> cards(rank == 0 ? static_cast<std::size_t>(size) : 0);
  MPI_Gather(&card, sizeof card, MPI_BYTE, cards.data(), sizeof card, MPI_BYTE, 0, MPI_COMM_WORLD);
  std::vector<Host> hosts;
  for (const HostCard& one : cards)
    if (one.ranks > 0) hosts.push_back({one.name, one.ranks, one.cpus, one.load, one.kernel});
  leave_out_lookers(hosts);
  return hosts;
}

}  // namespace tutti::tools
