// The multicast broadcast over a real device: run under mpiexec, on several hosts of
// tests/rdma/host.
//
//   multicast_test [auto | manager | direct | ipv6 | each] [ROUNDS] [compare]
//
// How the group is joined (through librdmacm or without; as an IPv6 group), or datagrams to each
// receiver.
//
// Every rank checks every byte. Rank 0 prints what was lost, and with `compare` the time of the
// binomial tree over channels.
#include <cstring>
#include <string_view>

#include "collectives/algorithms/catalogue.hpp"
#include "tests/collectives/execution/execution.hpp"
#include "tests/rdma/multicast_job.hpp"

using namespace tutti;
using namespace tutti::tests;

namespace {

constexpr Bytes kSizes[] = {0, 1, 8, 1000, 4064, 4065, 65536, 300000, 1 << 20};

// The tree that carries statuses and repairs: binomial, by the registry's own helper's numbering.
std::unique_ptr<protocols::MulticastBroadcast> broadcast(Job& job, int root) {
  const int v = (job.rank - root + job.size) % job.size;
  const auto real = [&](int i) { return (i + root) % job.size; };
  Channel* parent = nullptr;
  std::vector<Channel*> children;
  for (int bit = 1; bit < job.size; bit *= 2) {
    if (v & bit) {
      parent = &job.channel(real(v - bit));
      break;
    }
    if (v + bit < job.size) children.push_back(&job.channel(real(v + bit)));
  }
  return std::make_unique<protocols::MulticastBroadcast>(*job.mailbox, root, parent, children);
}

struct Cost {
  double micros;
  protocols::MulticastBroadcast::Counts counts;
};

void fill(Job& job, int root, Bytes bytes) {
  if (job.rank == root)
    std::memcpy(job.data.data(), expected(job.round), static_cast<std::size_t>(bytes));
  else
    std::memset(job.data.data(), 0xee, static_cast<std::size_t>(bytes));
}
void check(Job& job, Bytes bytes) {
  if (std::memcmp(job.data.data(), expected(job.round), static_cast<std::size_t>(bytes)) == 0)
    return;
  std::size_t i = 0;
  while (job.data[i] == expected(job.round)[i]) ++i;
  end(job.rank, "wrong byte", static_cast<long long>(i), bytes);
}

// `rounds` broadcasts, one after the other without a barrier; each fourth from another root.
Cost run(Job& job, Bytes bytes, int rounds, bool multicast) {
  Cost cost{};
  std::vector<std::unique_ptr<protocols::MulticastBroadcast>> broadcasts(
      static_cast<std::size_t>(job.size));
  std::vector<std::unique_ptr<tests::Execution>> executions(static_cast<std::size_t>(job.size));
  const collectives::Algorithm* binomial = nullptr;
  for (const collectives::Algorithm& a : collectives::algorithms())
    if (a.collective == collectives::Collective::bcast && std::string_view(a.name) == "binomial")
      binomial = &a;
  double total = 0;
  for (int i = 0; i < rounds; ++i) {
    const int root = i / 4 % job.size;
    const auto r = static_cast<std::size_t>(root);
    fill(job, root, bytes);
    const double begin = MPI_Wtime();
    if (multicast) {
      if (!broadcasts[r]) broadcasts[r] = broadcast(job, root);
      broadcasts[r]->start({1, job.round, 0}, job.data.data(), bytes);
      job.complete(*broadcasts[r], [&] { return broadcasts[r]->advance(); });
    } else {
      if (!executions[r])
        executions[r] = std::make_unique<tests::Execution>(
            binomial->build(
                {{.collective = collectives::Collective::bcast, .root = root, .bytes = bytes},
                 job.size,
                 job.rank},
                {}),
            [&](Rank peer) -> Channel& { return job.channel(peer); });
      executions[r]->run.start(nullptr, job.data.data(), {1, job.round, 0});
      job.complete(executions[r]->run, [&] { return executions[r]->run.advance(); });
    }
    total += MPI_Wtime() - begin;
    check(job, bytes);
    ++job.round;
  }
  for (int root = 0; root < job.size; ++root)
    if (const auto& b = broadcasts[static_cast<std::size_t>(root)]) {
      if (root != job.rank) cost.counts.fragments += b->counts().fragments;
      cost.counts.repaired += b->counts().repaired;
      cost.counts.reminders += b->counts().reminders;
      cost.counts.statuses += b->counts().statuses;
      cost.counts.repairs += b->counts().repairs;
    }
  cost.micros = total / rounds * 1e6;
  MPI_Allreduce(MPI_IN_PLACE, &cost.micros, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &cost.counts, sizeof cost.counts / sizeof(std::uint64_t),
                MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  return cost;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const std::string_view way = argc > 1 ? argv[1] : "auto";
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 20;
  const bool compare = argc > 3 && std::string_view(argv[3]) == "compare";
  try {
    transport::verbs::MulticastOptions options;
    options.group = 4711;
    options.members = static_cast<std::uint32_t>(size);
    options.joining = way == "manager"  ? transport::verbs::Joining::manager
                      : way == "direct" ? transport::verbs::Joining::direct
                                        : transport::verbs::Joining::automatic;
    options.delivery =
        way == "each" ? transport::verbs::Delivery::each : transport::verbs::Delivery::group;
    Job job(rank, size, way == "ipv6" ? 0 : -1, options);  // GID 0 is the link-local address
    run(job, 8, 4 * size, true);                           // connects
    if (compare) run(job, 8, 4 * size, false);
    std::uint64_t fragments = 0;
    for (const Bytes bytes : kSizes) {
      const double tree = compare ? run(job, bytes, rounds, false).micros : 0;
      const Cost cost = run(job, bytes, rounds, true);
      fragments += cost.counts.fragments;
      if (rank == 0)
        std::printf(
            "%8lld bytes: multicast %8.0f us, tree %8.0f us; %llu fragments came, %llu were lost; "
            "%llu statuses, %llu repairs, %llu "
            "reminders\n",
            static_cast<long long>(bytes), cost.micros, tree,
            static_cast<unsigned long long>(cost.counts.fragments),
            static_cast<unsigned long long>(cost.counts.repaired),
            static_cast<unsigned long long>(cost.counts.statuses),
            static_cast<unsigned long long>(cost.counts.repairs),
            static_cast<unsigned long long>(cost.counts.reminders));
    }
    if (fragments == 0 && size > 1) end(rank, "no datagram was delivered at all");
    job.transport.send_disconnect();
    if (rank == 0)
      std::printf("multicast_test: ok with %d ranks, %s\n", size,
                  job.datagrams->describe().c_str());
    MPI_Barrier(MPI_COMM_WORLD);
  } catch (const Error& error) {
    end(rank, error.message.c_str(), static_cast<long long>(error.code));
  }
  MPI_Finalize();
  return 0;
}
