// The v-forms of the collectives that have blocks: counts and displacements for the bench.
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

namespace tutti::tools {

struct Job;

// equal: one count for all blocks, the first rank's first. reversed: the last rank's first.
// unequal: reversed, and counts are a half more or less in turn, where there are several elements.
enum class VForm { none, equal, reversed, unequal };
const std::vector<std::string>& v_forms();  // in the order of VForm, but for none
inline const std::string& name_of(VForm form) {
  return v_forms()[static_cast<std::size_t>(form) - 1];
}
bool has_v_form(const std::string& collective);

// The blocks of one buffer, in elements, as either library takes them.
struct VBlocks {
  std::vector<MPI_Count> counts, places;
  std::vector<int> small_counts, small_places;

  void add(MPI_Count count);
  // After the last block: lays them out.
  void place(bool reversed);
};

// The arguments of one rank's call.
class VArguments {
 public:
  VArguments(VForm form, const Job& job);
  int run_tutti(Job& job) const;  // a code of Tutti's
  void run_mpi(Job& job) const;

 private:
  VBlocks sends_, receives_;
  MPI_Count send_own_, receive_own_;  // a rank's one block
};

}  // namespace tutti::tools
