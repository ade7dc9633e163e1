// Calls, and whether what they give is right.
#include "tools/bench/job.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "tools/bench/bench.hpp"

namespace tutti::tools {

using collectives::Collective;

Job::Job(std::string name, std::int64_t size, int root_rank, MPI_Comm ranks, tutti_comm c)
    : collective(std::move(name)),
      which(*collectives::collective_named(collective)),
      bytes(size),
      rank(0),
      P(1),
      root(root_rank),
      mpi(ranks),
      comm(c) {
  MPI_Comm_rank(mpi, &rank);
  MPI_Comm_size(mpi, &P);
  const std::int64_t all = bytes * P;
  const auto is = [&](const char* one) { return collective == one; };
  send.resize(static_cast<std::size_t>(is("scatter") || is("alltoall") || is("reduce_scatter") ? all
                                       : is("bcast")                                           ? 0
                                                     : bytes) +
              1);
  receive.resize(
      static_cast<std::size_t>(is("gather") || is("allgather") || is("alltoall") ? all : bytes) +
      1);
}

void Job::run_tutti() {
  unsigned char *const s = send.data(), *const r = receive.data();
  const MPI_Count n = bytes, ints = bytes / static_cast<MPI_Count>(sizeof(int));
  int code = TUTTI_SUCCESS;
  switch (which) {
    case Collective::barrier: code = tutti_barrier(comm); break;
    case Collective::bcast: code = tutti_bcast(r, n, MPI_BYTE, root, comm); break;
    case Collective::scatter:
      code = tutti_scatter(s, n, MPI_BYTE, r, n, MPI_BYTE, root, comm);
      break;
    case Collective::gather: code = tutti_gather(s, n, MPI_BYTE, r, n, MPI_BYTE, root, comm); break;
    case Collective::allgather: code = tutti_allgather(s, n, MPI_BYTE, r, n, MPI_BYTE, comm); break;
    case Collective::alltoall: code = tutti_alltoall(s, n, MPI_BYTE, r, n, MPI_BYTE, comm); break;
    case Collective::reduce: code = tutti_reduce(s, r, ints, MPI_INT, MPI_SUM, root, comm); break;
    case Collective::allreduce: code = tutti_allreduce(s, r, ints, MPI_INT, MPI_SUM, comm); break;
    case Collective::reduce_scatter:
      code = tutti_reduce_scatter_block(s, r, ints, MPI_INT, MPI_SUM, comm);
      break;
    case Collective::scan: code = tutti_scan(s, r, ints, MPI_INT, MPI_SUM, comm); break;
    case Collective::exscan: code = tutti_exscan(s, r, ints, MPI_INT, MPI_SUM, comm); break;
  }
  if (code != TUTTI_SUCCESS) must(code, collective.c_str());
}

void Job::run_mpi() {
  unsigned char *const s = send.data(), *const r = receive.data();
  const int n = static_cast<int>(bytes), ints = n / static_cast<int>(sizeof(int));
  switch (which) {
    case Collective::barrier: MPI_Barrier(mpi); break;
    case Collective::bcast: MPI_Bcast(r, n, MPI_BYTE, root, mpi); break;
    case Collective::scatter: MPI_Scatter(s, n, MPI_BYTE, r, n, MPI_BYTE, root, mpi); break;
    case Collective::gather: MPI_Gather(s, n, MPI_BYTE, r, n, MPI_BYTE, root, mpi); break;
    case Collective::allgather: MPI_Allgather(s, n, MPI_BYTE, r, n, MPI_BYTE, mpi); break;
    case Collective::alltoall: MPI_Alltoall(s, n, MPI_BYTE, r, n, MPI_BYTE, mpi); break;
    case Collective::reduce: MPI_Reduce(s, r, ints, MPI_INT, MPI_SUM, root, mpi); break;
    case Collective::allreduce: MPI_Allreduce(s, r, ints, MPI_INT, MPI_SUM, mpi); break;
    case Collective::reduce_scatter:
      MPI_Reduce_scatter_block(s, r, ints, MPI_INT, MPI_SUM, mpi);
      break;
    case Collective::scan: MPI_Scan(s, r, ints, MPI_INT, MPI_SUM, mpi); break;
    case Collective::exscan: MPI_Exscan(s, r, ints, MPI_INT, MPI_SUM, mpi); break;
  }
}

namespace {

unsigned char datum(int rank, std::int64_t i, int round) {
  return static_cast<unsigned char>(static_cast<std::uint64_t>(i) * 2654435761u >> 7 ^
                                    static_cast<unsigned>(rank * 31 + round * 7));
}

}  // namespace

void check(Job& job) {
  for (int round = 0; round < 2; ++round) {
    for (std::size_t i = 0; i + 1 < job.send.size(); ++i)
      job.send[i] = datum(job.rank, static_cast<std::int64_t>(i), round);
    const auto prepare = [&] {
      std::fill(job.receive.begin(), job.receive.end(), static_cast<unsigned char>(0xEE));
      if (job.collective == "bcast" && job.rank == job.root)
        for (std::int64_t i = 0; i < job.bytes; ++i)
          job.receive[static_cast<std::size_t>(i)] = datum(job.root, i, round);
    };
    prepare();
    job.run_mpi();
    const std::vector<unsigned char> expected = job.receive;
    prepare();
    job.run_tutti();
    const auto [got, want] =
        std::mismatch(job.receive.begin(), job.receive.end(), expected.begin());
    if (got != job.receive.end())
      throw Error(Code::internal, fmt::format("WRONG RESULT: {} of {} bytes, rank {}: byte {} is "
                                              "{:#04x}, not {:#04x} as the MPI has it",
                                              job.collective, job.bytes, job.rank,
                                              got - job.receive.begin(), *got, *want));
  }
}

}  // namespace tutti::tools
