// Keeps forms of datatypes as attributes, and drops them when MPI frees the type.
#include "src/data/kept_types.hpp"

#include <algorithm>
#include <atomic>

namespace tutti {
namespace {

// Forms of freed types. A type may be freed by any thread, without the engine's lock, and after
// tutti_finalize.
constinit std::atomic<TypeForm*> g_freed{nullptr};

}  // namespace

KeptTypes::KeptTypes() { PMPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, forget, &key_, nullptr); }

KeptTypes::~KeptTypes() {
  take_in_freed();
  int finalized = 0;
  PMPI_Finalized(&finalized);
  if (!finalized) PMPI_Type_free_keyval(&key_);
}

int KeptTypes::forget(MPI_Datatype, int, void* value, void*) noexcept {
  frees_.fetch_add(1, std::memory_order_release);
  auto* const form = static_cast<TypeForm*>(value);
  form->next = g_freed.load(std::memory_order_relaxed);
  while (!g_freed.compare_exchange_weak(form->next, form, std::memory_order_release,
                                        std::memory_order_relaxed)) {
  }
  return MPI_SUCCESS;
}

void KeptTypes::take_in_freed() noexcept {
  TypeForm* form = g_freed.exchange(nullptr, std::memory_order_acquire);
  while (form) {
    TypeForm* const next = form->next;
    Sighting& sighting = sightings_[form->sighting];
    constexpr std::uint32_t kMost = 64;  // then it costs nothing that shows
    sighting.needed = form->found > 0 ? 2 : std::min(2 * sighting.needed, kMost);
    sighting.times = 0;
    const TypeFormUse last(form);  // and the attribute's
    --form->users;
    form->idle = 0;
    form = next;
  }
}

TypeForm* KeptTypes::find(MPI_Datatype type) noexcept {
  if (g_freed.load(std::memory_order_relaxed)) [[unlikely]]
    take_in_freed();
  const std::uint64_t frees = frees_.load(std::memory_order_acquire);
  void* value = nullptr;
  int found = 0;
  if (PMPI_Type_get_attr(type, key_, &value, &found) != MPI_SUCCESS || !found) return nullptr;
  auto* const form = static_cast<TypeForm*>(value);
  recent_[place_of(type, kRecent)] = {type, form, frees};
  ++form->found;
  return form;
}

// The number of its sighting, which is new if the type was not seen lately.
std::size_t KeptTypes::sighting_of(MPI_Datatype type) noexcept {
  const std::size_t first = kWays * place_of(type, sightings_.size() / kWays);
  for (std::size_t place = first; place < first + kWays; ++place)
    if (sightings_[place].type == type) return place;
  const std::size_t place = first + turn_++ % kWays;
  sightings_[place] = {type};
  return place;
}

void KeptTypes::was_read(MPI_Datatype type, TypeForm& form) noexcept {
  ++read_;
  const std::size_t place = sighting_of(type);
  Sighting& sighting = sightings_[place];
  if (++sighting.times < sighting.needed) return;
  form.found = 0;
  form.sighting = static_cast<std::uint32_t>(place);
  if (PMPI_Type_set_attr(type, key_, &form) != MPI_SUCCESS) return;
  ++form.users;
  if (!form.known) form.idle = 1;
  ++kept_;
  sighting.times = 0;
}

}  // namespace tutti
