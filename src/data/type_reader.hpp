// Reads the typemap of an MPI datatype. Makes only local MPI calls.
#pragma once

#include <mpi.h>

#include "src/data/common_types.hpp"
#include "src/data/type_form.hpp"

namespace tutti {

// Reads the typemap and the alignment into `form`, which has the size and the extent. Not known is
// what takes more loops than a typemap may have (very many irregular pieces), what is nested very
// deeply, and what consists of types that are not known. Throws Error{bad_datatype},
// std::bad_alloc.
void read_typemap(MPI_Datatype type, const CommonTypes& common, TypeForm& form);

}  // namespace tutti
