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
  if (!g_free) return *new TypeForm;  // NOLINT(cppcoreguidelines-owning-memory): see give_back
  TypeForm& form = *g_free;
  g_free = form.next;
  --g_free_count;
  form.next = nullptr;
  return form;
}

void TypeFormUse::give_back(TypeForm* form) noexcept {
  constexpr int kMost = 4;
  if (g_free_count == kMost) return delete form;
  form->next = g_free;
  g_free = form;
  ++g_free_count;
}

}  // namespace tutti
