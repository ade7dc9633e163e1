// Datatypes and errors for the tests of this folder.
#pragma once

#include <mpi.h>

#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "base/scratch.hpp"

namespace tutti::tests {

// The pool of all Datatypes here: tests of what is kept make Datatypes of their own.
inline ScratchPool g_scratch{Bytes{1} << 20};

// A committed datatype, freed at the end.
class Type {
 public:
  explicit Type(MPI_Datatype type) : type_(type) { MPI_Type_commit(&type_); }
  ~Type() { MPI_Type_free(&type_); }
  Type(const Type&) = delete;
  Type& operator=(const Type&) = delete;
  operator MPI_Datatype() const noexcept { return type_; }  // NOLINT(google-explicit-constructor)

 private:
  MPI_Datatype type_;
};

// Two ints of four: the first and the third.
inline MPI_Datatype every_other_int() {
  MPI_Datatype type;
  MPI_Type_vector(2, 1, 2, MPI_INT, &type);
  return type;
}

// That type with its elements four ints apart.
inline MPI_Datatype every_other_int_of_four() {
  MPI_Datatype vector = every_other_int(), type;
  MPI_Type_create_resized(vector, 0, 4 * sizeof(int), &type);
  MPI_Type_free(&vector);
  return type;
}

// The code of the Error that a call throws.
template <class Call>
Code code_of(Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    CHECK(error.message.size() > 10);
    return error.code;
  }
  return Code::success;
}

}  // namespace tutti::tests
