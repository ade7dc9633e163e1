// Reads layouts of datatypes, and packs by typemaps or through MPI_Pack.
#include "src/data/datatype.hpp"

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <fmt/format.h>
#include <string_view>
#include <utility>

#include "base/copy.hpp"
#include "base/error.hpp"
#include "base/overlap.hpp"
#include "src/data/large_counts.hpp"
#include "src/data/mpi_error.hpp"
#include "src/data/require_mpi.hpp"
#include "src/data/own_copy.hpp"
#include "src/data/type_reader.hpp"

namespace tutti {

Datatypes::Datatypes(ScratchPool& scratch, bool lenient)
    : lenient_(lenient), scratch_(scratch), self_(own_copy_of(MPI_COMM_SELF)) {}

Datatypes::~Datatypes() {
  int finalized = 0;
  PMPI_Finalized(&finalized);
  if (!finalized) PMPI_Comm_free(&self_);
}

// Types of buffers `sendbuf` and `recvbuf` have names like theirs.
std::string TypeArgument::words() const {
  if (!buffer) return "the datatype";
  std::string_view side(buffer);
  if (!side.ends_with("buf")) return fmt::format("the datatype of `{}`", side);
  side.remove_suffix(3);
  return block < 0 ? fmt::format("`{}type`", side) : fmt::format("`{}types[{}]`", side, block);
}

TypeFormUse Datatypes::form_of(MPI_Datatype type, const TypeArgument& argument) const {
  const auto bad = [&](Code code, std::string_view why) {
    return Error(code, fmt::format("{} {}", argument.words(), why));
  };
  require_mpi();
  if (type == MPI_DATATYPE_NULL)
    throw bad(Code::bad_datatype,
              "is MPI_DATATYPE_NULL; pass the type of the elements, such as MPI_DOUBLE");
  // MPI has no question "is it committed?". A send to MPI_PROC_NULL moves nothing, but checks its
  // arguments first. The MPI's words for the error would name that send, not the program's call.
  alignas(64) static char nothing[64];
  if (PMPI_Send(nothing, 1, type, MPI_PROC_NULL, 0, self_) != MPI_SUCCESS)
    throw bad(Code::datatype_not_committed,
              "is not committed, or has been freed; call MPI_Type_commit on it first");
  TypeFormUse form(kept_.find(type));
  if (form) return form;
  TypeForm& fresh = TypeFormUse::fresh();
  form = TypeFormUse(&fresh);
  read(type, fresh);
  kept_.was_read(type, fresh);
  return form;
}

Layout Datatypes::examine(MPI_Datatype type, const TypeArgument& argument) const {
  TypeForm* const recent = kept_.find_recent(type);
  TypeFormUse form = recent ? TypeFormUse(recent) : form_of(type, argument);
  if (!form->known) {
    require_mpi();
    if (form->packed_by_mpi == MPI_DATATYPE_NULL)
      check_mpi(PMPI_Type_dup(type, &form->packed_by_mpi), "MPI_Type_dup");
  }
  const bool run = form->known && form->map.is_run() && form->map.whole().offset == 0;
  const bool contiguous = run ? form->size == form->extent : form->size == 0 && form->extent == 0;
  Layout layout{form->size, contiguous, false, form->lower, form->true_extent, form->extent};
  layout.form = std::move(form);
  return layout;
}

bool Layout::overlaps_itself(MPI_Count count) const {
  if (size > true_extent) return true;
  if (!form || !form->known || count < 1) return false;
  const MPI_Count together = std::abs(extent) < true_extent ? count : 1;
  if (form->looked_at != together) {
    form->overlaps = places_overlap(bytes_of(nullptr, together));
    form->looked_at = together;
  }
  return form->overlaps;
}

void Datatypes::read(MPI_Datatype type, TypeForm& form) const {
  MPI_Count size = 0, lower = 0, extent = 0, true_lower = 0, true_extent = 0;
  check_mpi(PMPI_Type_size_x(type, &size), "MPI_Type_size_x");
  check_mpi(PMPI_Type_get_extent_x(type, &lower, &extent), "MPI_Type_get_extent_x");
  check_mpi(PMPI_Type_get_true_extent_x(type, &true_lower, &true_extent),
            "MPI_Type_get_true_extent_x");
  if (size == MPI_UNDEFINED)
    throw Error(Code::unsupported, "one element of the datatype has more bytes than MPI can say");
  form.size = size;
  form.lower = true_lower;
  form.true_extent = true_extent;
  form.extent = extent;
  read_typemap(type, common_, form);
}

// Calls the MPI's packing for chunks of whole elements: it counts in int, unless it has functions
// for large counts.
template <class Call>
void Datatypes::in_chunks(MPI_Count count, const Layout& layout, Call&& call) const {
  if (layout.size == 0) return;
  const Bytes limit = kHasLargeCounts ? LLONG_MAX : INT_MAX;
  if (layout.size > limit)
    throw Error(Code::unsupported,
                fmt::format("one element of the derived datatype has {} bytes in too many pieces; "
                            "this MPI's MPI_Pack ends at {}",
                            layout.size, limit));
  const MPI_Count most = limit / layout.size;
  for (MPI_Count done = 0; done < count;) {
    const auto chunk = std::min<MPI_Count>(most, count - done);
    call(done * layout.extent, done * layout.size, chunk, chunk * layout.size);
    done += chunk;
  }
}

// MPI_BOTTOM, with a type of absolute addresses, is a null pointer in some MPIs, whose MPI_Pack
// refuses it: then the type is moved to begin where its data do.
class Datatypes::Based {
 public:
  Based(const void* typed, const Layout& layout)
      : base_(static_cast<std::byte*>(const_cast<void*>(typed))),
        type_(layout.form->packed_by_mpi) {
    if (base_) return;
    const int one = 1;
    const MPI_Aint back = -layout.lower;
    MPI_Datatype moved = MPI_DATATYPE_NULL;
    check_mpi(PMPI_Type_create_hindexed(1, &one, &back, type_, &moved), "MPI_Type_create_hindexed");
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

void Datatypes::pack(const void* typed, MPI_Count count, const Layout& layout,
                     std::byte* bytes) const {
  if (layout.size * count == 0) return;
  if (!layout.form) return copy_bytes(bytes, typed, static_cast<std::size_t>(count * layout.size));
  if (layout.form->known)
    return tutti::pack(layout.bytes_of(typed, count), 0, count * layout.size, bytes);
  const Based at(typed, layout);
  in_chunks(count, layout, [&](Bytes from, Bytes to, MPI_Count elements, MPI_Count length) {
    MPI_Count position = 0;
    if constexpr (kHasLargeCounts) {
      check_mpi(
          PMPI_Pack_c(at.base() + from, elements, at.type(), bytes + to, length, &position, self_),
          "MPI_Pack_c");
    } else {
      int small = 0;
      check_mpi(PMPI_Pack(at.base() + from, static_cast<int>(elements), at.type(), bytes + to,
                          static_cast<int>(length), &small, self_),
                "MPI_Pack");
      position = small;
    }
    if (position != length)
      throw Error(Code::unsupported,
                  "this MPI packs the datatype into another number of bytes than its size; use a "
                  "contiguous type");
  });
}

void Datatypes::unpack(const std::byte* bytes, void* typed, MPI_Count count,
                       const Layout& layout) const {
  if (layout.size * count == 0) return;
  if (!layout.form) return copy_bytes(typed, bytes, static_cast<std::size_t>(count * layout.size));
  if (layout.form->known)
    return tutti::unpack(layout.bytes_of(typed, count), 0, count * layout.size, bytes);
  const Based at(typed, layout);
  in_chunks(count, layout, [&](Bytes to, Bytes from, MPI_Count elements, MPI_Count length) {
    if constexpr (kHasLargeCounts) {
      MPI_Count position = 0;
      check_mpi(PMPI_Unpack_c(bytes + from, length, &position, at.base() + to, elements, at.type(),
                              self_),
                "MPI_Unpack_c");
    } else {
      int position = 0;
      check_mpi(PMPI_Unpack(bytes + from, static_cast<int>(length), &position, at.base() + to,
                            static_cast<int>(elements), at.type(), self_),
                "MPI_Unpack");
    }
  });
}

}  // namespace tutti
