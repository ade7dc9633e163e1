// Forms that nobody uses any more wait for the next type, with the memory of their loops.
#include "src/data/type_form.hpp"

#include <memory>

namespace tutti {
namespace {

// Linked. Not destroyed at the end of the program: types may be freed later.
constinit TypeForm* g_free = nullptr;
constinit int g_free_count = 0;

}  // namespace

TypeForm& TypeFormUse::fresh() {
  if (!g_free) return *new TypeForm;  // NOLINT(cppcoreguidelines-owning-memory): see end_last_use
  TypeForm& form = *g_free;
  g_free = form.next;
  --g_free_count;
  form.next = nullptr;
  return form;
}

void TypeFormUse::end_last_use(TypeForm* form) noexcept {
  if (form->packed_by_mpi != MPI_DATATYPE_NULL) {
    int finalized = 0;
    PMPI_Finalized(&finalized);
    if (!finalized) PMPI_Type_free(&form->packed_by_mpi);
    form->packed_by_mpi = MPI_DATATYPE_NULL;
  }
  if (form->users != 0) return;  // it is kept with the type
  constexpr int kMost = 4;
  if (g_free_count == kMost) return delete form;
  form->idle = 0;
  form->looked_at = 0;
  form->next = g_free;
  g_free = form;
  ++g_free_count;
}

}  // namespace tutti
