// Layout of a datatype's elements, and packing them.
#include "src/data/datatype.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "tests/src/data/types.hpp"

using namespace tutti;
using namespace tutti::tests;

namespace {

Layout layout_of(MPI_Datatype type) { return Datatypes(g_scratch).layout(type); }

std::vector<int> packed(MPI_Datatype type, const std::vector<int>& ints, MPI_Count count) {
  const Datatypes types(g_scratch);
  const Layout layout = types.layout(type);
  std::vector<int> bytes(static_cast<std::size_t>(count * layout.size) / sizeof(int));
  types.pack(ints.data(), count, layout, reinterpret_cast<std::byte*>(bytes.data()));
  return bytes;
}

}  // namespace

TEST_CASE("predefined types, and rows of them, are contiguous", "[datatype]") {
  for (const MPI_Datatype type : {MPI_INT, MPI_INT16_T, MPI_2INT}) {
    int size = 0;
    MPI_Type_size(type, &size);
    const Layout layout = layout_of(type);
    CHECK(layout.contiguous);
    CHECK(layout.size == size);
    CHECK(layout.extent == size);
  }
  MPI_Datatype row;
  MPI_Type_contiguous(3, MPI_DOUBLE, &row);
  const Type type(row);
  CHECK(layout_of(type).contiguous);
  CHECK(layout_of(type).size == 24);
}

TEST_CASE("a type with gaps is packed; so is one whose data stand in another order", "[datatype]") {
  const Type gaps(every_other_int());
  const Layout layout = layout_of(gaps);
  CHECK_FALSE(layout.contiguous);
  CHECK(layout.size == 8);
  CHECK(layout.true_extent == 12);
  CHECK(layout.extent == 12);
  CHECK(layout.lower == 0);

  const int lengths[] = {1, 1}, places[] = {1, 0};
  MPI_Datatype swapped;
  MPI_Type_indexed(2, lengths, places, MPI_INT, &swapped);
  const Type type(swapped);
  CHECK(layout_of(type).size == layout_of(type).extent);
  CHECK_FALSE(layout_of(type).contiguous);
  CHECK(packed(type, {1, 2, 3, 4}, 2) == std::vector<int>{2, 1, 4, 3});
}

TEST_CASE("data may begin before the buffer's address, or behind it", "[datatype]") {
  const int one = 1, minus_one = -1;
  MPI_Datatype before;
  MPI_Type_indexed(1, &one, &minus_one, MPI_INT, &before);
  const Type type(before);
  CHECK(layout_of(type).lower == -static_cast<Bytes>(sizeof(int)));
  CHECK(layout_of(type).true_extent == sizeof(int));
  CHECK_FALSE(layout_of(type).contiguous);
}

TEST_CASE("what was packed can be unpacked, and gaps stay as they are", "[datatype]") {
  const Type gaps(every_other_int_of_four());
  const Datatypes types(g_scratch);
  for (const MPI_Count count : {0, 1, 2, 3, 63, 64, 65, 1000, 4099}) {
    INFO(count << " elements");
    std::vector<int> sent(static_cast<std::size_t>(4 * count)), left, expected;
    std::iota(sent.begin(), sent.end(), 1);
    for (std::size_t i = 0; i < sent.size(); ++i) {
      if (i % 2 == 0) left.push_back(sent[i]);
      expected.push_back(i % 2 == 0 ? sent[i] : -1);
    }
    const std::vector<int> bytes = packed(gaps, sent, count);
    CHECK(bytes == left);
    std::vector<int> ints(sent.size(), -1);
    types.unpack(reinterpret_cast<const std::byte*>(bytes.data()), ints.data(), count,
                 types.layout(gaps));
    CHECK(ints == expected);
  }
}

// A piece every other double.
TEST_CASE("regular pieces become loops, however many there are", "[datatype]") {
  constexpr int kPieces = 100000;
  constexpr MPI_Aint kStep = 2 * sizeof(double);
  const std::vector<int> ones(kPieces, 1);
  std::vector<int> places(kPieces);
  std::vector<MPI_Aint> offsets(kPieces);
  const std::vector<MPI_Datatype> doubles(kPieces, MPI_DOUBLE);
  for (int i = 0; i < kPieces; ++i) {
    places[static_cast<std::size_t>(i)] = 2 * i;
    offsets[static_cast<std::size_t>(i)] = i * kStep;
  }
  MPI_Datatype made[5];
  MPI_Type_indexed(kPieces, ones.data(), places.data(), MPI_DOUBLE, &made[0]);
  MPI_Type_create_hindexed(kPieces, ones.data(), offsets.data(), MPI_DOUBLE, &made[1]);
  MPI_Type_create_indexed_block(kPieces, 1, places.data(), MPI_DOUBLE, &made[2]);
  MPI_Type_create_hindexed_block(kPieces, 1, offsets.data(), MPI_DOUBLE, &made[3]);
  MPI_Type_create_struct(kPieces, ones.data(), offsets.data(), doubles.data(), &made[4]);
  for (const MPI_Datatype each : made) {
    const Type type(each);
    const Layout layout = layout_of(type);
    REQUIRE(layout.is_known());
    CHECK(layout.size == Bytes{kPieces} * 8);
    CHECK(layout.form->map.loops() == 1);
    CHECK(layout.form->map.whole().count == kPieces);
    CHECK(layout.form->map.whole().stride == kStep);
  }
}

TEST_CASE("pieces that are many and irregular are packed by the MPI", "[datatype]") {
  constexpr int kPieces = 100000;
  std::vector<int> places(kPieces), ints(4 * kPieces), expected(kPieces);
  std::iota(ints.begin(), ints.end(), 1);
  for (int i = 0; i < kPieces; ++i) {
    const int place = 3 * i + i % 2 + i % 3 / 2;
    places[static_cast<std::size_t>(i)] = place;
    expected[static_cast<std::size_t>(i)] = place + 1;
  }
  MPI_Datatype made;
  MPI_Type_create_indexed_block(kPieces, 1, places.data(), MPI_INT, &made);
  const Type type(made);
  CHECK_FALSE(layout_of(type).is_known());
  CHECK(packed(type, ints, 1) == expected);
}

namespace {

// `bytes` of memory that begin at a page, but one page again and again.
class Repeated {
 public:
  explicit Repeated(std::size_t bytes) : bytes_(bytes) {
    const int file = memfd_create("repeated", MFD_CLOEXEC);
    REQUIRE(ftruncate(file, kPart) == 0);
    memory_ = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    for (std::size_t at = 0; at < bytes; at += kPart)
      REQUIRE(mmap(static_cast<std::byte*>(memory_) + at, kPart, PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_FIXED, file, 0) != MAP_FAILED);
    close(file);
  }
  ~Repeated() { munmap(memory_, bytes_); }
  Repeated(const Repeated&) = delete;
  Repeated& operator=(const Repeated&) = delete;
  std::byte* data() const { return static_cast<std::byte*>(memory_); }

  static constexpr std::size_t kPart = std::size_t{16} << 20;

 private:
  std::size_t bytes_;
  void* memory_;
};

}  // namespace

// Pieces of a mebibyte, a kibibyte apart, so that they overlap: little memory holds them.
TEST_CASE("one element with gaps may be longer than 2 GiB", "[datatype]") {
  constexpr int kPiece = 1 << 20, kPieces = 2049, kStep = 1024;
  MPI_Datatype made, rest;
  MPI_Type_create_hvector(kPieces, kPiece, kStep, MPI_BYTE, &made);
  const int lengths[] = {1, 5};
  const MPI_Aint places[] = {kStep, 0};
  const MPI_Datatype inner[] = {made, MPI_BYTE};
  MPI_Type_create_struct(2, lengths, places, inner, &rest);
  const Type pieces(made), type(rest);
  std::vector<std::byte> typed(kPiece + kPieces * kStep);
  for (std::size_t i = 0; i < typed.size(); ++i) typed[i] = static_cast<std::byte>(i * 13 / 7);
  const Datatypes types(g_scratch);
  const Layout layout = types.layout(type);
  CHECK(layout.size == Bytes{kPieces} * kPiece + 5);
  const Repeated packed((static_cast<std::size_t>(layout.size) / Repeated::kPart + 1) *
                        Repeated::kPart);
  types.pack(typed.data(), 1, layout, packed.data());
  const std::byte* const end = packed.data() + layout.size;
  CHECK(std::equal(end - 5, end, typed.data()));
  CHECK(std::equal(end - 5 - kPiece, end - 5, typed.data() + kPieces * kStep));
}

namespace {

// Memory of which only those pages are taken that are touched.
class Sparse {
 public:
  explicit Sparse(Bytes bytes) : bytes_(static_cast<std::size_t>(bytes)) {
    memory_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    REQUIRE(memory_ != MAP_FAILED);
  }
  ~Sparse() { munmap(memory_, bytes_); }
  Sparse(const Sparse&) = delete;
  Sparse& operator=(const Sparse&) = delete;
  // The int that begins at that byte.
  int& at(Bytes offset) const {
    return *reinterpret_cast<int*>(static_cast<std::byte*>(memory_) + offset);
  }

 private:
  std::size_t bytes_;
  void* memory_;
};

}  // namespace

// Strides and extents of 3 GiB, forwards and backwards: no offset fits in 31 bits, and some do not
// fit in 32.
TEST_CASE("pieces and elements may be further apart than 2 GiB", "[datatype]") {
  constexpr Bytes kGiB = Bytes{1} << 30, kStride = 3 * kGiB, kExtent = 10 * kGiB;
  constexpr int kPieces = 3, kElements = 2;
  for (const Bytes stride : {kStride, -kStride}) {
    INFO("a stride of " << stride << " bytes");
    MPI_Datatype vector, resized;
    MPI_Type_create_hvector(kPieces, 2, stride, MPI_INT, &vector);
    MPI_Type_create_resized(vector, 0, kExtent, &resized);
    const Type inner(vector), type(resized);
    const Datatypes types(g_scratch);
    const Layout layout = types.layout(type);
    REQUIRE(layout.is_known());
    CHECK(layout.true_extent == 2 * kStride + 8);
    const Bytes first = stride < 0 ? 2 * kStride : 0;
    const auto place = [&](int element, int piece) {
      return first + element * kExtent + piece * stride;
    };
    const Sparse sent(kElements * kExtent), received(kElements * kExtent);
    std::vector<int> expected;
    for (int element = 0; element < kElements; ++element)
      for (int piece = 0; piece < kPieces; ++piece)
        for (int i = 0; i < 2; ++i) {
          expected.push_back(100 * element + 10 * piece + i + 1);
          sent.at(place(element, piece) + 4 * i) = expected.back();
        }
    std::vector<int> bytes(expected.size());
    types.pack(&sent.at(first), kElements, layout, reinterpret_cast<std::byte*>(bytes.data()));
    CHECK(bytes == expected);
    types.unpack(reinterpret_cast<const std::byte*>(bytes.data()), &received.at(first), kElements,
                 layout);
    for (int element = 0; element < kElements; ++element)
      for (int piece = 0; piece < kPieces; ++piece) {
        INFO("element " << element << ", piece " << piece);
        const Bytes at = place(element, piece);
        CHECK(received.at(at) == sent.at(at));
        CHECK(received.at(at + 4) == sent.at(at + 4));
        CHECK(received.at(at + 8) == 0);  // the gap
      }
  }
}

#if MPI_VERSION >= 4
TEST_CASE("types may be made with large counts", "[datatype]") {
  MPI_Datatype row, rows, column, pieces;
  MPI_Type_contiguous_c(4, MPI_INT, &row);
  const Type contiguous(row);
  CHECK(layout_of(contiguous).contiguous);
  CHECK(layout_of(contiguous).size == 16);
  MPI_Type_contiguous(2, contiguous, &rows);
  const Type nested(rows);
  CHECK(layout_of(nested).contiguous);

  MPI_Type_vector_c(2, 1, 3, MPI_INT, &column);
  const Type vector(column);
  CHECK(packed(vector, {1, 2, 3, 4}, 1) == std::vector<int>{1, 4});
  const MPI_Count lengths[] = {1, 2}, places[] = {3, 0};
  MPI_Type_indexed_c(2, lengths, places, MPI_INT, &pieces);
  const Type indexed(pieces);
  CHECK(packed(indexed, {1, 2, 3, 4}, 1) == std::vector<int>{4, 1, 2});
}
#endif

// MPI does not let them be freed, and they come out of types that were made of them.
TEST_CASE("types may be made of Fortran's kinds", "[datatype]") {
  MPI_Datatype real, copy, row;
  MPI_Type_create_f90_real(15, MPI_UNDEFINED, &real);
  CHECK(layout_of(real).contiguous);
  for (int i = 0; i < 3; ++i) {
    MPI_Type_dup(real, &copy);
    const Type duplicate(copy);
    CHECK(layout_of(duplicate).contiguous);
    MPI_Type_contiguous(3, real, &row);
    const Type contiguous(row);
    CHECK(layout_of(contiguous).contiguous);
    CHECK(layout_of(contiguous).size == 24);
  }
}

TEST_CASE("a type that cannot be used is named as such", "[datatype]") {
  MPI_Datatype raw = every_other_int();
  CHECK(code_of([] { layout_of(MPI_DATATYPE_NULL); }) == Code::bad_datatype);
  CHECK(code_of([&] { layout_of(raw); }) == Code::datatype_not_committed);
  MPI_Type_free(&raw);
}

TEST_CASE("messages call an argument that is a type as MPI does", "[datatype]") {
  CHECK(TypeArgument{}.words() == "the datatype");
  CHECK(TypeArgument{"buffer"}.words() == "the datatype of `buffer`");
  CHECK(TypeArgument{"sendbuf"}.words() == "`sendtype`");
  CHECK(TypeArgument{"recvbuf"}.words() == "`recvtype`");
  CHECK(TypeArgument{"recvbuf", 3}.words() == "`recvtypes[3]`");
}
