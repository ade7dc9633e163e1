// The tests of this folder are an MPI job of one rank, for which no launcher is needed.
#include <mpi.h>

#include <catch2/catch.hpp>

namespace {

struct OneRank final : Catch::TestEventListenerBase {
  using TestEventListenerBase::TestEventListenerBase;
  void testRunStarting(const Catch::TestRunInfo&) override { MPI_Init(nullptr, nullptr); }
  void testRunEnded(const Catch::TestRunStats&) override { MPI_Finalize(); }
};

}  // namespace

CATCH_REGISTER_LISTENER(OneRank)
