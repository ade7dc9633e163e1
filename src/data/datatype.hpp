// MPI datatypes as Tutti sees them: a number of bytes, contiguous or to be packed. Makes only local
// MPI calls.
#pragma once

#include <mpi.h>

#include <memory>

#include "base/types.hpp"
#include "src/data/scratch.hpp"

namespace tutti {

// What one element of a type looks like.
struct Layout {
  Bytes size = 0;  // bytes of data in one element
  bool contiguous =
      false;  // elements follow each other without gaps, data in typemap order: no packing needed
  bool predefined = false;  // and contiguous: the handle always means this type
  Bytes lower = 0;          // true lower bound: where the data begin, from the buffer's address
  Bytes true_extent = 0;    // from there to where the data end
  Bytes extent = 0;         // from one element to the next
};

// Looks the sizes of the predefined types up once, so that the layout of a common type costs no MPI
// call. Owns a private communicator, to which local MPI calls report their errors. Throws
// Error{bootstrap_failed}. One object at a time.
class Datatypes {
 public:
  Datatypes();
  ~Datatypes();
  Datatypes(const Datatypes&) = delete;
  Datatypes& operator=(const Datatypes&) = delete;

  // Throws Error{bad_datatype | datatype_not_committed}.
  Layout layout(MPI_Datatype type) const {
    for (const Known& known : known_)
      if (known.type == type) return {known.size, true, true, 0, known.size, known.size};
    return examine(type);
  }
  // Between `count` elements at `typed` and count * size contiguous bytes. Throws
  // Error{bad_datatype | unsupported}.
  void pack(const void* typed, MPI_Count count, MPI_Datatype type, const Layout& layout,
            std::byte* bytes) const;
  void unpack(const std::byte* bytes, void* typed, MPI_Count count, MPI_Datatype type,
              const Layout& layout) const;

  // Where packed copies live.
  Scratch& scratch() const noexcept { return scratch_; }

 private:
  struct Known {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    Bytes size = 0;
  };
  class Based;
  Layout examine(MPI_Datatype type) const;
  template <class Call>
  void in_chunks(MPI_Count count, const Layout& layout, Call&& call) const;

  Known known_[12];
  mutable Scratch scratch_;
  MPI_Comm self_ = MPI_COMM_NULL;  // a copy of MPI_COMM_SELF that returns errors
};

}  // namespace tutti
