// Copies of datatypes that outlive the program's own.
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

TEST_CASE("a predefined type is used as it is, and so is one that is not to be copied") {
  for (const MPI_Datatype type : {MPI_INT, MPI_DOUBLE_INT, MPI_BYTE})
    CHECK(OwnType(layout_for(type), type).type() == type);
  const Type derived(every_other_int());
  CHECK(OwnType(derived).type() == derived);
}

TEST_CASE("the copy of a derived type is there when the program has freed its own") {
  MPI_Datatype type = every_other_int();
  MPI_Type_commit(&type);
  OwnType own(layout_for(type), type);
  CHECK(own.type() != type);
  MPI_Type_free(&type);
  CHECK(size_of(own.type()) == 8);
  OwnType moved(std::move(own));  // frees it, and the one before does not
  CHECK(size_of(moved.type()) == 8);
}
