// How a datatype was made: MPI's constructor, which MPI calls the combiner, and its arguments.
// Makes only local MPI calls.
#pragma once

#include <mpi.h>

#include <span>
#include <vector>

#include "base/types.hpp"
#include "src/data/common_types.hpp"

namespace tutti {

// How MPI made `type`, an MPI_COMBINER_…. Throws Error{bad_datatype}.
int combiner_of(MPI_Datatype type);
// Types of MPI's own, those of Fortran's kinds included. They have no arguments, and must not be
// freed.
bool is_predefined(int combiner) noexcept;

class Constructor {
 public:
  // Throws Error{bad_datatype}, std::bad_alloc.
  Constructor(MPI_Datatype type, const CommonTypes& common);
  ~Constructor();
  Constructor(const Constructor&) = delete;
  Constructor& operator=(const Constructor&) = delete;

  int combiner() const noexcept { return combiner_; }
  // The arguments that are numbers, in the order of the C function, but for two: MPI has some in
  // other places for large counts. Subarrays have the number of dimensions and the order first;
  // distributed arrays (see DistributedArray) have the sizes last.
  std::span<const Bytes> numbers() const noexcept { return {numbers_, count_}; }
  // The datatypes among the arguments, valid as long as this object lives.
  std::span<const MPI_Datatype> types() const noexcept { return {types_, type_count_}; }

 private:
  void read_small(MPI_Datatype type, std::size_t integers, std::size_t addresses);
  void read_large(MPI_Datatype type, std::size_t integers, std::size_t addresses,
                  std::size_t counts);
  void make_room();

  // Constructors with at most so many arguments are read without an allocation.
  static constexpr std::size_t kFewNumbers = 16, kFewTypes = 8;
  const CommonTypes& common_;
  int combiner_ = 0;
  std::size_t count_ = 0, type_count_ = 0;
  Bytes* numbers_ = few_numbers_;
  MPI_Datatype* types_ = few_types_;
  Bytes few_numbers_[kFewNumbers];
  MPI_Datatype few_types_[kFewTypes];
  std::vector<Bytes> many_numbers_;
  std::vector<MPI_Datatype> many_types_;
};

}  // namespace tutti
