// The collectives of the C API: each states its arguments, by name.
#include "src/api/collective.hpp"

using namespace tutti;
using collectives::Collective;

int tutti_barrier(tutti_comm comm) { return blocking(comm, {.collective = Collective::barrier}); }

int tutti_bcast(void* buffer, MPI_Count count, MPI_Datatype type, int root, tutti_comm comm) {
  return blocking(comm, {.collective = Collective::bcast,
                         .receive = {.buffer = buffer, .count = count, .type = type},
                         .root = root});
}

int tutti_scatter(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                  MPI_Count recvcount, MPI_Datatype recvtype, int root, tutti_comm comm) {
  return blocking(comm, {.collective = Collective::scatter,
                         .send = {.buffer = sendbuf, .count = sendcount, .type = sendtype},
                         .receive = {.buffer = recvbuf, .count = recvcount, .type = recvtype},
                         .root = root});
}

int tutti_scatterv(const void* sendbuf, const MPI_Count* sendcounts, const MPI_Count* displs,
                   MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                   int root, tutti_comm comm) {
  return blocking(
      comm,
      {.collective = Collective::scatter,
       .by_rank = true,
       .send = {.buffer = sendbuf, .type = sendtype, .counts = sendcounts, .displacements = displs},
       .receive = {.buffer = recvbuf, .count = recvcount, .type = recvtype},
       .root = root});
}

int tutti_gather(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                 MPI_Count recvcount, MPI_Datatype recvtype, int root, tutti_comm comm) {
  return blocking(comm, {.collective = Collective::gather,
                         .send = {.buffer = sendbuf, .count = sendcount, .type = sendtype},
                         .receive = {.buffer = recvbuf, .count = recvcount, .type = recvtype},
                         .root = root});
}

int tutti_gatherv(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                  const MPI_Count* recvcounts, const MPI_Count* displs, MPI_Datatype recvtype,
                  int root, tutti_comm comm) {
  return blocking(comm, {.collective = Collective::gather,
                         .by_rank = true,
                         .send = {.buffer = sendbuf, .count = sendcount, .type = sendtype},
                         .receive = {.buffer = recvbuf,
                                     .type = recvtype,
                                     .counts = recvcounts,
                                     .displacements = displs},
                         .root = root});
}

int tutti_allgather(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                    MPI_Count recvcount, MPI_Datatype recvtype, tutti_comm comm) {
  return blocking(comm, {.collective = Collective::allgather,
                         .send = {.buffer = sendbuf, .count = sendcount, .type = sendtype},
                         .receive = {.buffer = recvbuf, .count = recvcount, .type = recvtype}});
}

int tutti_allgatherv(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                     const MPI_Count* recvcounts, const MPI_Count* displs, MPI_Datatype recvtype,
                     tutti_comm comm) {
  return blocking(
      comm,
      {.collective = Collective::allgather,
       .by_rank = true,
       .send = {.buffer = sendbuf, .count = sendcount, .type = sendtype},
       .receive = {
           .buffer = recvbuf, .type = recvtype, .counts = recvcounts, .displacements = displs}});
}

int tutti_alltoall(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                   MPI_Count recvcount, MPI_Datatype recvtype, tutti_comm comm) {
  return blocking(comm, {.collective = Collective::alltoall,
                         .send = {.buffer = sendbuf, .count = sendcount, .type = sendtype},
                         .receive = {.buffer = recvbuf, .count = recvcount, .type = recvtype}});
}

int tutti_alltoallv(const void* sendbuf, const MPI_Count* sendcounts, const MPI_Count* sdispls,
                    MPI_Datatype sendtype, void* recvbuf, const MPI_Count* recvcounts,
                    const MPI_Count* rdispls, MPI_Datatype recvtype, tutti_comm comm) {
  return blocking(
      comm,
      {.collective = Collective::alltoall,
       .by_rank = true,
       .send =
           {.buffer = sendbuf, .type = sendtype, .counts = sendcounts, .displacements = sdispls},
       .receive = {
           .buffer = recvbuf, .type = recvtype, .counts = recvcounts, .displacements = rdispls}});
}

int tutti_reduce(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype type, MPI_Op op,
                 int root, tutti_comm comm) {
  return blocking(comm, {.collective = Collective::reduce,
                         .send = {.buffer = sendbuf, .count = count, .type = type},
                         .receive = {.buffer = recvbuf},
                         .root = root,
                         .operation = op});
}

int tutti_allreduce(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype type,
                    MPI_Op op, tutti_comm comm) {
  return blocking(comm, {.collective = Collective::allreduce,
                         .send = {.buffer = sendbuf, .count = count, .type = type},
                         .receive = {.buffer = recvbuf},
                         .operation = op});
}

int tutti_reduce_scatter_block(const void* sendbuf, void* recvbuf, MPI_Count recvcount,
                               MPI_Datatype type, MPI_Op op, tutti_comm comm) {
  return blocking(comm, {.collective = Collective::reduce_scatter,
                         .send = {.buffer = sendbuf, .count = recvcount, .type = type},
                         .receive = {.buffer = recvbuf},
                         .operation = op});
}

int tutti_reduce_scatter(const void* sendbuf, void* recvbuf, const MPI_Count* recvcounts,
                         MPI_Datatype type, MPI_Op op, tutti_comm comm) {
  return blocking(comm, {.collective = Collective::reduce_scatter,
                         .by_rank = true,
                         .send = {.buffer = sendbuf, .type = type},
                         .receive = {.buffer = recvbuf, .counts = recvcounts},
                         .operation = op});
}

int tutti_scan(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype type, MPI_Op op,
               tutti_comm comm) {
  return blocking(comm, {.collective = Collective::scan,
                         .send = {.buffer = sendbuf, .count = count, .type = type},
                         .receive = {.buffer = recvbuf},
                         .operation = op});
}

int tutti_exscan(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype type, MPI_Op op,
                 tutti_comm comm) {
  return blocking(comm, {.collective = Collective::exscan,
                         .send = {.buffer = sendbuf, .count = count, .type = type},
                         .receive = {.buffer = recvbuf},
                         .operation = op});
}
