// Asks the MPI for its name and version.
#include "tools/mpi_name.hpp"

#include <mpi.h>

#include <array>

namespace tutti::tools {

std::string mpi_name() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING + 1> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  return mpi_name_in(text.data());
}

}  // namespace tutti::tools
