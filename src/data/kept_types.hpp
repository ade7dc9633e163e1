// Forms of datatypes that are used again, kept with the datatype as an attribute: a handle that was
// freed and given to another type is never mistaken. Used with the engine's lock held.
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>

#include "src/data/type_form.hpp"

namespace tutti {

class KeptTypes {
 public:
  KeptTypes();
  ~KeptTypes();
  KeptTypes(const KeptTypes&) = delete;
  KeptTypes& operator=(const KeptTypes&) = delete;

  // Null: none is kept with that type.
  TypeForm* find(MPI_Datatype type) noexcept;
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
  // Types that share places do not drive each other out, unless there are more than so many.
  static constexpr std::size_t kWays = 4;
  std::size_t sighting_of(MPI_Datatype type) noexcept;
  static int forget(MPI_Datatype type, int key, void* form, void* nothing) noexcept;
  void take_in_freed() noexcept;

  int key_ = MPI_KEYVAL_INVALID;
  std::array<Sighting, 64> sightings_{};
  std::size_t turn_ = 0;  // of the places that a type may have
  std::uint64_t read_ = 0, kept_ = 0;
};

}  // namespace tutti
