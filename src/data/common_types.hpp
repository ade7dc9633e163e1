// The predefined datatypes that programs use most. Their sizes are looked up once, so that such a
// type costs no call of MPI.
#pragma once

#include <mpi.h>

#include <iterator>

#include "base/types.hpp"

namespace tutti {

class CommonTypes {
 public:
  CommonTypes() {
    const MPI_Datatype common[] = {
        MPI_BYTE,          MPI_CHAR,      MPI_INT,           MPI_DOUBLE,
        MPI_FLOAT,         MPI_LONG,      MPI_UNSIGNED,      MPI_UNSIGNED_LONG,
        MPI_INT64_T,       MPI_UINT64_T,  MPI_UNSIGNED_CHAR, MPI_INT32_T,
        MPI_SHORT,         MPI_LONG_LONG, MPI_INTEGER,       MPI_DOUBLE_PRECISION,
        MPI_REAL,          MPI_COMPLEX,   MPI_C_COMPLEX,     MPI_C_DOUBLE_COMPLEX,
        MPI_DOUBLE_COMPLEX};
    static_assert(std::size(common) == std::size(decltype(known_){}));
    for (std::size_t i = 0; i < std::size(common); ++i) {
      int size = 0;
      if (common[i] == MPI_DATATYPE_NULL) continue;  // an MPI without Fortran
      PMPI_Type_size(common[i], &size);
      known_[i] = {common[i], size};
    }
  }
  // Bytes of a common type, which has no gaps. 0: the type is not a common one.
  Bytes size_of(MPI_Datatype type) const noexcept {
    for (const Known& known : known_)
      if (known.type == type) return known.size;
    return 0;
  }

 private:
  struct Known {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    Bytes size = 0;
  };
  Known known_[21];
};

}  // namespace tutti
