// The form read of a derived datatype, for as long as somebody uses it. All of it is used with the
// engine's lock held, but for what MPI calls when a type is freed.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <utility>

#include "base/typemap.hpp"

namespace tutti {

// The alignment that a C type of that size may need: at most 16, as long double and vectors.
constexpr Bytes alignment_of(Bytes size) noexcept {
  constexpr Bytes kMost = 16;
  const Bytes lowest_bit = size & -size;
  return lowest_bit == 0 ? 1 : std::min(lowest_bit, kMost);
}

struct TypeForm {
  Typemap map;
  bool known = false;                                      // the map says it all; else MPI packs
  Bytes size = 0, lower = 0, true_extent = 0, extent = 0;  // as in Layout
  Bytes alignment = 1;  // that what it consists of may need, as far as known
  // A duplicate of a type that is not known, as long as calls use it: the program may free its own
  // meanwhile. Not longer, as MPICH 4.0 leaks a little for duplicates that outlive their original.
  MPI_Datatype packed_by_mpi = MPI_DATATYPE_NULL;

  // Whether bytes of that many elements have one place; 0: it was not looked at.
  mutable Bytes looked_at = 0;
  mutable bool overlaps = false;

  // --- for those who keep it
  int users = 0;
  int idle = 0;             // the number of users when no call uses it
  std::uint32_t found = 0;  // uses since it is kept with the datatype
  std::uint32_t sighting = 0;
  TypeForm* next = nullptr;
};

// A use of a form. The last one gives its memory to the next form.
class TypeFormUse {
 public:
  TypeFormUse() noexcept = default;
  explicit TypeFormUse(TypeForm* form) noexcept : form_(form) {
    if (form_) ++form_->users;
  }
  TypeFormUse(const TypeFormUse& other) noexcept : TypeFormUse(other.form_) {}
  TypeFormUse(TypeFormUse&& other) noexcept : form_(std::exchange(other.form_, nullptr)) {}
  TypeFormUse& operator=(TypeFormUse other) noexcept {
    std::swap(form_, other.form_);
    return *this;
  }
  ~TypeFormUse() {
    if (form_ && --form_->users == form_->idle) [[unlikely]]
      end_last_use(form_);
  }
  // Null: it is a predefined type, of which all is known.
  const TypeForm* get() const noexcept { return form_; }
  const TypeForm* operator->() const noexcept { return form_; }
  TypeForm* operator->() noexcept { return form_; }
  explicit operator bool() const noexcept { return form_ != nullptr; }

  // A form that nobody uses. Throws std::bad_alloc.
  static TypeForm& fresh();
  // No call uses it any more. `form` must not be null.
  static void end_last_use(TypeForm* form) noexcept;

 private:
  TypeForm* form_ = nullptr;
};

}  // namespace tutti
