// Type signatures: equal for the same elements in the same order, whatever made the type.
#include "src/data/signature.hpp"

#include <vector>

#include "tests/src/data/types.hpp"

using namespace tutti;
using namespace tutti::tests;

namespace {

Signature of(MPI_Datatype type) { return read_signature(type, CommonTypes{}); }

// The signature of types that are joined one after the other.
Signature joined(const std::vector<MPI_Datatype>& types) {
  Signature all;
  for (const MPI_Datatype type : types) all = all.then(of(type));
  return all;
}

}  // namespace

TEST_CASE("a signature is the sequence of elements, however it was put together", "[signature]") {
  const Signature a = Signature::of_one(1), b = Signature::of_one(2);
  CHECK(a != b);
  CHECK(a.then(b) != b.then(a));
  CHECK(a.then(b).then(a) == a.then(b.then(a)));
  CHECK(Signature{} == a.times(0));
  CHECK(a.then({}) == a);
  CHECK(Signature{}.then(a) == a);
  CHECK(a.times(1) == a);
  Signature pairs;
  for (std::uint64_t count = 0; count < 40; ++count, pairs = pairs.then(a.then(b)))
    CHECK(a.then(b).times(count) == pairs);
  CHECK(a.then(b).times(3) != a.times(3).then(b.times(3)));
  // More elements than could be walked through.
  constexpr std::uint64_t kMany = std::uint64_t{1} << 40;
  CHECK(a.times(kMany).then(a) == a.times(kMany + 1));
  CHECK(a.times(kMany) != a.times(kMany + 1));
  CHECK_FALSE(a.then(Signature::unknown()).is_known());
  CHECK_FALSE(Signature::unknown().times(3).is_known());
  CHECK(Signature::unknown().times(0).is_known());
}

TEST_CASE("predefined types differ, and pairs are two types", "[signature]") {
  const std::vector<MPI_Datatype> types{
      MPI_BYTE,        MPI_CHAR,    MPI_INT,   MPI_UNSIGNED,        MPI_FLOAT, MPI_DOUBLE,
      MPI_LONG_DOUBLE, MPI_INT16_T, MPI_SHORT, MPI_C_FLOAT_COMPLEX, MPI_WCHAR};
  for (const MPI_Datatype a : types)
    for (const MPI_Datatype b : types) CHECK((of(a) == of(b)) == (a == b));
  CHECK(of(MPI_DOUBLE_INT) == joined({MPI_DOUBLE, MPI_INT}));
  CHECK(of(MPI_2INT) == joined({MPI_INT, MPI_INT}));
  CHECK_FALSE(of(MPI_PACKED).is_known());
}

TEST_CASE("constructors do not show in a signature", "[signature]") {
  const int lengths[] = {2, 0, 1}, places[] = {4, 0, 1};
  const MPI_Aint bytes[] = {0, 64, 16};
  const int sizes[] = {4, 5}, parts[] = {2, 3}, starts[] = {1, 1};
  const MPI_Datatype inner[] = {MPI_INT, MPI_CHAR, MPI_DOUBLE};
  const auto ints = [](std::uint64_t count) { return of(MPI_INT).times(count); };
  MPI_Datatype made;
  const Type gaps(every_other_int_of_four());
  CHECK(of(gaps) == ints(2));
  MPI_Type_contiguous(3, gaps, &made);
  const Type row(made);
  CHECK(of(row) == ints(6));
  MPI_Type_dup(row, &made);
  CHECK(of(Type(made)) == ints(6));
  MPI_Type_vector(3, 2, 4, MPI_INT, &made);
  CHECK(of(Type(made)) == ints(6));
  MPI_Type_create_hvector(3, 2, 64, MPI_INT, &made);
  CHECK(of(Type(made)) == ints(6));
  MPI_Type_indexed(3, lengths, places, MPI_INT, &made);
  CHECK(of(Type(made)) == ints(3));
  MPI_Type_create_hindexed(3, lengths, bytes, MPI_INT, &made);
  CHECK(of(Type(made)) == ints(3));
  MPI_Type_create_indexed_block(2, 3, places, MPI_INT, &made);
  CHECK(of(Type(made)) == ints(6));
  MPI_Type_create_hindexed_block(3, 2, bytes, MPI_INT, &made);
  CHECK(of(Type(made)) == ints(6));
  MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_FORTRAN, MPI_INT, &made);
  CHECK(of(Type(made)) == ints(6));
  const int array[] = {7, 3}, grid[] = {2, 1}, blocks[] = {2, MPI_DISTRIBUTE_DFLT_DARG},
            kinds[] = {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_NONE};
  MPI_Type_create_darray(2, 1, 2, array, kinds, blocks, grid, MPI_ORDER_C, MPI_INT, &made);
  CHECK(of(Type(made)) == ints(9));  // rows 2, 3 and 6
  MPI_Type_contiguous(0, MPI_INT, &made);
  CHECK(of(Type(made)) == Signature{});
  MPI_Type_create_struct(3, lengths, bytes, inner, &made);
  const Type mixed(made);
  CHECK(of(mixed) == joined({MPI_INT, MPI_INT, MPI_DOUBLE}));
  MPI_Type_vector(2, 2, 3, mixed, &made);
  CHECK(of(Type(made)) == of(mixed).times(4));
  MPI_Type_contiguous(2, MPI_PACKED, &made);
  CHECK_FALSE(of(Type(made)).is_known());
}

TEST_CASE("a type that is nested too deeply is not known", "[signature]") {
  std::vector<MPI_Datatype> nested{MPI_INT};
  while (nested.size() < 50) {
    MPI_Datatype next;
    MPI_Type_contiguous(1, nested.back(), &next);
    nested.push_back(next);
    if (nested.size() == 20) CHECK(of(next) == of(MPI_INT));
  }
  CHECK_FALSE(of(nested.back()).is_known());
  for (std::size_t i = 1; i < nested.size(); ++i) MPI_Type_free(&nested[i]);
}
