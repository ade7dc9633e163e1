// MPI datatypes as Tutti sees them: a number of bytes, contiguous or to be packed. Makes only local
// MPI calls.
#pragma once

#include <mpi.h>

#include <string>

#include "base/packing.hpp"
#include "base/scratch.hpp"
#include "base/types.hpp"
#include "src/data/common_types.hpp"
#include "src/data/kept_types.hpp"
#include "src/data/signature.hpp"
#include "src/data/type_form.hpp"

namespace tutti {

// The layout of one element of a type.
struct Layout {
  Bytes size = 0;  // bytes of data in one element
  bool contiguous =
      false;  // elements follow each other without gaps, data in typemap order: no packing needed
  bool predefined = false;  // and contiguous: the handle always means this type
  Bytes lower = 0;          // true lower bound: where the data begin, from the buffer's address
  Bytes true_extent = 0;    // from there to where the data end
  Bytes extent = 0;         // from one element to the next
  TypeFormUse form{};       // the form read of it; null: it is predefined

  // The data of `count` elements are one run of bytes, in the order in which they travel.
  bool is_run(MPI_Count count) const noexcept {
    return contiguous ||
           (form && form->known && form->map.is_run() && (count == 1 || extent == size));
  }
  // It needs no call of MPI.
  bool is_known() const noexcept { return contiguous || (form && form->known); }
  // Bytes of `count` elements have one place, as far as so many runs are looked at as
  // base/overlap.hpp says. Kept with the form. Throws std::bad_alloc.
  bool overlaps_itself(MPI_Count count) const;
  TypedBytes bytes_of(const void* typed, MPI_Count count) const noexcept {
    return {form->map, static_cast<std::byte*>(const_cast<void*>(typed)), count, extent};
  }
};

// Which argument of a call a type is, for messages.
struct TypeArgument {
  const char* buffer = nullptr;  // the name of the buffer whose type it is; null: there is one type
  int block = -1;                // the number of the block, where each has a type of its own

  // Such as "`recvtype`".
  std::string words() const;
};

// Within its page a copy begins where malloc lets large blocks begin: copies by the
// processor's string instruction, as the kernel makes them, are slow to a place that is a few bytes
// further on in its page than the source (base/copy.hpp).
inline constexpr ScratchUse kPackedCopy{16, "of copied data"};

// Reads types, and packs those that have gaps. The sizes of common predefined types are looked up
// once, so that their layouts cost no MPI call; what was read of a derived type is kept with it
// from its second use on. Owns a private communicator, to which local MPI calls report their
// errors. Throws Error{bootstrap_failed}. One object at a time.
class Datatypes {
 public:
  // `scratch` must outlive this. `lenient`: pieces of a type in which data arrive may overlap, as
  // far as MPIs do not mind.
  explicit Datatypes(ScratchPool& scratch, bool lenient = false);
  ~Datatypes();
  Datatypes(const Datatypes&) = delete;
  Datatypes& operator=(const Datatypes&) = delete;

  // `argument`: which it is, for messages. Throws Error{bad_datatype | datatype_not_committed |
  // unsupported}, std::bad_alloc.
  Layout layout(MPI_Datatype type, const TypeArgument& argument = {}) const {
    if (const Bytes size = common_.size_of(type)) return {size, true, true, 0, size, size};
    return examine(type, argument);
  }
  // For one element of a type that has a layout. Throws Error{bad_datatype}, std::bad_alloc.
  Signature signature(MPI_Datatype type) const { return read_signature(type, common_); }
  // Between `count` elements at `typed` and count * size contiguous bytes. Throws
  // Error{bad_datatype | unsupported}.
  void pack(const void* typed, MPI_Count count, const Layout& layout, std::byte* bytes) const;
  void unpack(const std::byte* bytes, void* typed, MPI_Count count, const Layout& layout) const;

  // Where packed copies live.
  ScratchPool& scratch() const noexcept { return scratch_; }
  const KeptTypes& kept() const noexcept { return kept_; }
  // The form of that layout, if it is the type's as long as no type is freed whose form is kept.
  TypeForm* kept_form(MPI_Datatype type, const Layout& layout) const noexcept {
    TypeForm* const form = kept_.find_recent(type);
    return form == layout.form.get() ? form : nullptr;
  }
  // This rank alone. Errors of local calls are returned there.
  MPI_Comm self() const noexcept { return self_; }
  bool lenient() const noexcept { return lenient_; }

 private:
  class Based;
  Layout examine(MPI_Datatype type, const TypeArgument& argument) const;
  TypeFormUse form_of(MPI_Datatype type, const TypeArgument& argument) const;
  void read(MPI_Datatype type, TypeForm& form) const;
  template <class Call>
  void in_chunks(MPI_Count count, const Layout& layout, Call&& call) const;

  const bool lenient_;
  const CommonTypes common_;
  mutable KeptTypes kept_;
  ScratchPool& scratch_;
  MPI_Comm self_ = MPI_COMM_NULL;  // a copy of MPI_COMM_SELF that returns errors
};

}  // namespace tutti
