// Type signatures: the predefined types of which data consist, one after another, whatever
// constructors made the datatype. MPI lets two ranks exchange data whose signatures are equal.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "src/data/common_types.hpp"

namespace tutti {

// A sequence of predefined types, as a number that is the same on all ranks: a polynomial modulo a
// prime, so that what is repeated or joined need not be walked through. Different sequences have
// different numbers, but for one chance in 2^50 or so.
class Signature {
 public:
  Signature() = default;  // of nothing
  // Signature of one element; `type`: a number for a predefined type.
  static Signature of_one(std::uint64_t type) noexcept;
  // Signature of data known by their size only, or which match any others: MPI_PACKED.
  static Signature unknown() noexcept;

  Signature then(const Signature& next) const noexcept;
  Signature times(std::uint64_t count) const noexcept;

  bool is_known() const noexcept { return known_; }
  std::uint64_t value() const noexcept { return hash_; }
  friend bool operator==(const Signature&, const Signature&) = default;

 private:
  std::uint64_t hash_ = 0;
  std::uint64_t power_ = 1;  // of the base, to the number of elements
  bool known_ = true;
};

// Signature of one element of a valid type. Unknown for types that read_typemap() does not read,
// too. Makes only local MPI calls. Throws Error{bad_datatype}, std::bad_alloc.
Signature read_signature(MPI_Datatype type, const CommonTypes& common);

}  // namespace tutti
