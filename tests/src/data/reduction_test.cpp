// MPI's operations as functions on bytes. The loops are tested in kernels_test, and every operation
// on every type in tests/mpi/reductions_test.
#include "src/data/reduction.hpp"

#include <climits>
#include <vector>

#include "src/data/quiet_errors.hpp"
#include "tests/src/data/types.hpp"

using namespace tutti;
using namespace tutti::tests;
using Ints = std::vector<int>;

namespace {

Reduction find(MPI_Op op, MPI_Datatype type) {
  const Datatypes datatypes(g_scratch);
  return Operations().find(op, type, datatypes.layout(type), datatypes);
}

Ints reduced(Reduction& reduction, const Ints& left, const Ints& right) {
  Ints out(left.size(), -1);
  const auto bytes = static_cast<Bytes>(left.size() * sizeof(int));
  ScratchBuffer operands(g_scratch);
  reduction.reserve(bytes, operands);
  const Combine combine = reduction.combine();
  combine.apply(combine.context, left.data(), right.data(), out.data(), bytes);
  return out;
}

// 10 left + right: the order shows.
void append(void* in, void* inout, int* count, MPI_Datatype*) {
  for (int i = 0; i < *count; ++i) static_cast<int*>(inout)[i] += 10 * static_cast<int*>(in)[i];
}

class Op {
 public:
  explicit Op(MPI_User_function* function, int commutes = 0) {
    MPI_Op_create(function, commutes, &op_);
  }
  ~Op() { MPI_Op_free(&op_); }
  Op(const Op&) = delete;
  Op& operator=(const Op&) = delete;
  operator MPI_Op() const noexcept { return op_; }  // NOLINT(google-explicit-constructor)

 private:
  MPI_Op op_ = MPI_OP_NULL;
};

}  // namespace

TEST_CASE("a predefined operation on a predefined type is a loop of ours", "[reduction]") {
  Reduction sum = find(MPI_SUM, MPI_INT);
  CHECK(sum.vectorised());
  CHECK(sum.commutative());
  CHECK(sum.element() == sizeof(int));
  CHECK(reduced(sum, {1, 2, INT_MIN}, {10, 20, -1}) == Ints{11, 22, INT_MAX});
  Reduction maximum = find(MPI_MAX, MPI_INT);
  CHECK(reduced(maximum, {1, 5}, {4, 2}) == Ints{4, 5});
}

TEST_CASE("a predefined operation on a Fortran type is a loop of ours", "[reduction]") {
  Reduction sum = find(MPI_SUM, MPI_INTEGER);
  CHECK(sum.vectorised());
  CHECK(sum.element() == sizeof(int));
  CHECK(reduced(sum, {1, 2, INT_MIN}, {10, 20, -1}) == Ints{11, 22, INT_MAX});
  Reduction least = find(MPI_MINLOC, MPI_2INTEGER);
  CHECK(least.vectorised());
  CHECK(reduced(least, {5, 2, 7, 1}, {5, 1, 6, 2}) == Ints{5, 1, 6, 2});
  const double left = 1.5, right = 0.25;
  double out = 0;
  for (const MPI_Datatype type : {MPI_DOUBLE_PRECISION, MPI_REAL8}) {
    const Combine product = find(MPI_PROD, type).combine();
    product.apply(product.context, &left, &right, &out, sizeof out);
    CHECK(out == 0.375);
  }
  for (const MPI_Datatype type :
       {MPI_REAL, MPI_REAL4, MPI_COMPLEX, MPI_DOUBLE_COMPLEX, MPI_COMPLEX8, MPI_COMPLEX16,
        MPI_INTEGER1, MPI_INTEGER2, MPI_INTEGER8})
    CHECK(find(MPI_SUM, type).vectorised());
  Reduction either = find(MPI_LOR, MPI_LOGICAL);
  CHECK(either.vectorised());
  CHECK(reduced(either, {0, 0, 1, 1}, {0, 1, 0, 1}) == Ints{0, 1, 1, 1});
  CHECK(find(MPI_MAXLOC, MPI_2REAL).vectorised());
  CHECK(find(MPI_MINLOC, MPI_2DOUBLE_PRECISION).vectorised());
  CHECK(code_of([] { find(MPI_LAND, MPI_REAL); }) == Code::bad_operation);
}

TEST_CASE("a user's operation gets its operands in order", "[reduction]") {
  const Op op(append);
  Reduction reduction = find(op, MPI_INT);
  CHECK_FALSE(reduction.vectorised());
  CHECK_FALSE(reduction.commutative());
  CHECK(reduced(reduction, {1, 2}, {3, 4}) == Ints{13, 24});
  CHECK_FALSE(reduction.combine().failed());
  const Op commutes(append, 1);
  CHECK(find(commutes, MPI_INT).commutative());
}

TEST_CASE("a long reduction by a user's operation goes in pieces", "[reduction]") {
  const Op op(append);
  Reduction reduction = find(op, MPI_INT);
  const Ints left(100000, 2), right(100000, 5);
  CHECK(reduced(reduction, left, right) == Ints(100000, 25));
}

TEST_CASE("elements with gaps are as far apart as the datatype says", "[reduction]") {
  const Op op(append);
  const Type gaps(every_other_int_of_four());
  CHECK(find(op, gaps).element() == 16);
}

TEST_CASE("what MPI does not define is refused", "[reduction]") {
  const auto refused = [](MPI_Op op, MPI_Datatype type) {
    return code_of([&] { find(op, type); }) == Code::bad_operation;
  };
  CHECK(refused(MPI_OP_NULL, MPI_INT));
  CHECK(refused(MPI_REPLACE, MPI_INT));
  CHECK(refused(MPI_BAND, MPI_DOUBLE));
  CHECK(refused(MPI_SUM, MPI_CHAR));
  CHECK(refused(MPI_MINLOC, MPI_INT));
  const Type derived(every_other_int());
  CHECK(refused(MPI_SUM, derived));
  CHECK_FALSE(refused(MPI_MINLOC, MPI_2INT));
}

// The MPI decides what is computed beyond the standard; where it computes, so does a loop.
TEST_CASE("what the MPI computes beyond the standard is a loop of ours", "[reduction]") {
  const Datatypes datatypes(g_scratch, true);
  const struct {
    MPI_Op op;
    MPI_Datatype type;
  } pairs[] = {{MPI_LAND, MPI_INTEGER}, {MPI_SUM, MPI_CHAR}, {MPI_BXOR, MPI_CHAR}};
  for (const auto& [op, type] : pairs) {
    int left = 1, right = 1;
    const QuietErrors quiet;
    const bool computes = PMPI_Reduce_local(&left, &right, 1, type, op) == MPI_SUCCESS;
    Operations operations(true);
    const auto resolve = [&, o = op, t = type] {
      return operations.find(o, t, datatypes.layout(t), datatypes);
    };
    if (!computes) {
      CHECK(code_of([&] { resolve(); }) == Code::bad_operation);
      continue;
    }
    const Combine combine = resolve().combine();
    CHECK(combine.error == nullptr);
    int a = 1, b = 1, out = 0;
    combine.apply(combine.context, &a, &b, &out, type == MPI_CHAR ? 1 : sizeof out);
    CHECK(out == right);
  }
}

#if MPI_VERSION >= 4
TEST_CASE("logical operations on a type made with large counts are refused", "[reduction]") {
  MPI_Datatype row;
  MPI_Type_contiguous_c(4, MPI_INT, &row);
  const Type type(row);
  CHECK(code_of([&] { find(MPI_LAND, type); }) == Code::bad_operation);
}
#endif

namespace {

// An int so many bytes from the address of its element; elements are `extent` bytes apart.
MPI_Datatype int_at(MPI_Aint place, MPI_Aint extent) {
  const int one = 1;
  MPI_Datatype there, resized;
  MPI_Type_create_hindexed(1, &one, &place, MPI_INT, &there);
  MPI_Type_create_resized(there, place, extent, &resized);
  MPI_Type_free(&there);
  return resized;
}

// As append(), for int_at(): the address is the element's.
void append_there(void* in, void* inout, int* count, MPI_Datatype* type) {
  int one = 1;
  MPI_Aint lower = 0, extent = 0;
  MPI_Type_get_extent(*type, &lower, &extent);
  for (int i = 0; i < *count; ++i)
    append(static_cast<char*>(in) + lower + i * extent,
           static_cast<char*>(inout) + lower + i * extent, &one, nullptr);
}

}  // namespace

TEST_CASE("elements may begin before their address or behind what they span", "[reduction]") {
  const Op op(append_there);
  for (const MPI_Aint place : {-4, -400, 4, 12, 1 << 20}) {
    const Type type(int_at(place, 4));
    Reduction reduction = find(op, type);
    CHECK(reduction.shift() == place);
    CHECK(reduced(reduction, {1, 2, 7}, {3, 4, 5}) == Ints{13, 24, 75});
  }
  const Type within(int_at(4, 8));
  CHECK(find(op, within).shift() == 0);
}

TEST_CASE("elements that overlap cannot be reduced", "[reduction]") {
  const Op op(append);
  MPI_Datatype vector = every_other_int(), resized;
  MPI_Type_create_resized(vector, 0, 4, &resized);
  MPI_Type_free(&vector);
  const Type type(resized);
  CHECK(code_of([&] { find(op, type); }) == Code::unsupported);
}
