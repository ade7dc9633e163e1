// Random collectives by a seed: blocking, non-blocking and persistent ones, many under way at a
// time, on communicators that come and go, with derived datatypes and operations of the program.
// Each result is the MPI's, byte for byte.
//
//   mixed_test CALLS SEED
//
// A seed decides what is called, alike on all ranks. Each rank decides alone when it waits, and for
// what. The MPI's results are computed some calls ahead, so that ranks may be far apart in Tutti.
// No rank waits in the MPI while another may wait for Tutti's progress on this rank: see meet().
#include "mixed/program.hpp"

int main(int argc, char** argv) {
  job_begin(&argc, &argv);
  CHECK(argc == 3, "usage: mixed_test CALLS SEED");
  MUST(tutti_init(nullptr));
  mixed::Program(std::atoi(argv[1]), static_cast<unsigned>(std::strtoul(argv[2], nullptr, 10)))
      .run();
  job_end("mixed");
}
