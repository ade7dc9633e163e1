// Layouts that are kept with datatypes, and for how long.
#include "src/data/kept_types.hpp"

#include <vector>

#include "src/data/datatype.hpp"
#include "tests/src/data/types.hpp"

using namespace tutti;
using namespace tutti::tests;

namespace {

// `length` ints of every `length + 1`.
MPI_Datatype made(int length) {
  MPI_Datatype type;
  MPI_Type_vector(2, length, length + 1, MPI_INT, &type);
  MPI_Type_commit(&type);
  return type;
}

}  // namespace

TEST_CASE("a type that is used again is not read again", "[kept]") {
  const Datatypes types(g_scratch);
  const Type type(every_other_int());
  for (int i = 0; i < 10; ++i) CHECK(types.layout(type).size == 8);
  CHECK(types.kept().read() == 2);
  CHECK(types.kept().kept() == 1);
}

TEST_CASE("a handle that comes again for another type is read anew", "[kept]") {
  const Datatypes types(g_scratch);
  for (int i = 1; i < 300; ++i) {
    MPI_Datatype type = made(i);
    for (int use = 0; use < 3; ++use) {
      const Layout layout = types.layout(type);
      CHECK(layout.size == 8 * i);
      CHECK(layout.extent == 4 * (2 * i + 1));
      CHECK(layout.form->map.whole().stride == 4 * (i + 1));
    }
    MPI_Type_free(&type);
  }
}

TEST_CASE("types that are made for one call each are seldom kept", "[kept]") {
  const Datatypes types(g_scratch);
  constexpr int kCalls = 4000;
  for (int i = 0; i < kCalls; ++i) {
    MPI_Datatype type = made(3);
    CHECK(types.layout(type).size == 24);
    MPI_Type_free(&type);
  }
  CHECK(types.kept().read() == kCalls);
  CHECK(types.kept().kept() < 2000);
#ifdef MPICH_VERSION  // which gives the same handle each time
  CHECK(types.kept().kept() < 100);
#endif
}

TEST_CASE("a type may be freed while what was read of it is used", "[kept]") {
  const std::vector<int> ints{1, 2, 3, 4, 5, 6, 7};
  const Datatypes types(g_scratch);
  for (int uses = 1; uses < 4; ++uses) {
    MPI_Datatype type = made(2);
    for (int i = 1; i < uses; ++i) types.layout(type);
    const Layout layout = types.layout(type);
    MPI_Type_free(&type);
    const Type other(every_other_int());
    CHECK(types.layout(other).size == 8);
    std::vector<int> packed(4);
    types.pack(ints.data(), 1, layout, reinterpret_cast<std::byte*>(packed.data()));
    CHECK(packed == std::vector<int>{1, 2, 4, 5});
  }
}

TEST_CASE("a type that the MPI packs may be freed while it is used", "[kept]") {
  constexpr int kPieces = 70000;  // more than are read
  std::vector<int> places(kPieces), ints(3 * kPieces), packed(kPieces);
  for (int i = 0; i < kPieces; ++i) places[static_cast<std::size_t>(i)] = 3 * i - i % 2;
  for (std::size_t i = 0; i < ints.size(); ++i) ints[i] = static_cast<int>(i);
  const Datatypes types(g_scratch);
  for (int uses = 1; uses < 4; ++uses) {
    MPI_Datatype type;
    MPI_Type_create_indexed_block(kPieces, 1, places.data(), MPI_INT, &type);
    MPI_Type_commit(&type);
    for (int i = 1; i < uses; ++i) types.layout(type);
    const Layout layout = types.layout(type);
    REQUIRE_FALSE(layout.form->known);
    MPI_Type_free(&type);
    types.pack(ints.data(), 1, layout, reinterpret_cast<std::byte*>(packed.data()));
    CHECK(packed == places);
  }
}

TEST_CASE("a type may be freed later than Tutti ends", "[kept]") {
  MPI_Datatype type = every_other_int();
  MPI_Type_commit(&type);
  for (int i = 0; i < 3; ++i) {
    const Datatypes types(g_scratch);
    for (int use = 0; use < 3; ++use) CHECK(types.layout(type).size == 8);
    CHECK(types.kept().kept() == 1);
  }
  MPI_Type_free(&type);
  const Datatypes types(g_scratch);
  const Type other(every_other_int());
  CHECK(types.layout(other).size == 8);
}
