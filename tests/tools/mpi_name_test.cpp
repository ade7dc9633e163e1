// One name for an MPI, whatever it says of itself.
#include "tools/mpi_name.hpp"

#include <catch2/catch.hpp>

using tutti::tools::mpi_name_in;

TEST_CASE("an MPI goes by its name and its version", "[mpi_name]") {
  CHECK(mpi_name_in("MPICH Version:\t4.0.2\nMPICH Release date:\tThu Apr  7\n") == "MPICH 4.0.2");
  CHECK(mpi_name_in("MPICH Version:      4.2.0rc1\n") == "MPICH 4.2.0rc1");
  CHECK(mpi_name_in("Open MPI v4.1.4, package: Debian Open MPI, ident: 4.1.4, repo rev: v4.1.4") ==
        "Open MPI 4.1.4");
  CHECK(mpi_name_in("MVAPICH2 Version      :\t2.3.7\n") == "MVAPICH2 2.3.7");
  CHECK(mpi_name_in("Intel(R) MPI Library 2021.9 for Linux* OS\n") == "Intel MPI 2021.9");
}

TEST_CASE("an MPI without a version goes by its first line", "[mpi_name]") {
  CHECK(mpi_name_in("Some MPI of tomorrow\nbuilt today") == "Some MPI of tomorrow");
  CHECK(mpi_name_in("vendor MPI") == "vendor MPI");
  CHECK(mpi_name_in("").empty());
}
