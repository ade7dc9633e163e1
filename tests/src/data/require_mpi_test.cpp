// Which MPI runs, by what it says of itself.
#include "src/data/require_mpi.hpp"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <string>

using namespace tutti;

TEST_CASE("MPIs are known by what they say of themselves", "[mpi]") {
  for (const char* version :
       {"MPICH Version:\t4.0.2\nMPICH Release date:\tThu Apr  7 12:34:45 CDT 2022\n",
        "MVAPICH2 Version      :\t2.3.7\n", "Intel(R) MPI Library 2021.9 for Linux* OS\n",
        "MPI VERSION    : CRAY MPICH version 8.1.25.17 (ANL base 3.4a2)\n"})
    CHECK(mpi_named_in(version) == "MPICH");
  CHECK(mpi_named_in("Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4, May 26, 2022") ==
        "Open MPI");
  CHECK(mpi_named_in("HPE MPT 2.25  08/20/21 03:59:04").empty());
}

TEST_CASE("a job of one rank that a launcher of many has started has the wrong launcher", "[mpi]") {
  for (const char* name : {"OMPI_COMM_WORLD", "PMI"}) {
    const std::string size = std::string(name) + "_SIZE", rank = std::string(name) + "_RANK";
    setenv(size.c_str(), "4", 1);
    setenv(rank.c_str(), "0", 1);
    CHECK(say_who_started(1).find("started 4 processes (" + size) != std::string::npos);
    CHECK(say_who_started(4).empty());
    setenv(rank.c_str(), "1", 1);
    CHECK(say_who_started(1).empty());
    setenv(size.c_str(), "1", 1);
    setenv(rank.c_str(), "0", 1);
    CHECK(say_who_started(1).empty());
    unsetenv(size.c_str());
    unsetenv(rank.c_str());
  }
}

TEST_CASE("the MPI of this build is the one that runs", "[mpi]") {
  CHECK_NOTHROW(must_have_own_mpi());
  CHECK_NOTHROW(require_mpi());
}
