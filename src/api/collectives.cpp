// The blocking collectives of the C API.
#include "src/api/collective.hpp"
#include "src/api/stated.hpp"

using namespace tutti;

int tutti_barrier(tutti_comm comm) { return blocking(comm, stated::barrier()); }

int tutti_bcast(void* buffer, MPI_Count count, MPI_Datatype type, int root, tutti_comm comm) {
  return blocking(comm, stated::bcast(buffer, count, type, root));
}

int tutti_scatter(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                  MPI_Count recvcount, MPI_Datatype recvtype, int root, tutti_comm comm) {
  return blocking(
      comm, stated::scatter(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root));
}

int tutti_scatterv(const void* sendbuf, const MPI_Count* sendcounts, const MPI_Count* displs,
                   MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                   int root, tutti_comm comm) {
  return blocking(comm, stated::scatterv(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount,
                                         recvtype, root));
}

int tutti_gather(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                 MPI_Count recvcount, MPI_Datatype recvtype, int root, tutti_comm comm) {
  return blocking(comm,
                  stated::gather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root));
}

int tutti_gatherv(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                  const MPI_Count* recvcounts, const MPI_Count* displs, MPI_Datatype recvtype,
                  int root, tutti_comm comm) {
  return blocking(comm, stated::gatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs,
                                        recvtype, root));
}

int tutti_allgather(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                    MPI_Count recvcount, MPI_Datatype recvtype, tutti_comm comm) {
  return blocking(comm,
                  stated::allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype));
}

int tutti_allgatherv(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                     const MPI_Count* recvcounts, const MPI_Count* displs, MPI_Datatype recvtype,
                     tutti_comm comm) {
  return blocking(comm, stated::allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts,
                                           displs, recvtype));
}

int tutti_alltoall(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                   MPI_Count recvcount, MPI_Datatype recvtype, tutti_comm comm) {
  return blocking(comm,
                  stated::alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype));
}

int tutti_alltoallv(const void* sendbuf, const MPI_Count* sendcounts, const MPI_Count* sdispls,
                    MPI_Datatype sendtype, void* recvbuf, const MPI_Count* recvcounts,
                    const MPI_Count* rdispls, MPI_Datatype recvtype, tutti_comm comm) {
  return blocking(comm, stated::alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf,
                                          recvcounts, rdispls, recvtype));
}

int tutti_alltoallw(const void* sendbuf, const MPI_Count* sendcounts, const MPI_Count* sdispls,
                    const MPI_Datatype* sendtypes, void* recvbuf, const MPI_Count* recvcounts,
                    const MPI_Count* rdispls, const MPI_Datatype* recvtypes, tutti_comm comm) {
  return blocking(comm, stated::alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf,
                                          recvcounts, rdispls, recvtypes));
}

int tutti_neighbor_allgather(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                             void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                             tutti_comm comm) {
  return blocking(
      comm, stated::neighbor_allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype));
}

int tutti_neighbor_allgatherv(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                              void* recvbuf, const MPI_Count* recvcounts, const MPI_Count* displs,
                              MPI_Datatype recvtype, tutti_comm comm) {
  return blocking(comm, stated::neighbor_allgatherv(sendbuf, sendcount, sendtype, recvbuf,
                                                    recvcounts, displs, recvtype));
}

int tutti_neighbor_alltoall(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                            void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                            tutti_comm comm) {
  return blocking(
      comm, stated::neighbor_alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype));
}

int tutti_neighbor_alltoallv(const void* sendbuf, const MPI_Count* sendcounts,
                             const MPI_Count* sdispls, MPI_Datatype sendtype, void* recvbuf,
                             const MPI_Count* recvcounts, const MPI_Count* rdispls,
                             MPI_Datatype recvtype, tutti_comm comm) {
  return blocking(comm, stated::neighbor_alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf,
                                                   recvcounts, rdispls, recvtype));
}

int tutti_neighbor_alltoallw(const void* sendbuf, const MPI_Count* sendcounts,
                             const MPI_Count* sdispls, const MPI_Datatype* sendtypes, void* recvbuf,
                             const MPI_Count* recvcounts, const MPI_Count* rdispls,
                             const MPI_Datatype* recvtypes, tutti_comm comm) {
  return blocking(comm, stated::neighbor_alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf,
                                                   recvcounts, rdispls, recvtypes));
}

int tutti_reduce(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype type, MPI_Op op,
                 int root, tutti_comm comm) {
  return blocking(comm, stated::reduce(sendbuf, recvbuf, count, type, op, root));
}

int tutti_allreduce(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype type,
                    MPI_Op op, tutti_comm comm) {
  return blocking(comm, stated::allreduce(sendbuf, recvbuf, count, type, op));
}

int tutti_reduce_scatter_block(const void* sendbuf, void* recvbuf, MPI_Count recvcount,
                               MPI_Datatype type, MPI_Op op, tutti_comm comm) {
  return blocking(comm, stated::reduce_scatter_block(sendbuf, recvbuf, recvcount, type, op));
}

int tutti_reduce_scatter(const void* sendbuf, void* recvbuf, const MPI_Count* recvcounts,
                         MPI_Datatype type, MPI_Op op, tutti_comm comm) {
  return blocking(comm, stated::reduce_scatter(sendbuf, recvbuf, recvcounts, type, op));
}

int tutti_scan(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype type, MPI_Op op,
               tutti_comm comm) {
  return blocking(comm, stated::scan(sendbuf, recvbuf, count, type, op));
}

int tutti_exscan(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype type, MPI_Op op,
                 tutti_comm comm) {
  return blocking(comm, stated::exscan(sendbuf, recvbuf, count, type, op));
}
