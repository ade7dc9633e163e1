// The collectives of the C API that only begin a call.
#include "src/api/requests.hpp"
#include "src/api/stated.hpp"

using namespace tutti;

int tutti_ibarrier(tutti_comm comm, tutti_request* request) {
  return begin(comm, stated::barrier(), request);
}

int tutti_ibcast(void* buffer, MPI_Count count, MPI_Datatype type, int root, tutti_comm comm,
                 tutti_request* request) {
  return begin(comm, stated::bcast(buffer, count, type, root), request);
}

int tutti_iscatter(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                   MPI_Count recvcount, MPI_Datatype recvtype, int root, tutti_comm comm,
                   tutti_request* request) {
  return begin(comm,
               stated::scatter(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root),
               request);
}

int tutti_iscatterv(const void* sendbuf, const MPI_Count* sendcounts, const MPI_Count* displs,
                    MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount,
                    MPI_Datatype recvtype, int root, tutti_comm comm, tutti_request* request) {
  return begin(
      comm,
      stated::scatterv(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root),
      request);
}

int tutti_igather(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                  MPI_Count recvcount, MPI_Datatype recvtype, int root, tutti_comm comm,
                  tutti_request* request) {
  return begin(comm,
               stated::gather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root),
               request);
}

int tutti_igatherv(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                   const MPI_Count* recvcounts, const MPI_Count* displs, MPI_Datatype recvtype,
                   int root, tutti_comm comm, tutti_request* request) {
  return begin(
      comm,
      stated::gatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root),
      request);
}

int tutti_iallgather(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                     MPI_Count recvcount, MPI_Datatype recvtype, tutti_comm comm,
                     tutti_request* request) {
  return begin(comm, stated::allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype),
               request);
}

int tutti_iallgatherv(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                      void* recvbuf, const MPI_Count* recvcounts, const MPI_Count* displs,
                      MPI_Datatype recvtype, tutti_comm comm, tutti_request* request) {
  return begin(
      comm, stated::allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype),
      request);
}

int tutti_ialltoall(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                    MPI_Count recvcount, MPI_Datatype recvtype, tutti_comm comm,
                    tutti_request* request) {
  return begin(comm, stated::alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype),
               request);
}

int tutti_ialltoallv(const void* sendbuf, const MPI_Count* sendcounts, const MPI_Count* sdispls,
                     MPI_Datatype sendtype, void* recvbuf, const MPI_Count* recvcounts,
                     const MPI_Count* rdispls, MPI_Datatype recvtype, tutti_comm comm,
                     tutti_request* request) {
  return begin(comm,
               stated::alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts,
                                 rdispls, recvtype),
               request);
}

int tutti_ialltoallw(const void* sendbuf, const MPI_Count* sendcounts, const MPI_Count* sdispls,
                     const MPI_Datatype* sendtypes, void* recvbuf, const MPI_Count* recvcounts,
                     const MPI_Count* rdispls, const MPI_Datatype* recvtypes, tutti_comm comm,
                     tutti_request* request) {
  return begin(comm,
               stated::alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts,
                                 rdispls, recvtypes),
               request);
}

int tutti_ineighbor_allgather(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                              void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                              tutti_comm comm, tutti_request* request) {
  return begin(
      comm, stated::neighbor_allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype),
      request);
}

int tutti_ineighbor_allgatherv(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                               void* recvbuf, const MPI_Count* recvcounts, const MPI_Count* displs,
                               MPI_Datatype recvtype, tutti_comm comm, tutti_request* request) {
  return begin(comm,
               stated::neighbor_allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts,
                                           displs, recvtype),
               request);
}

int tutti_ineighbor_alltoall(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                             void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                             tutti_comm comm, tutti_request* request) {
  return begin(
      comm, stated::neighbor_alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype),
      request);
}

int tutti_ineighbor_alltoallv(const void* sendbuf, const MPI_Count* sendcounts,
                              const MPI_Count* sdispls, MPI_Datatype sendtype, void* recvbuf,
                              const MPI_Count* recvcounts, const MPI_Count* rdispls,
                              MPI_Datatype recvtype, tutti_comm comm, tutti_request* request) {
  return begin(comm,
               stated::neighbor_alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf,
                                          recvcounts, rdispls, recvtype),
               request);
}

int tutti_ineighbor_alltoallw(const void* sendbuf, const MPI_Count* sendcounts,
                              const MPI_Count* sdispls, const MPI_Datatype* sendtypes,
                              void* recvbuf, const MPI_Count* recvcounts, const MPI_Count* rdispls,
                              const MPI_Datatype* recvtypes, tutti_comm comm,
                              tutti_request* request) {
  return begin(comm,
               stated::neighbor_alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf,
                                          recvcounts, rdispls, recvtypes),
               request);
}

int tutti_ireduce(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype type, MPI_Op op,
                  int root, tutti_comm comm, tutti_request* request) {
  return begin(comm, stated::reduce(sendbuf, recvbuf, count, type, op, root), request);
}

int tutti_iallreduce(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype type,
                     MPI_Op op, tutti_comm comm, tutti_request* request) {
  return begin(comm, stated::allreduce(sendbuf, recvbuf, count, type, op), request);
}

int tutti_ireduce_scatter_block(const void* sendbuf, void* recvbuf, MPI_Count recvcount,
                                MPI_Datatype type, MPI_Op op, tutti_comm comm,
                                tutti_request* request) {
  return begin(comm, stated::reduce_scatter_block(sendbuf, recvbuf, recvcount, type, op), request);
}

int tutti_ireduce_scatter(const void* sendbuf, void* recvbuf, const MPI_Count* recvcounts,
                          MPI_Datatype type, MPI_Op op, tutti_comm comm, tutti_request* request) {
  return begin(comm, stated::reduce_scatter(sendbuf, recvbuf, recvcounts, type, op), request);
}

int tutti_iscan(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype type, MPI_Op op,
                tutti_comm comm, tutti_request* request) {
  return begin(comm, stated::scan(sendbuf, recvbuf, count, type, op), request);
}

int tutti_iexscan(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype type, MPI_Op op,
                  tutti_comm comm, tutti_request* request) {
  return begin(comm, stated::exscan(sendbuf, recvbuf, count, type, op), request);
}
