// One collective of one size, called through Tutti and through the surrounding MPI.
#pragma once

#include <mpi.h>

#include <optional>
#include <string>
#include <vector>

#include "collectives/schedule/problem.hpp"
#include "tools/bench/forms.hpp"
#include "tools/bench/layouts.hpp"
#include "tools/bench/v_forms.hpp"
#include "tutti/tutti.h"

namespace tutti::tools {

// Ready to be called again and again. `bytes` are of one block where there are blocks, else of the
// message, without gaps. Reductions add ints; bytes behind the last int are left.
struct Job {
  std::string collective;
  collectives::Collective which;  // its number: the timed call decides by it
  std::int64_t bytes;
  int rank, P, root;
  MPI_Comm mpi;
  tutti_comm comm;       // of the same ranks
  BlockLayout from, to;  // of a block in `send` and `receive`, not of reductions
  std::vector<unsigned char> send, receive;  // bcast uses `receive` alone
  std::optional<VArguments> v;               // of a v-form
  FormedCall call;
  FormedMpiCall mpi_call;

  // First touch is slow in some places, and is not what is measured: vectors touch.
  Job(std::string name, std::int64_t size, int root_rank, MPI_Comm ranks, tutti_comm c,
      const TypeWish& wish = {}, VForm v_form = VForm::none, CallForm form = CallForm::blocking);

  void run_tutti();
  void run_mpi();
};

// Against the surrounding MPI's result, twice with other data each time, so that bytes left from
// before cannot pass. Throws Error.
void check(Job& job);

}  // namespace tutti::tools
