// Derived datatypes for the buffers of the bench: half of the memory of a block is gaps.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>
#include <vector>

namespace tutti::tools {

enum class TypeSide { both, send, receive };

// The datatype that the user wants, by its constructor; empty: bytes without gaps.
struct TypeWish {
  std::string constructor;
  int piece = 64;  // bytes between two gaps; a block that is shorter is one piece
  TypeSide side = TypeSide::both;
};

const std::vector<std::string>& type_constructors();  // vector, resized, …
const std::vector<std::string>& type_sides();         // in the order of TypeSide

// A block as a number of elements of a datatype that hold its data. Blocks follow each other.
class BlockLayout {
 public:
  // Bytes without gaps.
  explicit BlockLayout(std::int64_t bytes) : count_(static_cast<int>(bytes)), extent_(1) {}
  // Throws Error{bad_configuration} if the bytes are no multiple of the pieces.
  BlockLayout(const TypeWish& wish, std::int64_t bytes);
  ~BlockLayout();
  BlockLayout(const BlockLayout&) = delete;
  BlockLayout& operator=(const BlockLayout&) = delete;

  MPI_Datatype type() const noexcept { return type_; }
  int count() const noexcept { return count_; }
  // The memory that so many blocks take.
  std::size_t room(int blocks) const noexcept;

 private:
  MPI_Datatype type_ = MPI_BYTE;
  int count_;
  MPI_Aint extent_, beyond_ = 0;  // bytes from an element to the next; data behind the last extent
};

}  // namespace tutti::tools
