// MPI's message for an error.
#pragma once

#include <mpi.h>

#include <fmt/format.h>
#include <string>

#include "base/error.hpp"

namespace tutti {

inline std::string text_of_mpi_error(int code) {
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  PMPI_Error_string(code, text, &length);
  return text;
}

// Throws Error{bad_datatype} unless the call of MPI was a success.
inline void check_mpi(int code, const char* call) {
  if (code != MPI_SUCCESS) [[unlikely]]
    throw Error(Code::bad_datatype,
                fmt::format("{} rejects the datatype: {}", call, text_of_mpi_error(code)));
}

}  // namespace tutti
