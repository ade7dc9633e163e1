// The arguments of each collective of the C API, stated once, by name, for all forms of it.
#pragma once

#include "src/api/call_arguments.hpp"

namespace tutti::stated {

using collectives::Collective;

[[gnu::always_inline]] inline Arguments barrier() { return {.collective = Collective::barrier}; }
[[gnu::always_inline]] inline Arguments bcast(void* buffer, MPI_Count count, MPI_Datatype type,
                                              int root) {
  return {.collective = Collective::bcast,
          .receive = {.buffer = buffer, .count = count, .type = type},
          .root = root};
}
[[gnu::always_inline]] inline Arguments scatter(const void* sendbuf, MPI_Count sendcount,
                                                MPI_Datatype sendtype, void* recvbuf,
                                                MPI_Count recvcount, MPI_Datatype recvtype,
                                                int root) {
  return {.collective = Collective::scatter,
          .send = {.buffer = sendbuf, .count = sendcount, .type = sendtype},
          .receive = {.buffer = recvbuf, .count = recvcount, .type = recvtype},
          .root = root};
}
[[gnu::always_inline]] inline Arguments scatterv(const void* sendbuf, const MPI_Count* sendcounts,
                                                 const MPI_Count* displs, MPI_Datatype sendtype,
                                                 void* recvbuf, MPI_Count recvcount,
                                                 MPI_Datatype recvtype, int root) {
  return {
      .collective = Collective::scatter,
      .by_rank = true,
      .send = {.buffer = sendbuf, .type = sendtype, .counts = sendcounts, .displacements = displs},
      .receive = {.buffer = recvbuf, .count = recvcount, .type = recvtype},
      .root = root};
}
[[gnu::always_inline]] inline Arguments gather(const void* sendbuf, MPI_Count sendcount,
                                               MPI_Datatype sendtype, void* recvbuf,
                                               MPI_Count recvcount, MPI_Datatype recvtype,
                                               int root) {
  return {.collective = Collective::gather,
          .send = {.buffer = sendbuf, .count = sendcount, .type = sendtype},
          .receive = {.buffer = recvbuf, .count = recvcount, .type = recvtype},
          .root = root};
}
[[gnu::always_inline]] inline Arguments gatherv(const void* sendbuf, MPI_Count sendcount,
                                                MPI_Datatype sendtype, void* recvbuf,
                                                const MPI_Count* recvcounts,
                                                const MPI_Count* displs, MPI_Datatype recvtype,
                                                int root) {
  return {.collective = Collective::gather,
          .by_rank = true,
          .send = {.buffer = sendbuf, .count = sendcount, .type = sendtype},
          .receive = {.buffer = recvbuf,
                      .type = recvtype,
                      .counts = recvcounts,
                      .displacements = displs},
          .root = root};
}
[[gnu::always_inline]] inline Arguments allgather(const void* sendbuf, MPI_Count sendcount,
                                                  MPI_Datatype sendtype, void* recvbuf,
                                                  MPI_Count recvcount, MPI_Datatype recvtype) {
  return {.collective = Collective::allgather,
          .send = {.buffer = sendbuf, .count = sendcount, .type = sendtype},
          .receive = {.buffer = recvbuf, .count = recvcount, .type = recvtype}};
}
[[gnu::always_inline]] inline Arguments allgatherv(const void* sendbuf, MPI_Count sendcount,
                                                   MPI_Datatype sendtype, void* recvbuf,
                                                   const MPI_Count* recvcounts,
                                                   const MPI_Count* displs, MPI_Datatype recvtype) {
  return {.collective = Collective::allgather,
          .by_rank = true,
          .send = {.buffer = sendbuf, .count = sendcount, .type = sendtype},
          .receive = {
              .buffer = recvbuf, .type = recvtype, .counts = recvcounts, .displacements = displs}};
}
[[gnu::always_inline]] inline Arguments alltoall(const void* sendbuf, MPI_Count sendcount,
                                                 MPI_Datatype sendtype, void* recvbuf,
                                                 MPI_Count recvcount, MPI_Datatype recvtype) {
  return {.collective = Collective::alltoall,
          .send = {.buffer = sendbuf, .count = sendcount, .type = sendtype},
          .receive = {.buffer = recvbuf, .count = recvcount, .type = recvtype}};
}
[[gnu::always_inline]] inline Arguments alltoallv(const void* sendbuf, const MPI_Count* sendcounts,
                                                  const MPI_Count* sdispls, MPI_Datatype sendtype,
                                                  void* recvbuf, const MPI_Count* recvcounts,
                                                  const MPI_Count* rdispls, MPI_Datatype recvtype) {
  return {
      .collective = Collective::alltoall,
      .by_rank = true,
      .send = {.buffer = sendbuf, .type = sendtype, .counts = sendcounts, .displacements = sdispls},
      .receive = {
          .buffer = recvbuf, .type = recvtype, .counts = recvcounts, .displacements = rdispls}};
}
[[gnu::always_inline]] inline Arguments alltoallw(const void* sendbuf, const MPI_Count* sendcounts,
                                                  const MPI_Count* sdispls,
                                                  const MPI_Datatype* sendtypes, void* recvbuf,
                                                  const MPI_Count* recvcounts,
                                                  const MPI_Count* rdispls,
                                                  const MPI_Datatype* recvtypes) {
  return {
      .collective = Collective::alltoall,
      .by_rank = true,
      .own_types = true,
      .send = {.buffer = sendbuf,
               .counts = sendcounts,
               .displacements = sdispls,
               .types = sendtypes},
      .receive = {
          .buffer = recvbuf, .counts = recvcounts, .displacements = rdispls, .types = recvtypes}};
}
[[gnu::always_inline]] inline Arguments neighbor_allgather(const void* sendbuf, MPI_Count sendcount,
                                                           MPI_Datatype sendtype, void* recvbuf,
                                                           MPI_Count recvcount,
                                                           MPI_Datatype recvtype) {
  return {.collective = Collective::neighbor_allgather,
          .send = {.buffer = sendbuf, .count = sendcount, .type = sendtype},
          .receive = {.buffer = recvbuf, .count = recvcount, .type = recvtype}};
}
[[gnu::always_inline]] inline Arguments neighbor_allgatherv(
    const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
    const MPI_Count* recvcounts, const MPI_Count* displs, MPI_Datatype recvtype) {
  return {.collective = Collective::neighbor_allgather,
          .by_rank = true,
          .send = {.buffer = sendbuf, .count = sendcount, .type = sendtype},
          .receive = {
              .buffer = recvbuf, .type = recvtype, .counts = recvcounts, .displacements = displs}};
}
[[gnu::always_inline]] inline Arguments neighbor_alltoall(const void* sendbuf, MPI_Count sendcount,
                                                          MPI_Datatype sendtype, void* recvbuf,
                                                          MPI_Count recvcount,
                                                          MPI_Datatype recvtype) {
  return {.collective = Collective::neighbor_alltoall,
          .send = {.buffer = sendbuf, .count = sendcount, .type = sendtype},
          .receive = {.buffer = recvbuf, .count = recvcount, .type = recvtype}};
}
[[gnu::always_inline]] inline Arguments neighbor_alltoallv(
    const void* sendbuf, const MPI_Count* sendcounts, const MPI_Count* sdispls,
    MPI_Datatype sendtype, void* recvbuf, const MPI_Count* recvcounts, const MPI_Count* rdispls,
    MPI_Datatype recvtype) {
  return {
      .collective = Collective::neighbor_alltoall,
      .by_rank = true,
      .send = {.buffer = sendbuf, .type = sendtype, .counts = sendcounts, .displacements = sdispls},
      .receive = {
          .buffer = recvbuf, .type = recvtype, .counts = recvcounts, .displacements = rdispls}};
}
[[gnu::always_inline]] inline Arguments neighbor_alltoallw(
    const void* sendbuf, const MPI_Count* sendcounts, const MPI_Count* sdispls,
    const MPI_Datatype* sendtypes, void* recvbuf, const MPI_Count* recvcounts,
    const MPI_Count* rdispls, const MPI_Datatype* recvtypes) {
  return {
      .collective = Collective::neighbor_alltoall,
      .by_rank = true,
      .own_types = true,
      .send = {.buffer = sendbuf,
               .counts = sendcounts,
               .displacements = sdispls,
               .types = sendtypes},
      .receive = {
          .buffer = recvbuf, .counts = recvcounts, .displacements = rdispls, .types = recvtypes}};
}
[[gnu::always_inline]] inline Arguments reduce(const void* sendbuf, void* recvbuf, MPI_Count count,
                                               MPI_Datatype type, MPI_Op op, int root) {
  return {.collective = Collective::reduce,
          .send = {.buffer = sendbuf, .count = count, .type = type},
          .receive = {.buffer = recvbuf},
          .root = root,
          .operation = op};
}
[[gnu::always_inline]] inline Arguments allreduce(const void* sendbuf, void* recvbuf,
                                                  MPI_Count count, MPI_Datatype type, MPI_Op op) {
  return {.collective = Collective::allreduce,
          .send = {.buffer = sendbuf, .count = count, .type = type},
          .receive = {.buffer = recvbuf},
          .operation = op};
}
[[gnu::always_inline]] inline Arguments reduce_scatter_block(const void* sendbuf, void* recvbuf,
                                                             MPI_Count recvcount, MPI_Datatype type,
                                                             MPI_Op op) {
  return {.collective = Collective::reduce_scatter,
          .send = {.buffer = sendbuf, .count = recvcount, .type = type},
          .receive = {.buffer = recvbuf},
          .operation = op};
}
[[gnu::always_inline]] inline Arguments reduce_scatter(const void* sendbuf, void* recvbuf,
                                                       const MPI_Count* recvcounts,
                                                       MPI_Datatype type, MPI_Op op) {
  return {.collective = Collective::reduce_scatter,
          .by_rank = true,
          .send = {.buffer = sendbuf, .type = type},
          .receive = {.buffer = recvbuf, .counts = recvcounts},
          .operation = op};
}
[[gnu::always_inline]] inline Arguments scan(const void* sendbuf, void* recvbuf, MPI_Count count,
                                             MPI_Datatype type, MPI_Op op) {
  return {.collective = Collective::scan,
          .send = {.buffer = sendbuf, .count = count, .type = type},
          .receive = {.buffer = recvbuf},
          .operation = op};
}
[[gnu::always_inline]] inline Arguments exscan(const void* sendbuf, void* recvbuf, MPI_Count count,
                                               MPI_Datatype type, MPI_Op op) {
  return {.collective = Collective::exscan,
          .send = {.buffer = sendbuf, .count = count, .type = type},
          .receive = {.buffer = recvbuf},
          .operation = op};
}

}  // namespace tutti::stated
