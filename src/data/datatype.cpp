// Layouts, and packing through MPI_Pack.
#include "src/data/datatype.hpp"

#include <algorithm>
#include <climits>
#include <fmt/format.h>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "src/data/must_have_mpi.hpp"
#include "src/data/own_copy.hpp"

namespace tutti {
namespace {

std::string text_of(int mpi_error) {
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  PMPI_Error_string(mpi_error, text, &length);
  return text;
}

void check(int code, const char* call) {
  if (code != MPI_SUCCESS)
    throw Error(Code::bad_datatype,
                fmt::format("{} rejects the datatype: {}", call, text_of(code)));
}

// Contiguous for certain: a predefined type without gaps, or MPI_Type_contiguous (or a duplicate)
// of such. Sizes alone do not tell: a permuting indexed type has no gaps, but its data travel in
// typemap order.
bool is_contiguous(MPI_Datatype type) {
  int integers = 0, addresses = 0, types = 0, combiner = 0;
  check(PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner),
        "MPI_Type_get_envelope");
  if (combiner == MPI_COMBINER_NAMED) {
    MPI_Count size = 0, lower = 0, extent = 0;
    check(PMPI_Type_size_x(type, &size), "MPI_Type_size_x");
    check(PMPI_Type_get_extent_x(type, &lower, &extent), "MPI_Type_get_extent_x");
    return lower == 0 && size == extent;
  }
  if (combiner != MPI_COMBINER_CONTIGUOUS && combiner != MPI_COMBINER_DUP) return false;
  std::vector<int> i(static_cast<std::size_t>(integers) + 1);
  std::vector<MPI_Aint> a(static_cast<std::size_t>(addresses) + 1);
  std::vector<MPI_Datatype> t(static_cast<std::size_t>(types) + 1, MPI_DATATYPE_NULL);
  check(PMPI_Type_get_contents(type, integers, addresses, types, i.data(), a.data(), t.data()),
        "MPI_Type_get_contents");
  const bool inner = is_contiguous(t[0]);
  int inner_combiner = 0;
  check(PMPI_Type_get_envelope(t[0], &integers, &addresses, &types, &inner_combiner),
        "MPI_Type_get_envelope");
  if (inner_combiner != MPI_COMBINER_NAMED) PMPI_Type_free(&t[0]);
  return inner;
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
            text_of(code)));
  MPI_Count size = 0, lower = 0, extent = 0, true_lower = 0, true_extent = 0;
  check(PMPI_Type_size_x(type, &size), "MPI_Type_size_x");
  check(PMPI_Type_get_extent_x(type, &lower, &extent), "MPI_Type_get_extent_x");
  check(PMPI_Type_get_true_extent_x(type, &true_lower, &true_extent), "MPI_Type_get_true_extent_x");
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
    check(PMPI_Type_create_hindexed(1, &one, &back, type, &moved), "MPI_Type_create_hindexed");
    const int code = PMPI_Type_create_resized(moved, 0, layout.extent, &type_);
    PMPI_Type_free(&moved);
    check(code, "MPI_Type_create_resized");
    made_ = true;
    check(PMPI_Type_commit(&type_), "MPI_Type_commit");
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
    check(PMPI_Pack(at.base() + from, elements, at.type(), bytes + to, length, &position, self_),
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
    check(PMPI_Unpack(bytes + from, length, &position, at.base() + to, elements, at.type(), self_),
          "MPI_Unpack");
  });
}

}  // namespace tutti
