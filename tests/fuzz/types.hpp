// Datatypes built at random through MPI, each with the typemap that MPI defines for it.
#pragma once

#include <mpi.h>

#include <vector>

#include "base/types.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace tutti::fuzz {

constexpr std::size_t kMostEntries = 300;
constexpr int kDeepest = 4;

// Bytes that follow each other in memory, at an offset from the buffer's address.
struct Entry {
  Bytes offset;
  Bytes bytes;
};

struct Type {
  MPI_Datatype handle = MPI_DATATYPE_NULL;
  std::vector<Entry> map;  // as MPI defines the type, in order
  // MPI_Pack is right. MPICH 4.0 divides by zero when it packs a structure with an empty vector in
  // it, and reads elsewhere where an extent is negative.
  bool mpi_packs = true;
  Bytes extent() const {
    MPI_Aint lower = 0, extent = 0;
    MPI_Type_get_extent(handle, &lower, &extent);
    return extent;
  }
};

// All handles of one input.
class Types {
 public:
  explicit Types(Input& input) : input_(input) {}
  ~Types() {
    for (MPI_Datatype& made : made_) MPI_Type_free(&made);
  }
  Types(const Types&) = delete;
  Types& operator=(const Types&) = delete;

  // Its typemap is empty if it would be too long, or if MPI refuses it.
  Type make(int depth = 0) {
    if (depth == kDeepest) return predefined();
    switch (input_.below(14)) {
      case 0: return contiguous(make(depth + 1));
      case 1: return vector(make(depth + 1), true);
      case 2: return vector(make(depth + 1), false);
      case 3: return indexed(make(depth + 1), true);
      case 4: return indexed(make(depth + 1), false);
      case 5: return structure(depth + 1);
      case 6: return resized(make(depth + 1));
      case 7: return duplicate(make(depth + 1));
      case 9: return blocks(make(depth + 1), true);
      case 10: return blocks(make(depth + 1), false);
      case 11: return subarray(make(depth + 1));
      case 12: return large(make(depth + 1));
      case 13: return distributed(make(depth + 1));
      default: return predefined();
    }
  }

 private:
  int small() { return static_cast<int>(input_.below(4)); }
  int place() { return static_cast<int>(input_.take<std::int8_t>()); }

  static Type predefined(std::size_t which) {
    switch (which) {
      case 0: return {MPI_BYTE, {{0, 1}}, true};
      case 1: return {MPI_SHORT, {{0, 2}}, true};
      case 2: return {MPI_DOUBLE, {{0, 8}}, true};
      case 3: return {MPI_2INT, {{0, 8}}, true};
      case 4: return {MPI_SHORT_INT, {{0, 2}, {4, 4}}, true};
      case 5: return {MPI_DOUBLE_INT, {{0, 8}, {8, 4}}, true};
      default: return {MPI_INT, {{0, 4}}, true};
    }
  }
  Type predefined() { return predefined(input_.below(7)); }

  static void repeat(const Type& inner, Bytes offset, int times, std::vector<Entry>& map) {
    const Bytes extent = inner.extent();
    for (int i = 0; i < times && map.size() <= kMostEntries; ++i)
      for (const Entry& entry : inner.map)
        map.push_back({offset + i * extent + entry.offset, entry.bytes});
  }
  Type keep(int code, MPI_Datatype handle, std::vector<Entry> map, bool mpi_packs) {
    if (code != MPI_SUCCESS) return predefined(0);
    made_.push_back(handle);
    Type made{handle, std::move(map), mpi_packs};
    return made.map.size() <= kMostEntries ? made : predefined(0);
  }

  Type contiguous(const Type& inner) {
    const int count = small();
    MPI_Datatype made;
    std::vector<Entry> map;
    repeat(inner, 0, count, map);
    const int code = MPI_Type_contiguous(count, inner.handle, &made);
    return keep(code, made, std::move(map), inner.mpi_packs);
  }
  Type vector(const Type& inner, bool in_extents) {
    const int count = small(), length = small(), stride = place();
    const Bytes step = in_extents ? stride * inner.extent() : stride;
    MPI_Datatype made;
    std::vector<Entry> map;
    for (int i = 0; i < count; ++i) repeat(inner, i * step, length, map);
    const int code = in_extents
                         ? MPI_Type_vector(count, length, stride, inner.handle, &made)
                         : MPI_Type_create_hvector(count, length, stride, inner.handle, &made);
    return keep(code, made, std::move(map), inner.mpi_packs);
  }
  Type indexed(const Type& inner, bool in_extents) {
    int lengths[3], places[3];
    MPI_Aint addresses[3];
    MPI_Datatype made;
    std::vector<Entry> map;
    const int count = small();
    for (int i = 0; i < count; ++i) {
      lengths[i] = small();
      addresses[i] = places[i] = place();
      repeat(inner, in_extents ? places[i] * inner.extent() : places[i], lengths[i], map);
    }
    const int code = in_extents
                         ? MPI_Type_indexed(count, lengths, places, inner.handle, &made)
                         : MPI_Type_create_hindexed(count, lengths, addresses, inner.handle, &made);
    return keep(code, made, std::move(map), inner.mpi_packs);
  }
  Type blocks(const Type& inner, bool in_extents) {
    int places[3];
    MPI_Aint addresses[3];
    MPI_Datatype made;
    std::vector<Entry> map;
    const int count = small(), length = small();
    for (int i = 0; i < count; ++i) {
      addresses[i] = places[i] = place();
      repeat(inner, in_extents ? places[i] * inner.extent() : places[i], length, map);
    }
    const int code =
        in_extents ? MPI_Type_create_indexed_block(count, length, places, inner.handle, &made)
                   : MPI_Type_create_hindexed_block(count, length, addresses, inner.handle, &made);
    return keep(code, made, std::move(map), inner.mpi_packs);
  }
  Type subarray(const Type& inner) {
    int sizes[3], parts[3], starts[3];
    const int dimensions = 1 + small() % 3;
    const bool c_order = input_.below(2) == 0;
    for (int i = 0; i < dimensions; ++i) {
      sizes[i] = 1 + small();
      parts[i] = 1 + small() % sizes[i];
      starts[i] = small() % (sizes[i] - parts[i] + 1);
    }
    // The dimension whose index changes most slowly first.
    Bytes stride = inner.extent();
    for (int i = 0; i < dimensions; ++i) stride *= sizes[i];
    std::vector<Bytes> places{0};
    for (int i = 0; i < dimensions; ++i) {
      const int d = c_order ? i : dimensions - 1 - i;
      stride /= sizes[d];
      std::vector<Bytes> next;
      for (const Bytes place : places)
        for (int k = 0; k < parts[d]; ++k) next.push_back(place + (starts[d] + k) * stride);
      places = std::move(next);
    }
    std::vector<Entry> map;
    for (const Bytes place : places) repeat(inner, place, 1, map);
    MPI_Datatype made;
    const int code =
        MPI_Type_create_subarray(dimensions, sizes, parts, starts,
                                 c_order ? MPI_ORDER_C : MPI_ORDER_FORTRAN, inner.handle, &made);
    return keep(code, made, std::move(map), inner.mpi_packs);
  }
  // An element is of the process that its block is dealt to, in each dimension.
  Type distributed(const Type& inner) {
    int sizes[3], kinds[3], blocks[3], grid[3], processes = 1, coordinates[3];
    const int dimensions = 1 + small() % 3;
    const bool c_order = input_.below(2) == 0;
    for (int i = 0; i < dimensions; ++i) {
      const int all[] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_NONE};
      kinds[i] = all[input_.below(3)];
      sizes[i] = 1 + static_cast<int>(input_.below(7));
      grid[i] = kinds[i] == MPI_DISTRIBUTE_NONE ? 1 : 1 + small() % 3;
      const int least = kinds[i] == MPI_DISTRIBUTE_BLOCK ? (sizes[i] + grid[i] - 1) / grid[i] : 1;
      blocks[i] = input_.below(2) == 0 ? MPI_DISTRIBUTE_DFLT_DARG : least + small();
      processes *= grid[i];
    }
    const int rank = static_cast<int>(input_.below(static_cast<std::size_t>(processes)));
    for (int i = dimensions - 1, rest = rank; i >= 0; rest /= grid[i--])
      coordinates[i] = rest % grid[i];
    Bytes stride = inner.extent();
    for (int i = 0; i < dimensions; ++i) stride *= sizes[i];
    std::vector<Bytes> places{0};
    for (int i = 0; i < dimensions; ++i) {  // the slowest first
      const int d = c_order ? i : dimensions - 1 - i;
      int block = kinds[d] == MPI_DISTRIBUTE_CYCLIC ? 1 : (sizes[d] + grid[d] - 1) / grid[d];
      if (blocks[d] != MPI_DISTRIBUTE_DFLT_DARG && kinds[d] != MPI_DISTRIBUTE_NONE)
        block = blocks[d];
      stride /= sizes[d];
      std::vector<Bytes> next;
      for (const Bytes place : places)
        for (int k = 0; k < sizes[d]; ++k)
          if (k / block % grid[d] == coordinates[d]) next.push_back(place + k * stride);
      places = std::move(next);
    }
    std::vector<Entry> map;
    for (const Bytes place : places) repeat(inner, place, 1, map);
    MPI_Datatype made;
    const int code =
        MPI_Type_create_darray(processes, rank, dimensions, sizes, kinds, blocks, grid,
                               c_order ? MPI_ORDER_C : MPI_ORDER_FORTRAN, inner.handle, &made);
    return keep(code, made, std::move(map), inner.mpi_packs);
  }
  // By a function for large counts, where there is one.
  Type large(const Type& inner) {
    const int count = small(), length = small(), stride = place();
    MPI_Datatype made;
    std::vector<Entry> map;
    for (int i = 0; i < count; ++i) repeat(inner, i * stride * inner.extent(), length, map);
#if MPI_VERSION >= 4
    const int code = MPI_Type_vector_c(count, length, stride, inner.handle, &made);
#else
    const int code = MPI_Type_vector(count, length, stride, inner.handle, &made);
#endif
    return keep(code, made, std::move(map), inner.mpi_packs);
  }
  Type structure(int depth) {
    int lengths[3];
    MPI_Aint places[3];
    MPI_Datatype handles[3], made;
    std::vector<Entry> map;
    const int count = small();
    bool mpi_packs = true;
    for (int i = 0; i < count; ++i) {
      const Type inner = make(depth);
      mpi_packs = mpi_packs && inner.mpi_packs && !inner.map.empty();
      lengths[i] = small();
      places[i] = place();
      handles[i] = inner.handle;
      repeat(inner, places[i], lengths[i], map);
    }
    const int code = MPI_Type_create_struct(count, lengths, places, handles, &made);
    return keep(code, made, std::move(map), mpi_packs);
  }
  Type resized(const Type& inner) {
    MPI_Datatype made;
    const int lower = place(), extent = place();
    const int code = MPI_Type_create_resized(inner.handle, lower, extent, &made);
    return keep(code, made, inner.map, inner.mpi_packs && extent >= 0);
  }
  Type duplicate(const Type& inner) {
    MPI_Datatype made;
    const int code = MPI_Type_dup(inner.handle, &made);
    return keep(code, made, inner.map, inner.mpi_packs);
  }

  Input& input_;
  std::vector<MPI_Datatype> made_;
};

}  // namespace tutti::fuzz
