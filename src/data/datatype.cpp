// Layouts, and packing through MPI_Pack.
#include "src/data/datatype.hpp"

#include <algorithm>
#include <climits>
#include <fmt/format.h>

#include "base/error.hpp"
#include "src/data/constructor.hpp"
#include "src/data/mpi_error.hpp"
#include "src/data/must_have_mpi.hpp"
#include "src/data/own_copy.hpp"

namespace tutti {
namespace {

// Contiguous for certain: a predefined type without gaps, or MPI_Type_contiguous (or a duplicate)
// of such. Sizes alone do not tell: a permuting indexed type has no gaps, but its data travel in
// typemap order.
bool is_contiguous(MPI_Datatype type) {
  const Constructor made(type);
  if (is_predefined(made.combiner())) {
    MPI_Count size = 0, lower = 0, extent = 0;
    check_mpi(PMPI_Type_size_x(type, &size), "MPI_Type_size_x");
    check_mpi(PMPI_Type_get_extent_x(type, &lower, &extent), "MPI_Type_get_extent_x");
    return lower == 0 && size == extent;
  }
  return (made.combiner() == MPI_COMBINER_CONTIGUOUS || made.combiner() == MPI_COMBINER_DUP) &&
         is_contiguous(made.types()[0]);
}

}  // namespace

Datatypes::Datatypes() : self_(own_copy_of(MPI_COMM_SELF)) {
  const MPI_Datatype common[] = {MPI_BYTE,    MPI_CHAR,     MPI_INT,           MPI_DOUBLE,
                                 MPI_FLOAT,   MPI_LONG,     MPI_UNSIGNED,      MPI_UNSIGNED_LONG,
                                 MPI_INT64_T, MPI_UINT64_T, MPI_UNSIGNED_CHAR, MPI_INT32_T};
  static_assert(std::size(common) == std::size(decltype(known_){}));
  for (std::size_t i = 0; i < std::size(common); ++i) {
    int size = 0;
    PMPI_Type_size(common[i], &size);
    known_[i] = {common[i], size};
  }
}

Datatypes::~Datatypes() {
  int finalized = 0;
  PMPI_Finalized(&finalized);
  if (!finalized) PMPI_Comm_free(&self_);
}

Layout Datatypes::examine(MPI_Datatype type) const {
  must_have_mpi();
  if (type == MPI_DATATYPE_NULL)
    throw Error(
        Code::bad_datatype,
        "the datatype is MPI_DATATYPE_NULL; pass the type of the elements, such as MPI_DOUBLE");
  // MPI has no question "is it committed?". A send to MPI_PROC_NULL moves nothing, but checks its
  // arguments first.
  alignas(64) static char nothing[64];
  if (const int code = PMPI_Send(nothing, 1, type, MPI_PROC_NULL, 0, self_); code != MPI_SUCCESS)
    throw Error(
        Code::datatype_not_committed,
        fmt::format(
            "the datatype cannot be used for communication: {}; call MPI_Type_commit on it first",
            text_of_mpi_error(code)));
  MPI_Count size = 0, lower = 0, extent = 0, true_lower = 0, true_extent = 0;
  check_mpi(PMPI_Type_size_x(type, &size), "MPI_Type_size_x");
  check_mpi(PMPI_Type_get_extent_x(type, &lower, &extent), "MPI_Type_get_extent_x");
  check_mpi(PMPI_Type_get_true_extent_x(type, &true_lower, &true_extent),
            "MPI_Type_get_true_extent_x");
  if (size == MPI_UNDEFINED)
    throw Error(Code::unsupported, "one element of the datatype has more bytes than MPI can say");
  const bool dense = true_lower == 0 && size == true_extent && size == extent;
  return {size, dense && is_contiguous(type), false, true_lower, true_extent, extent};
}

// MPI_Pack counts in int: larger jobs go in chunks of whole elements.
template <class Call>
void Datatypes::in_chunks(MPI_Count count, const Layout& layout, Call&& call) const {
  if (layout.size == 0) return;
  if (layout.size > INT_MAX)
    throw Error(Code::unsupported,
                fmt::format("one element of the derived datatype has {} bytes; MPI_Pack ends at {}",
                            layout.size, INT_MAX));
  const MPI_Count most = INT_MAX / layout.size;
  for (MPI_Count done = 0; done < count;) {
    const auto chunk = static_cast<int>(std::min<MPI_Count>(most, count - done));
    call(done * layout.extent, done * layout.size, chunk, static_cast<int>(chunk * layout.size));
    done += chunk;
  }
}

// MPI_BOTTOM, with a type of absolute addresses, is a null pointer in some MPIs, whose MPI_Pack
// refuses it: then the type is moved to begin where its data do.
class Datatypes::Based {
 public:
  Based(const void* typed, MPI_Datatype type, const Layout& layout)
      : base_(static_cast<std::byte*>(const_cast<void*>(typed))), type_(type) {
    if (base_) return;
    const int one = 1;
    const MPI_Aint back = -layout.lower;
    MPI_Datatype moved = MPI_DATATYPE_NULL;
    check_mpi(PMPI_Type_create_hindexed(1, &one, &back, type, &moved), "MPI_Type_create_hindexed");
    const int code = PMPI_Type_create_resized(moved, 0, layout.extent, &type_);
    PMPI_Type_free(&moved);
    check_mpi(code, "MPI_Type_create_resized");
    made_ = true;
    check_mpi(PMPI_Type_commit(&type_), "MPI_Type_commit");
    base_ = reinterpret_cast<std::byte*>(layout.lower);
  }
  ~Based() {
    if (made_) PMPI_Type_free(&type_);
  }
  Based(const Based&) = delete;
  Based& operator=(const Based&) = delete;
  std::byte* base() const noexcept { return base_; }
  MPI_Datatype type() const noexcept { return type_; }

 private:
  std::byte* base_;
  MPI_Datatype type_;
  bool made_ = false;
};

void Datatypes::pack(const void* typed, MPI_Count count, MPI_Datatype type, const Layout& layout,
                     std::byte* bytes) const {
  const Based at(typed, type, layout);
  in_chunks(count, layout, [&](Bytes from, Bytes to, int elements, int length) {
    int position = 0;
    check_mpi(
        PMPI_Pack(at.base() + from, elements, at.type(), bytes + to, length, &position, self_),
        "MPI_Pack");
    if (position != length)
      throw Error(Code::unsupported,
                  "this MPI packs the datatype into another number of bytes than its size; use a "
                  "contiguous type");
  });
}

void Datatypes::unpack(const std::byte* bytes, void* typed, MPI_Count count, MPI_Datatype type,
                       const Layout& layout) const {
  const Based at(typed, type, layout);
  in_chunks(count, layout, [&](Bytes to, Bytes from, int elements, int length) {
    int position = 0;
    check_mpi(
        PMPI_Unpack(bytes + from, length, &position, at.base() + to, elements, at.type(), self_),
        "MPI_Unpack");
  });
}

}  // namespace tutti
