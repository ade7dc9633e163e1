// The collectives of the C API that prepare a call, which tutti_start begins.
#include "src/api/requests.hpp"
#include "src/api/stated.hpp"

using namespace tutti;

int tutti_barrier_init(tutti_comm comm, tutti_request* request) {
  return keep(comm, stated::barrier(), request);
}

int tutti_bcast_init(void* buffer, MPI_Count count, MPI_Datatype type, int root, tutti_comm comm,
                     tutti_request* request) {
  return keep(comm, stated::bcast(buffer, count, type, root), request);
}

int tutti_scatter_init(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                       void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root,
                       tutti_comm comm, tutti_request* request) {
  return keep(comm,
              stated::scatter(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root),
              request);
}

int tutti_scatterv_init(const void* sendbuf, const MPI_Count* sendcounts, const MPI_Count* displs,
                        MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount,
                        MPI_Datatype recvtype, int root, tutti_comm comm, tutti_request* request) {
  return keep(
      comm,
      stated::scatterv(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root),
      request);
}

int tutti_gather_init(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                      void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root,
                      tutti_comm comm, tutti_request* request) {
  return keep(comm,
              stated::gather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root),
              request);
}

int tutti_gatherv_init(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                       void* recvbuf, const MPI_Count* recvcounts, const MPI_Count* displs,
                       MPI_Datatype recvtype, int root, tutti_comm comm, tutti_request* request) {
  return keep(
      comm,
      stated::gatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root),
      request);
}

int tutti_allgather_init(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                         void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, tutti_comm comm,
                         tutti_request* request) {
  return keep(comm, stated::allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype),
              request);
}

int tutti_allgatherv_init(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                          void* recvbuf, const MPI_Count* recvcounts, const MPI_Count* displs,
                          MPI_Datatype recvtype, tutti_comm comm, tutti_request* request) {
  return keep(
      comm, stated::allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype),
      request);
}

int tutti_alltoall_init(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                        void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, tutti_comm comm,
                        tutti_request* request) {
  return keep(comm, stated::alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype),
              request);
}

int tutti_alltoallv_init(const void* sendbuf, const MPI_Count* sendcounts, const MPI_Count* sdispls,
                         MPI_Datatype sendtype, void* recvbuf, const MPI_Count* recvcounts,
                         const MPI_Count* rdispls, MPI_Datatype recvtype, tutti_comm comm,
                         tutti_request* request) {
  return keep(comm,
              stated::alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts,
                                rdispls, recvtype),
              request);
}

int tutti_alltoallw_init(const void* sendbuf, const MPI_Count* sendcounts, const MPI_Count* sdispls,
                         const MPI_Datatype* sendtypes, void* recvbuf, const MPI_Count* recvcounts,
                         const MPI_Count* rdispls, const MPI_Datatype* recvtypes, tutti_comm comm,
                         tutti_request* request) {
  return keep(comm,
              stated::alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts,
                                rdispls, recvtypes),
              request);
}

int tutti_neighbor_allgather_init(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                  void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                                  tutti_comm comm, tutti_request* request) {
  return keep(
      comm, stated::neighbor_allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype),
      request);
}

int tutti_neighbor_allgatherv_init(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                   void* recvbuf, const MPI_Count* recvcounts,
                                   const MPI_Count* displs, MPI_Datatype recvtype, tutti_comm comm,
                                   tutti_request* request) {
  return keep(comm,
              stated::neighbor_allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs,
                                          recvtype),
              request);
}

int tutti_neighbor_alltoall_init(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                 void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                                 tutti_comm comm, tutti_request* request) {
  return keep(comm,
              stated::neighbor_alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype),
              request);
}

int tutti_neighbor_alltoallv_init(const void* sendbuf, const MPI_Count* sendcounts,
                                  const MPI_Count* sdispls, MPI_Datatype sendtype, void* recvbuf,
                                  const MPI_Count* recvcounts, const MPI_Count* rdispls,
                                  MPI_Datatype recvtype, tutti_comm comm, tutti_request* request) {
  return keep(comm,
              stated::neighbor_alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf,
                                         recvcounts, rdispls, recvtype),
              request);
}

int tutti_neighbor_alltoallw_init(const void* sendbuf, const MPI_Count* sendcounts,
                                  const MPI_Count* sdispls, const MPI_Datatype* sendtypes,
                                  void* recvbuf, const MPI_Count* recvcounts,
                                  const MPI_Count* rdispls, const MPI_Datatype* recvtypes,
                                  tutti_comm comm, tutti_request* request) {
  return keep(comm,
              stated::neighbor_alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf,
                                         recvcounts, rdispls, recvtypes),
              request);
}

int tutti_reduce_init(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype type,
                      MPI_Op op, int root, tutti_comm comm, tutti_request* request) {
  return keep(comm, stated::reduce(sendbuf, recvbuf, count, type, op, root), request);
}

int tutti_allreduce_init(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype type,
                         MPI_Op op, tutti_comm comm, tutti_request* request) {
  return keep(comm, stated::allreduce(sendbuf, recvbuf, count, type, op), request);
}

int tutti_reduce_scatter_block_init(const void* sendbuf, void* recvbuf, MPI_Count recvcount,
                                    MPI_Datatype type, MPI_Op op, tutti_comm comm,
                                    tutti_request* request) {
  return keep(comm, stated::reduce_scatter_block(sendbuf, recvbuf, recvcount, type, op), request);
}

int tutti_reduce_scatter_init(const void* sendbuf, void* recvbuf, const MPI_Count* recvcounts,
                              MPI_Datatype type, MPI_Op op, tutti_comm comm,
                              tutti_request* request) {
  return keep(comm, stated::reduce_scatter(sendbuf, recvbuf, recvcounts, type, op), request);
}

int tutti_scan_init(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype type,
                    MPI_Op op, tutti_comm comm, tutti_request* request) {
  return keep(comm, stated::scan(sendbuf, recvbuf, count, type, op), request);
}

int tutti_exscan_init(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype type,
                      MPI_Op op, tutti_comm comm, tutti_request* request) {
  return keep(comm, stated::exscan(sendbuf, recvbuf, count, type, op), request);
}
