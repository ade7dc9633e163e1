// Copies of datatypes, and which types need none.
#include "src/api/own_type.hpp"

#include "src/data/constructor.hpp"
#include "src/data/mpi_error.hpp"

namespace tutti {

OwnType::OwnType(const Layout& layout, MPI_Datatype type) : type_(type) {
  if (layout.predefined || is_predefined(combiner_of(type))) return;
  check_mpi(PMPI_Type_dup(type, &type_), "MPI_Type_dup");
  mine_ = true;
}

OwnType::~OwnType() {
  int finalized = 0;
  if (mine_) PMPI_Finalized(&finalized);
  if (mine_ && !finalized) PMPI_Type_free(&type_);
}

}  // namespace tutti
