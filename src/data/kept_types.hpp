// Forms of datatypes that are used again, kept with the datatype as an attribute: a handle that was
// freed and given to another type is never mistaken. Used with the engine's lock held.
#pragma once

#include <mpi.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>

#include "src/data/type_form.hpp"

namespace tutti {

class KeptTypes {
 public:
  KeptTypes();
  ~KeptTypes();
  KeptTypes(const KeptTypes&) = delete;
  KeptTypes& operator=(const KeptTypes&) = delete;

  // Null: none is kept with that type. It must be valid.
  TypeForm* find(MPI_Datatype type) noexcept;
  // A form that was found lately, as long as no type with a kept form has been freed since: then
  // the type is as it was, and the MPI need not be asked. Null: ask it.
  TypeForm* find_recent(MPI_Datatype type) noexcept {
    const Recent& recent = recent_[place_of(type, kRecent)];
    if (recent.type != type || recent.frees != frees()) return nullptr;
    ++recent.form->found;
    return recent.form;
  }
  // While this number stays, no type with a kept form is freed.
  static std::uint64_t frees() noexcept { return frees_.load(std::memory_order_acquire); }
  // Hears of each type that had to be read, and keeps the form of one that comes again. Programs
  // that make a type for every call get the same handle each time: so a handle whose kept form was
  // never used must come twice as often before the next form is kept, at most 64 times.
  void was_read(MPI_Datatype type, TypeForm& form) noexcept;

  std::uint64_t read() const noexcept { return read_; }
  std::uint64_t kept() const noexcept { return kept_; }

 private:
  struct Sighting {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    std::uint32_t times = 0, needed = 2;
  };
  struct Recent {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    TypeForm* form = nullptr;
    std::uint64_t frees = 0;
  };
  static constexpr std::size_t kRecent = 16;
  static std::size_t place_of(MPI_Datatype type, std::size_t places) noexcept {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &type, sizeof type);
    return static_cast<std::size_t>((bits * 0x9e3779b97f4a7c15ull) >> 32) % places;
  }
  // Types that share places do not drive each other out, unless there are more than so many.
  static constexpr std::size_t kWays = 4;
  std::size_t sighting_of(MPI_Datatype type) noexcept;
  static int forget(MPI_Datatype type, int key, void* form, void* nothing) noexcept;
  void take_in_freed() noexcept;

  // Types with kept forms that were freed. They are freed by any thread, without the engine's lock.
  static inline std::atomic<std::uint64_t> frees_{1};

  int key_ = MPI_KEYVAL_INVALID;
  std::array<Recent, kRecent> recent_{};
  std::array<Sighting, 64> sightings_{};
  std::size_t turn_ = 0;  // of the places that a type may have
  std::uint64_t read_ = 0, kept_ = 0;
};

}  // namespace tutti
