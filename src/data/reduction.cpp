// Maps MPI's operations and types to the loops of reductions, or to MPI_Reduce_local.
#include "src/data/reduction.hpp"

#include <algorithm>
#include <climits>
#include <cstdint>
#include <cstring>
#include <fmt/format.h>
#include <initializer_list>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "collectives/execution/kernels.hpp"
#include "src/data/callback.hpp"
#include "src/data/constructor.hpp"
#include "src/data/require_mpi.hpp"

namespace tutti {

using collectives::Element;
using collectives::Operation;

namespace {

struct Predefined {
  MPI_Op mpi;
  Operation ours;
  const char* name;  // MPI tells the names of types, and not of operations
};
std::optional<Predefined> predefined(MPI_Op op) {
  static const Predefined all[] = {{MPI_SUM, Operation::sum, "MPI_SUM"},
                                   {MPI_PROD, Operation::product, "MPI_PROD"},
                                   {MPI_MIN, Operation::minimum, "MPI_MIN"},
                                   {MPI_MAX, Operation::maximum, "MPI_MAX"},
                                   {MPI_LAND, Operation::logical_and, "MPI_LAND"},
                                   {MPI_LOR, Operation::logical_or, "MPI_LOR"},
                                   {MPI_LXOR, Operation::logical_xor, "MPI_LXOR"},
                                   {MPI_BAND, Operation::bitwise_and, "MPI_BAND"},
                                   {MPI_BOR, Operation::bitwise_or, "MPI_BOR"},
                                   {MPI_BXOR, Operation::bitwise_xor, "MPI_BXOR"},
                                   {MPI_MINLOC, Operation::min_location, "MPI_MINLOC"},
                                   {MPI_MAXLOC, Operation::max_location, "MPI_MAXLOC"}};
  for (const Predefined& known : all)
    if (known.mpi == op) return known;
  return std::nullopt;
}

constexpr Element integer(Bytes size, bool is_signed = true) {
  switch (size) {
    case 1: return is_signed ? Element::int8 : Element::uint8;
    case 2: return is_signed ? Element::int16 : Element::uint16;
    case 4: return is_signed ? Element::int32 : Element::uint32;
    default: return is_signed ? Element::int64 : Element::uint64;
  }
}
template <class T>
constexpr Element integer() {
  return integer(sizeof(T), static_cast<T>(-1) < static_cast<T>(0));
}

bool is_logical(Operation operation) {
  return operation == Operation::logical_and || operation == Operation::logical_or ||
         operation == Operation::logical_xor;
}

bool is_one_of(MPI_Datatype type, std::initializer_list<MPI_Datatype> types) {
  return std::ranges::find(types, type) != types.end();
}

bool is_fortran_integer(MPI_Datatype type) {
  return is_one_of(type, {MPI_INTEGER, MPI_INTEGER1, MPI_INTEGER2, MPI_INTEGER4, MPI_INTEGER8});
}

// Whether MPI's true and false of Fortran are C's, which depends on the compiler that it was built
// for: MPI is asked for `true or false` and `false or false`.
bool has_logic_of_c(Bytes size) {
  std::int64_t truth = 1, none = 0, either = 0, neither = 0;
  if (PMPI_Reduce_local(&truth, &either, 1, MPI_LOGICAL, MPI_LOR) != MPI_SUCCESS ||
      PMPI_Reduce_local(&none, &neither, 1, MPI_LOGICAL, MPI_LOR) != MPI_SUCCESS)
    return false;
  const auto bytes = static_cast<std::size_t>(size);
  return std::memcmp(&either, &truth, bytes) == 0 && std::memcmp(&neither, &none, bytes) == 0;
}

// The size of Fortran's types depends on how the MPI was built; an MPI without Fortran has none.
// Types without an element of their size here are left to MPI_Reduce_local.
std::optional<Element> element_of_fortran(MPI_Datatype type, Bytes size, Operation operation) {
  if (is_fortran_integer(type) && size <= 8) return integer(size);
  if (type == MPI_LOGICAL && size <= 8 && is_logical(operation) && has_logic_of_c(size))
    return integer(size);
  if (is_one_of(type, {MPI_DOUBLE_PRECISION, MPI_REAL, MPI_REAL4, MPI_REAL8})) {
    if (size == 8) return Element::float64;
    if (size == 4) return Element::float32;
  }
  if (is_one_of(type, {MPI_DOUBLE_COMPLEX, MPI_COMPLEX, MPI_COMPLEX8, MPI_COMPLEX16})) {
    if (size == 16) return Element::complex64;
    if (size == 8) return Element::complex32;
  }
  if (type == MPI_2INTEGER && size == 8) return Element::two_int;
  if (is_one_of(type, {MPI_2REAL, MPI_2DOUBLE_PRECISION})) {
    if (size == 16) return Element::two_float64;
    if (size == 8) return Element::two_float32;
  }
  return std::nullopt;
}

std::optional<Element> element_of(MPI_Datatype type, Bytes size, Operation operation) {
  const struct {
    MPI_Datatype mpi;
    Element ours;
  } all[] = {
      {MPI_DOUBLE, Element::float64},
      {MPI_FLOAT, Element::float32},
      {MPI_INT, integer<int>()},
      {MPI_LONG, integer<long>()},
      {MPI_INT64_T, Element::int64},
      {MPI_INT32_T, Element::int32},
      {MPI_UNSIGNED, integer<unsigned>()},
      {MPI_UNSIGNED_LONG, integer<unsigned long>()},
      {MPI_UINT64_T, Element::uint64},
      {MPI_UINT32_T, Element::uint32},
      {MPI_SHORT, integer<short>()},
      {MPI_UNSIGNED_SHORT, integer<unsigned short>()},
      {MPI_SIGNED_CHAR, Element::int8},
      {MPI_UNSIGNED_CHAR, Element::uint8},
      {MPI_LONG_LONG, integer<long long>()},
      {MPI_UNSIGNED_LONG_LONG, integer<unsigned long long>()},
      {MPI_INT8_T, Element::int8},
      {MPI_INT16_T, Element::int16},
      {MPI_UINT8_T, Element::uint8},
      {MPI_UINT16_T, Element::uint16},
      {MPI_LONG_DOUBLE, Element::long_double},
      {MPI_C_COMPLEX, Element::complex32},
      {MPI_C_DOUBLE_COMPLEX, Element::complex64},
      {MPI_C_LONG_DOUBLE_COMPLEX, Element::complex_long_double},
      {MPI_C_BOOL, Element::boolean},
      {MPI_CXX_FLOAT_COMPLEX, Element::complex32},
      {MPI_CXX_DOUBLE_COMPLEX, Element::complex64},
      {MPI_CXX_LONG_DOUBLE_COMPLEX, Element::complex_long_double},
      {MPI_CHAR, integer<char>()},
      {MPI_BYTE, Element::byte},
      {MPI_AINT, integer<MPI_Aint>()},
      {MPI_OFFSET, integer<MPI_Offset>()},
      {MPI_COUNT, integer<MPI_Count>()},
      {MPI_FLOAT_INT, Element::float_int},
      {MPI_DOUBLE_INT, Element::double_int},
      {MPI_LONG_INT, Element::long_int},
      {MPI_2INT, Element::two_int},
      {MPI_SHORT_INT, Element::short_int},
      {MPI_LONG_DOUBLE_INT, Element::long_double_int},
#ifdef MPIX_C_FLOAT16
      {MPIX_C_FLOAT16, Element::float16},
#endif
  };
  for (const auto& known : all)
    if (known.mpi == type) return known.ours;
  if (type == MPI_CXX_BOOL && size == 1) return Element::boolean;
  return element_of_fortran(type, size, operation);
}

std::string name_of(MPI_Datatype type) {
  char name[MPI_MAX_OBJECT_NAME] = {};
  int length = 0;
  PMPI_Type_get_name(type, name, &length);
  return length > 0 ? name : "a derived datatype";
}

// MPI defines no operation on characters, and no logic on floating-point numbers and Fortran's
// integers; some MPIs compute something nevertheless.
bool is_character(MPI_Datatype type) {
  return type == MPI_CHAR || type == MPI_WCHAR || type == MPI_PACKED || type == MPI_CHARACTER;
}
bool is_fortran_real(MPI_Datatype type) {
  return is_one_of(type, {MPI_REAL, MPI_DOUBLE_PRECISION, MPI_REAL4, MPI_REAL8, MPI_REAL16}) ||
         combiner_of(type) == MPI_COMBINER_F90_REAL;
}

// From an element's address to where the operation finds its bytes; see Reduction::shift().
Bytes shift_of(const Layout& layout, Bytes alignment) {
  const auto fits = [&](Bytes lower) {
    return lower >= 0 && lower <= layout.extent - layout.true_extent;
  };
  if (fits(layout.lower)) return 0;
  const Bytes rest = (layout.lower % alignment + alignment) % alignment;
  if (!fits(rest))
    throw Error(Code::unsupported,
                "elements of this datatype overlap: Tutti cannot reduce them; use "
                "MPI_Type_create_resized");
  return layout.lower - rest;
}

// MPI_Reduce returns its errors here, and MPI_Reduce_local, which may have fewer operations, does
// not. Nothing is computed but small elements, of zeros.
bool mpi_computes(MPI_Op op, MPI_Datatype type, Bytes extent, const Datatypes& datatypes) {
  alignas(64) char a[64] = {}, b[64] = {};
  const bool small = extent <= static_cast<Bytes>(sizeof a);
  const int count = small ? 1 : 0;
  return PMPI_Reduce(&a[0], &b[0], count, type, op, 0, datatypes.self()) == MPI_SUCCESS &&
         PMPI_Reduce_local(&a[0], &b[0], count, type, op) == MPI_SUCCESS;
}

[[noreturn]] void undefined(const std::optional<Predefined>& operation, MPI_Datatype type) {
  throw Error(Code::bad_operation,
              fmt::format("MPI does not define {} on {}; see MPI 4.0, section 6.9.2, or make one "
                          "with MPI_Op_create",
                          operation ? operation->name : "this operation", name_of(type)));
}

}  // namespace

const char* name_of_operation(MPI_Op op) noexcept {
  const auto known = predefined(op);
  return known ? known->name : nullptr;
}

// MPI_Reduce_local(in, inout): inout = in op inout.
void Reduction::reduce(const void* in, void* inout, Bytes bytes) noexcept {
  const Bytes elements = bytes / element_;
  const Callback callback;
  for (Bytes at = 0; at < elements; at += INT_MAX) {
    const int code =
        PMPI_Reduce_local(moved(in, at * element_ - shift_), moved(inout, at * element_ - shift_),
                          static_cast<int>(std::min<Bytes>(elements - at, INT_MAX)), type_, op_);
    static_assert(MPI_SUCCESS == 0);
    if (code != MPI_SUCCESS) error_ = code;
  }
}

// The user's function works on the right operand where the result is to be, unless that is not
// aligned for it, as what came in an arrival slot may be. The left one is copied always: a function
// that writes where it may only read must not spoil what is the caller's, or is still to be sent.
void Reduction::local(const void* context, const void* left, const void* right, void* out,
                      Bytes bytes) {
  auto* const self = static_cast<Reduction*>(const_cast<void*>(context));  // combine() gave it
  const Bytes most = std::min(bytes, self->piece());
  const bool in_place = self->aligned(out);
  for (Bytes at = 0; at < bytes; at += most) {
    const auto now = static_cast<std::size_t>(std::min(most, bytes - at));
    std::byte* const result = static_cast<std::byte*>(out) + at;
    const std::byte* const r = static_cast<const std::byte*>(right) + at;
    std::byte* const in = self->copies_;
    std::byte* const inout = in_place ? result : self->copies_ + most;
    std::memcpy(in, static_cast<const std::byte*>(left) + at, now);
    if (inout != r) std::memcpy(inout, r, now);
    self->reduce(in, inout, static_cast<Bytes>(now));
    if (!in_place) std::memcpy(result, inout, now);
  }
}

Reduction Operations::find(MPI_Op op, MPI_Datatype type, const Layout& layout,
                           const Datatypes& datatypes) {
  if (const Reduction* const found = known(op, type)) return *found;
  Reduction reduction = resolve(op, type, layout, datatypes);
  // A user's operation may be freed and its handle come again for another.
  if (reduction.vectorised()) known_.push_back({op, type, reduction});
  return reduction;
}

Reduction Operations::resolve(MPI_Op op, MPI_Datatype type, const Layout& layout,
                              const Datatypes& datatypes) const {
  require_mpi();
  if (op == MPI_OP_NULL)
    throw Error(Code::bad_operation, "the operation is MPI_OP_NULL; pass one such as MPI_SUM");
  if (op == MPI_REPLACE || op == MPI_NO_OP)
    throw Error(Code::bad_operation,
                "MPI_REPLACE and MPI_NO_OP are for one-sided accumulation only");
  Reduction reduction;
  const auto operation = predefined(op);
  if (operation && !lenient_ &&
      (is_character(type) || (is_logical(operation->ours) && is_fortran_real(type))))
    undefined(operation, type);
  const auto element = operation ? element_of(type, layout.size, operation->ours) : std::nullopt;
  if (operation && element) {
    reduction.apply_ = collectives::kernel(operation->ours, *element);
    reduction.element_ = collectives::size_of(*element);
    if (!reduction.apply_ && !lenient_) undefined(operation, type);
    const bool standard =
        !is_character(type) && !(is_logical(operation->ours) && is_fortran_integer(type));
    if (!standard && !mpi_computes(op, type, layout.extent, datatypes)) undefined(operation, type);
    // A pair may be laid out by the MPI in another way than by the compiler.
    if (reduction.apply_ && reduction.element_ == layout.extent) return reduction;
  }
  reduction.alignment_ = layout.form ? layout.form->alignment : alignment_of(layout.extent);
  reduction.shift_ = shift_of(layout, reduction.alignment_);
  int commutes = 1;
  if (!operation) {
    // MPI_Op_commutative reports errors where they end the program. A reduction of nothing, over a
    // communicator of ours, looks at the operation first.
    char nothing[2] = {};
    if (PMPI_Reduce(&nothing[0], &nothing[1], 0, MPI_BYTE, op, 0, datatypes.self()) !=
            MPI_SUCCESS ||
        PMPI_Op_commutative(op, &commutes) != MPI_SUCCESS)
      throw Error(Code::bad_operation, "the operation is invalid or has been freed");
  }
  reduction.commutative_ = commutes != 0;
  reduction.apply_ = Reduction::local;
  reduction.element_ = std::max<Bytes>(layout.extent, 1);
  reduction.op_ = op;
  reduction.type_ = type;
  if (operation && !mpi_computes(op, type, layout.extent, datatypes)) undefined(operation, type);
  return reduction;
}

}  // namespace tutti
