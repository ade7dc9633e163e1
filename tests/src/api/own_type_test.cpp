// Datatypes that are there when the program has freed them.
#include "src/api/own_type.hpp"

#include <catch2/catch.hpp>

#include "tests/src/data/types.hpp"

using namespace tutti;
using namespace tutti::tests;

namespace {

Layout layout_for(MPI_Datatype type) { return Datatypes(g_scratch).layout(type); }
int size_of(MPI_Datatype type) {
  int size = -1;
  MPI_Type_size(type, &size);
  return size;
}

}  // namespace

TEST_CASE("a predefined type is used as it is, and so is one that is not to be held") {
  for (const MPI_Datatype type : {MPI_INT, MPI_DOUBLE_INT, MPI_BYTE})
    CHECK(OwnType(layout_for(type), type).type() == type);
  const Type derived(every_other_int());
  CHECK(OwnType(derived).type() == derived);
}

namespace {

int g_copied = 0;
int note_copy(MPI_Datatype, int, void*, void*, void*, int*) {
  ++g_copied;
  return MPI_ERR_OTHER;
}

}  // namespace

TEST_CASE("a derived type is there when the program has freed it") {
  MPI_Datatype type = every_other_int();
  const MPI_Datatype handle = type;
  int key = MPI_KEYVAL_INVALID;
  MPI_Type_create_keyval(note_copy, MPI_TYPE_NULL_DELETE_FN, &key, nullptr);
  MPI_Type_set_attr(type, key, nullptr);
  MPI_Type_commit(&type);
  OwnType own(layout_for(type), type);
  CHECK(g_copied == 0);
  MPI_Type_free(&type);
  CHECK(own.type() == handle);
  CHECK(size_of(own.type()) == 8);
  OwnType moved(std::move(own));  // frees it, and the one before does not
  CHECK(moved.type() == handle);
  CHECK(size_of(moved.type()) == 8);
  MPI_Type_free_keyval(&key);
}
