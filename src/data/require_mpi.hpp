// Whether MPI runs, and which. Calls of MPI after MPI_Finalize end the program, and handles of one
// MPI are wild pointers to another.
#pragma once

#include <dlfcn.h>
#include <fmt/format.h>
#include <mpi.h>

#include <array>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"

namespace tutti {

// The MPI of mpi.h. MPIs with the same binary interface go by one name; one that is not known here
// has none, and may stand above any other.
#if defined(OPEN_MPI)
inline constexpr std::string_view kOwnMpi = "Open MPI", kOtherOption = "mpich";
#elif defined(MPICH_VERSION) || defined(MVAPICH2_VERSION) || defined(I_MPI_VERSION)
inline constexpr std::string_view kOwnMpi = "MPICH", kOtherOption = "openmpi";
#else
inline constexpr std::string_view kOwnMpi, kOtherOption;
#endif

// By what MPI_Get_library_version says. Empty: one that is not known here, which may fit.
constexpr std::string_view mpi_named_in(std::string_view version) {
  for (const std::string_view name : {"Open MPI", "Spectrum MPI"})
    if (version.find(name) != version.npos) return "Open MPI";
  for (const std::string_view name : {"MPICH", "MVAPICH", "Intel(R) MPI"})
    if (version.find(name) != version.npos) return "MPICH";
  return {};
}

// The file that this function was loaded from: libtutti, or a program with it inside.
inline std::string path_of_tutti() {
  Dl_info info{};
  return dladdr(reinterpret_cast<const void*>(&path_of_tutti), &info) && info.dli_fname
             ? info.dli_fname
             : "its path is unknown";
}

// Throws Error{unsupported}. Passes no handle, and may be called before MPI_Init.
inline void must_have_own_mpi() {
  // Longer than the MPI_MAX_LIBRARY_VERSION_STRING of any MPI: this may not be the one of mpi.h.
  std::array<char, 1 << 14> version{};
  int length = 0;
  PMPI_Get_library_version(version.data(), &length);
  const std::string_view name = mpi_named_in(version.data());
  if (!kOwnMpi.empty() && !name.empty() && name != kOwnMpi)
    throw Error(Code::unsupported,
                fmt::format("this process runs {}, and this Tutti was built for {}: {}; link the "
                            "program to {}, or to a Tutti built with `meson setup -Dmpi={}`, and "
                            "see which one LD_LIBRARY_PATH puts first",
                            name, kOwnMpi, path_of_tutti(), kOwnMpi, kOtherOption));
}

// Throws Error{mpi_not_initialized}.
inline void require_mpi() {
  int initialized = 0, finalized = 0;
  PMPI_Initialized(&initialized);
  PMPI_Finalized(&finalized);
  if (!initialized || finalized)
    throw Error(Code::mpi_not_initialized,
                fmt::format("MPI is not running; call MPI_Init{}{} before tutti_init, and "
                            "tutti_finalize before MPI_Finalize",
                            kOwnMpi.empty() ? "" : " of ", kOwnMpi));
}

// A message to a program that another MPI's launcher has started: each of its processes is a job
// of one rank. Empty: there is nothing to say, or not by this one of the processes.
inline std::string say_who_started(int ranks) {
  for (const auto& [size, rank] : {std::pair{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
                                   std::pair{"PMI_SIZE", "PMI_RANK"}}) {
    const char* const processes = std::getenv(size);
    const char* const number = std::getenv(rank);
    if (kOwnMpi.empty() || ranks > 1 || !processes || !number || std::string_view(number) != "0")
      continue;
    if (parse_number(processes).value_or(0) > 1)
      return fmt::format(
          "MPI_COMM_WORLD has 1 rank, and the launcher has started {} processes "
          "({}): it is not the mpiexec of {}, for which this program is",
          processes, size, kOwnMpi);
  }
  return {};
}

}  // namespace tutti
