// Makes the calls of both libraries, and checks their results.
#include "tools/bench/job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "tools/bench/bench.hpp"

namespace tutti::tools {

using collectives::Collective;

namespace {

// The layout of one side. bcast has one buffer: the root sends, the others receive.
TypeWish wish_of(const TypeWish& wish, TypeSide side) {
  return wish.side == TypeSide::both || wish.side == side ? wish : TypeWish{};
}
TypeSide side_of_result(const std::string& collective, MPI_Comm ranks, int root) {
  int rank = 0;
  MPI_Comm_rank(ranks, &rank);
  return collective == "bcast" && rank == root ? TypeSide::send : TypeSide::receive;
}

}  // namespace

Job::Job(std::string name, std::int64_t size, int root_rank, MPI_Comm ranks, tutti_comm c,
         const TypeWish& wish, VForm v_form, CallForm form)
    : collective(std::move(name)),
      which(*collectives::collective_named(collective)),
      bytes(size),
      rank(0),
      P(1),
      root(root_rank),
      mpi(ranks),
      comm(c),
      from(wish_of(wish, TypeSide::send), size),
      to(wish_of(wish, side_of_result(collective, ranks, root_rank)), size),
      call(form),
      mpi_call(form) {
  MPI_Comm_rank(mpi, &rank);
  MPI_Comm_size(mpi, &P);
  const auto is = [&](const char* one) { return collective == one; };
  const bool sends_all = is("scatter") || is("alltoall") || is("reduce_scatter"),
             receives_all = is("gather") || is("allgather") || is("alltoall");
  const int each = v_form == VForm::unequal ? 2 : 1;
  send.resize((is("bcast") ? 0 : from.room(each * (sends_all ? P : 1))) + 1);
  receive.resize(to.room(each * (receives_all ? P : 1)) + 1);
  if (v_form != VForm::none) v.emplace(v_form, *this);
}

void Job::run_tutti() {
  unsigned char *const s = send.data(), *const r = receive.data();
  const MPI_Count n = from.count(), m = to.count(),
                  ints = bytes / static_cast<MPI_Count>(sizeof(int));
  const MPI_Datatype sent = from.type(), received = to.type();
  if (v) return must(v->run_tutti(*this), collective.c_str());
  int code = TUTTI_SUCCESS;
  switch (which) {
    case Collective::barrier:
      code = call(tutti_barrier, tutti_ibarrier, tutti_barrier_init, comm);
      break;
    case Collective::bcast:
      code = call(tutti_bcast, tutti_ibcast, tutti_bcast_init, r, m, received, root, comm);
      break;
    case Collective::scatter:
      code = call(tutti_scatter, tutti_iscatter, tutti_scatter_init, s, n, sent, r, m, received,
                  root, comm);
      break;
    case Collective::gather:
      code = call(tutti_gather, tutti_igather, tutti_gather_init, s, n, sent, r, m, received, root,
                  comm);
      break;
    case Collective::allgather:
      code = call(tutti_allgather, tutti_iallgather, tutti_allgather_init, s, n, sent, r, m,
                  received, comm);
      break;
    case Collective::alltoall:
      code = call(tutti_alltoall, tutti_ialltoall, tutti_alltoall_init, s, n, sent, r, m, received,
                  comm);
      break;
    case Collective::neighbor_allgather:
    case Collective::neighbor_alltoall: break;  // the ranks of a benchmark have no topology
    case Collective::reduce:
      code = call(tutti_reduce, tutti_ireduce, tutti_reduce_init, s, r, ints, MPI_INT, MPI_SUM,
                  root, comm);
      break;
    case Collective::allreduce:
      code = call(tutti_allreduce, tutti_iallreduce, tutti_allreduce_init, s, r, ints, MPI_INT,
                  MPI_SUM, comm);
      break;
    case Collective::reduce_scatter:
      code = call(tutti_reduce_scatter_block, tutti_ireduce_scatter_block,
                  tutti_reduce_scatter_block_init, s, r, ints, MPI_INT, MPI_SUM, comm);
      break;
    case Collective::scan:
      code = call(tutti_scan, tutti_iscan, tutti_scan_init, s, r, ints, MPI_INT, MPI_SUM, comm);
      break;
    case Collective::exscan:
      code =
          call(tutti_exscan, tutti_iexscan, tutti_exscan_init, s, r, ints, MPI_INT, MPI_SUM, comm);
      break;
  }
  if (code != TUTTI_SUCCESS) must(code, collective.c_str());
}

void Job::run_mpi() {
  unsigned char *const s = send.data(), *const r = receive.data();
  const int n = from.count(), m = to.count(),
            ints = static_cast<int>(bytes / static_cast<std::int64_t>(sizeof(int)));
  const MPI_Datatype sent = from.type(), received = to.type();
  if (v) return v->run_mpi(*this);
  switch (which) {
    case Collective::barrier:
      mpi_call(MPI_Barrier, MPI_Ibarrier, TUTTI_MPI_PREPARES(Barrier), mpi);
      break;
    case Collective::bcast:
      mpi_call(MPI_Bcast, MPI_Ibcast, TUTTI_MPI_PREPARES(Bcast), r, m, received, root, mpi);
      break;
    case Collective::scatter:
      mpi_call(MPI_Scatter, MPI_Iscatter, TUTTI_MPI_PREPARES(Scatter), s, n, sent, r, m, received,
               root, mpi);
      break;
    case Collective::gather:
      mpi_call(MPI_Gather, MPI_Igather, TUTTI_MPI_PREPARES(Gather), s, n, sent, r, m, received,
               root, mpi);
      break;
    case Collective::allgather:
      mpi_call(MPI_Allgather, MPI_Iallgather, TUTTI_MPI_PREPARES(Allgather), s, n, sent, r, m,
               received, mpi);
      break;
    case Collective::alltoall:
      mpi_call(MPI_Alltoall, MPI_Ialltoall, TUTTI_MPI_PREPARES(Alltoall), s, n, sent, r, m,
               received, mpi);
      break;
    case Collective::neighbor_allgather:
    case Collective::neighbor_alltoall: break;
    case Collective::reduce:
      mpi_call(MPI_Reduce, MPI_Ireduce, TUTTI_MPI_PREPARES(Reduce), s, r, ints, MPI_INT, MPI_SUM,
               root, mpi);
      break;
    case Collective::allreduce:
      mpi_call(MPI_Allreduce, MPI_Iallreduce, TUTTI_MPI_PREPARES(Allreduce), s, r, ints, MPI_INT,
               MPI_SUM, mpi);
      break;
    case Collective::reduce_scatter:
      mpi_call(MPI_Reduce_scatter_block, MPI_Ireduce_scatter_block,
               TUTTI_MPI_PREPARES(Reduce_scatter_block), s, r, ints, MPI_INT, MPI_SUM, mpi);
      break;
    case Collective::scan:
      mpi_call(MPI_Scan, MPI_Iscan, TUTTI_MPI_PREPARES(Scan), s, r, ints, MPI_INT, MPI_SUM, mpi);
      break;
    case Collective::exscan:
      mpi_call(MPI_Exscan, MPI_Iexscan, TUTTI_MPI_PREPARES(Exscan), s, r, ints, MPI_INT, MPI_SUM,
               mpi);
      break;
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
        for (std::size_t i = 0; i + 1 < job.receive.size(); ++i)
          job.receive[i] = datum(job.root, static_cast<std::int64_t>(i), round);
    };
    prepare();
    // The MPI's blocking call: MPICH 4.0.2 gathers wrong bytes by a persistent one of 3 ranks.
    const CallForm form = std::exchange(job.mpi_call.form, CallForm::blocking);
    job.run_mpi();
    job.mpi_call.form = form;
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
