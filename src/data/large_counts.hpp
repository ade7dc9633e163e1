// MPI's functions for large counts, those with _c behind their names: MPI has them from 4.0 on.
#pragma once

#include <mpi.h>

namespace tutti {

inline constexpr bool kHasLargeCounts = MPI_VERSION >= 4;

}  // namespace tutti

#if MPI_VERSION < 4
// Not called.
extern "C" {
int PMPI_Type_get_envelope_c(MPI_Datatype, MPI_Count*, MPI_Count*, MPI_Count*, MPI_Count*, int*);
int PMPI_Type_get_contents_c(MPI_Datatype, MPI_Count, MPI_Count, MPI_Count, MPI_Count, int*,
                             MPI_Aint*, MPI_Count*, MPI_Datatype*);
int PMPI_Pack_c(const void*, MPI_Count, MPI_Datatype, void*, MPI_Count, MPI_Count*, MPI_Comm);
int PMPI_Unpack_c(const void*, MPI_Count, MPI_Count*, void*, MPI_Count, MPI_Datatype, MPI_Comm);
}
#endif
