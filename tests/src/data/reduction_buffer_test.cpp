// The buffers of a reduction, with gaps and without.
#include "src/data/reduction_buffer.hpp"

#include <algorithm>
#include <vector>

#include "tests/src/data/types.hpp"

using namespace tutti;
using namespace tutti::tests;
using Ints = std::vector<int>;

namespace {

void nothing(void*, void*, int*, MPI_Datatype*) {}

struct Fixture {
  explicit Fixture(MPI_Datatype t) : type(t), layout(types.layout(t)) {
    MPI_Op_create(nothing, 1, &op);
    reduction = Operations().find(op, type, layout, types);
  }
  ~Fixture() { MPI_Op_free(&op); }
  Fixture(const Fixture&) = delete;
  Fixture& operator=(const Fixture&) = delete;
  ReductionBuffer buffer(void* address, MPI_Count count) const {
    return {types, layout, reduction, address, count, type, "buffer"};
  }

  const MPI_Datatype type;
  Datatypes types{g_scratch};
  const Layout layout;
  MPI_Op op = MPI_OP_NULL;
  Reduction reduction;
};

}  // namespace

TEST_CASE("elements without gaps are reduced where they lie", "[reduction]") {
  const Fixture f(MPI_INT);
  Ints data{1, 2, 3};
  ReductionBuffer buffer = f.buffer(data.data(), 3);
  CHECK(buffer.bytes() == 12);
  CHECK(buffer.read() == reinterpret_cast<std::byte*>(data.data()));
  CHECK(buffer.room(false) == buffer.read());
  CHECK(code_of([&] { f.buffer(nullptr, 3); }) == Code::bad_buffer);
  CHECK(code_of([&] { f.buffer(nullptr, 0); }) == Code::success);
}

TEST_CASE("elements with gaps are copied, and gaps are neither read nor written", "[reduction]") {
  const Type type(every_other_int_of_four());
  const Fixture f(type);
  Ints data{1, 2, 3, 4, 5, 6, 7, 8};
  ReductionBuffer buffer = f.buffer(data.data(), 2);
  CHECK(buffer.bytes() == 32);
  auto* const room = reinterpret_cast<int*>(buffer.room(true));
  CHECK(Ints(room, room + 8) == Ints{1, 0, 3, 0, 5, 0, 7, 0});
  for (int i = 0; i < 8; ++i) room[i] = 10 + i;
  buffer.deliver();
  CHECK(data == Ints{10, 2, 12, 4, 14, 6, 16, 8});
}

TEST_CASE("short gaps inside of elements are read, and not written", "[reduction]") {
  struct Pair {
    int number;
    double value;
  };
  static_assert(sizeof(Pair) == 16);
  const int lengths[] = {1, 1};
  const MPI_Aint places[] = {0, 8};
  const MPI_Datatype inner[] = {MPI_INT, MPI_DOUBLE};
  MPI_Datatype made;
  MPI_Type_create_struct(2, lengths, places, inner, &made);
  const Type type(made);
  const Fixture f(type);
  std::vector<Pair> data{{1, 2}, {3, 4}};
  std::vector<std::byte> gaps(8, std::byte{0x77});
  auto* const bytes = reinterpret_cast<std::byte*>(data.data());
  std::copy_n(gaps.begin(), 4, bytes + 4);
  std::copy_n(gaps.begin(), 4, bytes + 20);
  ReductionBuffer operand = f.buffer(data.data(), 2);
  CHECK(operand.bytes() == 32);
  CHECK(operand.read() == bytes);
  ReductionBuffer result = f.buffer(data.data(), 2);
  std::byte* const room = result.room(false);
  CHECK(room != bytes);
  std::fill_n(room, 32, std::byte{0});
  result.deliver();
  CHECK(data[0].number == 0);
  CHECK(data[1].value == 0);
  CHECK(std::equal(gaps.begin(), gaps.begin() + 4, bytes + 4));
  CHECK(std::equal(gaps.begin(), gaps.begin() + 4, bytes + 20));
  ReductionBuffer detached = f.buffer(data.data(), 2);
  detached.detach();
  CHECK(detached.read() != bytes);
}

TEST_CASE("the two buffers of a reduction must not share bytes", "[reduction]") {
  const Fixture f(MPI_INT);
  Ints data(8);
  const ReductionBuffer first = f.buffer(data.data(), 4), second = f.buffer(data.data() + 4, 4);
  CHECK(code_of([&] { first.must_not_share(second, "-"); }) == Code::success);
  CHECK(code_of([&] { first.must_not_share(first, "-"); }) == Code::buffers_overlap);
}

TEST_CASE("elements are found where the datatype's lower bound says", "[reduction]") {
  const int one = 1;
  const MPI_Aint behind = 8;
  MPI_Datatype made;
  MPI_Type_create_hindexed(1, &one, &behind, MPI_INT, &made);
  const Type type(made);  // its extent is 4
  const Fixture f(type);
  Ints data{1, 2, 3, 4, 5};
  ReductionBuffer buffer = f.buffer(data.data(), 2);
  CHECK(buffer.bytes() == 8);
  auto* const room = reinterpret_cast<int*>(buffer.room(true));
  CHECK(Ints(room, room + 2) == Ints{3, 4});
  room[0] = 10;
  room[1] = 11;
  buffer.deliver();
  CHECK(data == Ints{1, 2, 10, 11, 5});
}
