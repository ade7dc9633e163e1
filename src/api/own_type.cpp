// How types are held, and which need not be.
#include "src/api/own_type.hpp"

#include "src/data/constructor.hpp"
#include "src/data/mpi_error.hpp"
#include "src/data/require_mpi.hpp"

namespace tutti {

// MPICH and Open MPI keep a type as long as one that was made of it. Others may keep a copy of it.
OwnType::OwnType(const Layout& layout, MPI_Datatype type) : type_(type) {
  if (layout.predefined || is_predefined(combiner_of(type))) return;
  if constexpr (kOwnMpi.empty()) {
    check_mpi(PMPI_Type_dup(type, &holder_), "MPI_Type_dup");
    type_ = holder_;
  } else {
    check_mpi(PMPI_Type_contiguous(1, type, &holder_), "MPI_Type_contiguous");
  }
}

OwnType::~OwnType() {
  if (holder_ == MPI_DATATYPE_NULL) return;
  int finalized = 0;
  PMPI_Finalized(&finalized);
  if (!finalized) PMPI_Type_free(&holder_);
}

}  // namespace tutti
