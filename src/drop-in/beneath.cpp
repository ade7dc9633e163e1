// The MPI beneath: whatever Tutti calls by its PMPI_ name here goes to the MPI's own function. The
// entries define the same names for the program, and Tutti's calls must not come back to it. So
// these definitions are hidden, and found first by what is linked together with them.
#include "src/drop-in/beneath.hpp"

#include <dlfcn.h>

#include <string_view>

// The MPI's functions that Tutti calls besides the collectives.
#define TUTTI_OTHERS(X)                                                              \
  X(Cart_get)                                                                        \
  X(Cart_shift)                                                                      \
  X(Cartdim_get)                                                                     \
  X(Comm_call_errhandler)                                                            \
  X(Comm_get_attr)                                                                   \
  X(Comm_get_errhandler)                                                             \
  X(Comm_get_name)                                                                   \
  X(Comm_group)                                                                      \
  X(Comm_rank)                                                                       \
  X(Comm_set_attr)                                                                   \
  X(Comm_set_errhandler)                                                             \
  X(Comm_size)                                                                       \
  X(Comm_test_inter)                                                                 \
  X(Dist_graph_neighbors)                                                            \
  X(Dist_graph_neighbors_count)                                                      \
  X(Errhandler_free)                                                                 \
  X(Error_string)                                                                    \
  X(Finalized)                                                                       \
  X(Get_library_version)                                                             \
  X(Grequest_complete)                                                               \
  X(Grequest_start)                                                                  \
  X(Graph_neighbors)                                                                 \
  X(Graph_neighbors_count)                                                           \
  X(Group_free)                                                                      \
  X(Group_translate_ranks)                                                           \
  X(Initialized)                                                                     \
  X(Irsend)                                                                          \
  X(Isend)                                                                           \
  X(Issend)                                                                          \
  X(Is_thread_main)                                                                  \
  X(Op_commutative)                                                                  \
  X(Pack)                                                                            \
  X(Query_thread)                                                                    \
  X(Recv_init)                                                                       \
  X(Reduce_local)                                                                    \
  X(Status_set_cancelled)                                                            \
  X(Status_set_elements)                                                             \
  X(Topo_test)                                                                       \
  X(Type_commit)                                                                     \
  X(Type_contiguous)                                                                 \
  X(Type_create_hindexed)                                                            \
  X(Type_create_keyval)                                                              \
  X(Type_create_resized)                                                             \
  X(Type_dup)                                                                        \
  X(Type_free)                                                                       \
  X(Type_free_keyval)                                                                \
  X(Type_get_attr)                                                                   \
  X(Type_get_contents)                                                               \
  X(Type_get_envelope)                                                               \
  X(Type_get_extent_x)                                                               \
  X(Type_get_name)                                                                   \
  X(Type_get_true_extent_x)                                                          \
  X(Type_set_attr)                                                                   \
  X(Type_size)                                                                       \
  X(Type_size_x)                                                                     \
  X(Unpack)                                                                          \
  TUTTI_IF_MPI_4(X(Irsend_c) X(Isend_c) X(Issend_c) X(Pack_c) X(Type_get_contents_c) \
                     X(Type_get_envelope_c) X(Unpack_c))

extern "C" {
#define JUMP_OF(name, symbol)                                                      \
  __asm__(".data\n.balign 8\n.globl tutti_own_" #name "\n.hidden tutti_own_" #name \
          "\n"                                                                     \
          "tutti_own_" #name                                                       \
          ": .quad 0\n"                                                            \
          ".text\n.balign 16\n.globl " symbol "\n.hidden " symbol                  \
          "\n"                                                                     \
          ".type " symbol ", @function\n" symbol                                   \
          ":\n  endbr64\n"                                                         \
          "  jmp *tutti_own_" #name "(%rip)\n.size " symbol ", . - " symbol "\n"); \
  extern tutti_function tutti_own_##name __attribute__((visibility("hidden")));
#define JUMP(name) JUMP_OF(name, TUTTI_TEXT(PMPI_##name))
TUTTI_REPLACED(JUMP)
TUTTI_PLAIN(JUMP)
TUTTI_OTHERS(JUMP)
#undef JUMP
#undef JUMP_OF
}

namespace tutti::drop_in {

namespace {
const tutti_drop_in_entries* g_beneath = nullptr;
}

// MPICH has its functions for Fortran in a library of their own. A program that is loaded at a
// fixed address has entries of its own for functions of libraries, and takes their addresses.
bool is_of_mpi(const void* function) noexcept {
  Dl_info here, mpi;
  if (dladdr(function, &here) == 0) return false;
  if (here.dli_sname && here.dli_saddr == function) {
    const auto found = reinterpret_cast<const void*>(g_beneath->find(here.dli_sname));
    if (found && dladdr(found, &here) == 0) return false;
  }
  for (const char* const name : {"PMPI_Init", "pmpi_init_"}) {
    const auto init = reinterpret_cast<const void*>(g_beneath->find(name));
    if (init && dladdr(init, &mpi) != 0 && here.dli_fbase == mpi.dli_fbase) return true;
  }
  return false;
}

MPI_Comm world() noexcept { return g_beneath->world; }
MPI_Comm self() noexcept { return g_beneath->self; }

const char* find_beneath(const tutti_drop_in_entries& entries) noexcept {
  g_beneath = &entries;
  struct Row {
    const char* name;
    tutti_function* own;
  };
#define ROW(name) {TUTTI_TEXT(PMPI_##name), &tutti_own_##name},
  const Row needed[] = {TUTTI_REPLACED(ROW) TUTTI_OTHERS(ROW)};
  const Row called_by_programs[] = {TUTTI_PLAIN(ROW)};
#undef ROW
  const char* missing = nullptr;
  for (const auto& [name, own] : needed) {
    *own = entries.find(name);
    if (!*own && !std::string_view(name).starts_with("PMPIX_")) missing = name;
  }
  for (const auto& [name, own] : called_by_programs) *own = entries.find(name);
  return missing;
}

}  // namespace tutti::drop_in
