// Makes derived datatypes, as programs make them for rows, columns and fields.
#include "tools/bench/layouts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"

namespace tutti::tools {
namespace {

// In bytes, of an element of `pieces` pieces.
MPI_Datatype vector(int pieces, int piece) {
  MPI_Datatype type;
  MPI_Type_vector(pieces, piece, 2 * piece, MPI_BYTE, &type);
  return type;
}

MPI_Datatype with_extent(MPI_Datatype type, MPI_Aint extent) {
  MPI_Datatype other;
  MPI_Type_create_resized(type, 0, extent, &other);
  MPI_Type_free(&type);
  return other;
}

// One field of an array of structures.
MPI_Datatype resized(int, int piece) {
  MPI_Datatype type;
  MPI_Type_contiguous(piece, MPI_BYTE, &type);
  return with_extent(type, MPI_Aint{2} * piece);
}

// Two fields, and what lies between and behind them.
MPI_Datatype structure(int pieces, int piece) {
  const int lengths[] = {piece, piece};
  const MPI_Aint offsets[] = {0, MPI_Aint{3} * piece / 2};
  const MPI_Datatype types[] = {MPI_BYTE, MPI_BYTE};
  MPI_Datatype type;
  MPI_Type_create_struct(pieces, lengths, offsets, types, &type);
  return with_extent(type, MPI_Aint{2} * pieces * piece);
}

// Gaps of several lengths.
MPI_Datatype indexed(int pieces, int piece) {
  std::vector<int> lengths, offsets;
  for (int i = 0; i < pieces; ++i) {
    lengths.push_back(piece);
    offsets.push_back(2 * piece * i + i * 5 % 8 * piece / 8);
  }
  MPI_Datatype type;
  MPI_Type_indexed(pieces, lengths.data(), offsets.data(), MPI_BYTE, &type);
  return with_extent(type, MPI_Aint{2} * pieces * piece);
}

// Columns in the middle of a matrix.
MPI_Datatype subarray(int pieces, int piece) {
  const int sizes[] = {pieces, 2 * piece}, parts[] = {pieces, piece}, starts[] = {0, piece / 2};
  MPI_Datatype type;
  MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, MPI_BYTE, &type);
  return type;
}

struct Constructor {
  const char* name;
  MPI_Datatype (*make)(int pieces, int piece);
  int most;  // pieces of an element; 0: one element is the whole block
};
constexpr Constructor kConstructors[] = {{"vector", vector, 0},
                                         {"resized", resized, 1},
                                         {"struct", structure, 2},
                                         {"indexed", indexed, 16},
                                         {"subarray", subarray, 0}};

// The most that divides all pieces, halving from `most` on.
int pieces_of_element(int all, int most) {
  if (most == 0) return all;
  while (all % most != 0) most /= 2;
  return most;
}

}  // namespace

const std::vector<std::string>& type_constructors() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> found;
    for (const Constructor& constructor : kConstructors) found.emplace_back(constructor.name);
    return found;
  }();
  return names;
}

const std::vector<std::string>& type_sides() {
  static const std::vector<std::string> names{"both", "send", "receive"};
  return names;
}

BlockLayout::BlockLayout(const TypeWish& wish, std::int64_t bytes) : BlockLayout(bytes) {
  if (wish.constructor.empty()) return;
  const std::int64_t piece = std::min<std::int64_t>(wish.piece, bytes);
  if (piece == 0 || bytes % piece != 0)
    throw Error(Code::bad_configuration,
                fmt::format("{} bytes are not a number of pieces of {} bytes; choose other --bytes "
                            "or another --piece",
                            bytes, wish.piece));
  const auto pieces = static_cast<int>(bytes / piece);
  const Constructor& constructor = *std::ranges::find_if(
      kConstructors, [&](const Constructor& one) { return wish.constructor == one.name; });
  const int each = pieces_of_element(pieces, constructor.most);
  type_ = constructor.make(each, static_cast<int>(piece));
  count_ = pieces / each;
  MPI_Type_commit(&type_);
  MPI_Aint lower = 0, true_extent = 0;
  MPI_Type_get_extent(type_, &lower, &extent_);
  MPI_Type_get_true_extent(type_, &lower, &true_extent);
  beyond_ = std::max<MPI_Aint>(0, lower + true_extent - extent_);
}

BlockLayout::~BlockLayout() {
  if (type_ != MPI_BYTE) MPI_Type_free(&type_);
}

std::size_t BlockLayout::room(int blocks) const noexcept {
  return static_cast<std::size_t>(extent_ * count_ * blocks + beyond_);
}

}  // namespace tutti::tools
