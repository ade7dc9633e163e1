// Turns MPI's constructors into loops, by one function for each kind of constructor.
#include "src/data/type_reader.hpp"

#include <algorithm>
#include <optional>
#include <span>

#include "src/data/constructor.hpp"
#include "src/data/distributed_array.hpp"
#include "src/data/mpi_error.hpp"

namespace tutti {
namespace {

using Numbers = std::span<const Bytes>;

// A type within another one.
struct Inner {
  Loop loop;
  Bytes extent = 0;
};

class Reader {
 public:
  Reader(const CommonTypes& common, Typemap& map) : common_(common), builder_(map) {}

  bool read(MPI_Datatype type) {
    builder_.finish(loop_of(type));
    return known_ && builder_.fits();
  }
  // The alignment of the types that were read. Bytes may stand for anything.
  std::optional<Bytes> alignment() const noexcept {
    return bytes_ || !known_ ? std::nullopt : std::optional(alignment_);
  }

 private:
  // One type may stand in another many times, and that in a third one: so many are looked at.
  static constexpr int kMostTypes = 4096, kDeepest = 32;

  Loop run_of(Bytes size) noexcept {
    alignment_ = std::max(alignment_, alignment_of(size));
    bytes_ = bytes_ || size == 1;
    return TypemapBuilder::run(size);
  }
  Loop unknown() noexcept {
    known_ = false;
    return {};
  }

  Inner inner(MPI_Datatype type) {
    if (const Bytes size = common_.size_of(type)) return {run_of(size), size};
    const Loop loop = loop_of(type);
    MPI_Count lower = 0, extent = 0;
    check_mpi(PMPI_Type_get_extent_x(type, &lower, &extent), "MPI_Type_get_extent_x");
    return {loop, extent};
  }

  Loop loop_of(MPI_Datatype type) {
    if (++types_ > kMostTypes || depth_ == kDeepest) return unknown();
    const Constructor made(type, common_);
    if (is_predefined(made.combiner())) return predefined(type);
    ++depth_;
    const Loop loop = made.combiner() == MPI_COMBINER_STRUCT ? structure(made)
                      : made.types().size() == 1
                          ? composed(made.combiner(), made.numbers(), inner(made.types()[0]))
                          : unknown();
    --depth_;
    return loop;
  }

  // Without gaps, or one of the pairs for MPI_MINLOC: a value and an int, as C places them.
  Loop predefined(MPI_Datatype type) {
    MPI_Count size = 0, lower = 0, extent = 0;
    check_mpi(PMPI_Type_size_x(type, &size), "MPI_Type_size_x");
    check_mpi(PMPI_Type_get_extent_x(type, &lower, &extent), "MPI_Type_get_extent_x");
    if (size == 0) return {};
    if (lower != 0 || size < 0) return unknown();
    if (size == extent) return run_of(size);
    for (const MPI_Datatype pair :
         {MPI_SHORT_INT, MPI_DOUBLE_INT, MPI_LONG_INT, MPI_LONG_DOUBLE_INT, MPI_FLOAT_INT})
      if (type == pair) {
        constexpr Bytes kInt = sizeof(int);
        MPI_Count end = 0;
        check_mpi(PMPI_Type_get_true_extent_x(type, &lower, &end), "MPI_Type_get_true_extent_x");
        const std::size_t sequence = builder_.begin();
        builder_.add(run_of(size - kInt), 0, sequence);
        builder_.add(run_of(kInt), end - kInt, sequence);
        return builder_.end(sequence);
      }
    return unknown();
  }

  Loop composed(int combiner, Numbers n, const Inner& of) {
    switch (combiner) {
      case MPI_COMBINER_DUP:
      case MPI_COMBINER_RESIZED: return of.loop;
      case MPI_COMBINER_CONTIGUOUS: return builder_.repeat(of.loop, n[0], of.extent);
      case MPI_COMBINER_VECTOR: return vector(n, of, of.extent);
      case MPI_COMBINER_HVECTOR: return vector(n, of, 1);
      case MPI_COMBINER_INDEXED: return indexed(n, of, of.extent);
      case MPI_COMBINER_HINDEXED: return indexed(n, of, 1);
      case MPI_COMBINER_INDEXED_BLOCK: return blocks(n, of, of.extent);
      case MPI_COMBINER_HINDEXED_BLOCK: return blocks(n, of, 1);
      case MPI_COMBINER_SUBARRAY: return subarray(n, of);
      case MPI_COMBINER_DARRAY: return distributed(DistributedArray(n), of);
      default: return unknown();
    }
  }

  // A product beyond 63 bits makes the form unknown.
  Bytes times(Bytes a, Bytes b) noexcept {
    Bytes product = 0;
    if (__builtin_mul_overflow(a, b, &product)) known_ = false;
    return product;
  }

  // Count, block length, stride. Strides and displacements below are in units of `unit` bytes.
  Loop vector(Numbers n, const Inner& of, Bytes unit) {
    const Bytes stride = times(n[2], unit);
    return builder_.repeat(builder_.repeat(of.loop, n[1], of.extent), n[0], stride);
  }

  // Count, block lengths, displacements.
  Loop indexed(Numbers n, const Inner& of, Bytes unit) {
    const auto count = static_cast<std::size_t>(n[0]);
    const Numbers lengths = n.subspan(1, count), places = n.subspan(1 + count, count);
    const std::size_t sequence = builder_.begin();
    Loop block;
    Bytes length = 0;  // of that block
    for (std::size_t i = 0; i < count && builder_.fits(); ++i) {
      if (lengths[i] == 0) continue;
      if (lengths[i] != length) block = builder_.repeat(of.loop, lengths[i], of.extent);
      length = lengths[i];
      builder_.add(block, times(places[i], unit), sequence);
    }
    return builder_.end(sequence);
  }

  // Count, block length, displacements.
  Loop blocks(Numbers n, const Inner& of, Bytes unit) {
    const Loop block = builder_.repeat(of.loop, n[1], of.extent);
    const std::size_t sequence = builder_.begin();
    for (const Bytes place : n.subspan(2)) {
      if (block.count == 0 || !builder_.fits()) break;
      builder_.add(block, times(place, unit), sequence);
    }
    return builder_.end(sequence);
  }

  // Count, block lengths, displacements in bytes; a type for each.
  Loop structure(const Constructor& made) {
    const Numbers n = made.numbers();
    const auto count = static_cast<std::size_t>(n[0]);
    if (made.types().size() != count) return unknown();
    const std::size_t sequence = builder_.begin();
    for (std::size_t i = 0; i < count && known_ && builder_.fits(); ++i) {
      if (n[1 + i] == 0) continue;
      const Inner of = inner(made.types()[i]);
      builder_.add(builder_.repeat(of.loop, n[1 + i], of.extent), n[1 + count + i], sequence);
    }
    return builder_.end(sequence);
  }

  // Dimensions, order; sizes, sizes of the part, where it begins.
  Loop subarray(Numbers n, const Inner& of) {
    const auto dimensions = static_cast<std::size_t>(n[0]);
    const Numbers sizes = n.subspan(2, dimensions), parts = n.subspan(2 + dimensions, dimensions),
                  starts = n.subspan(2 + 2 * dimensions, dimensions);
    Loop loop = of.loop;
    Bytes stride = of.extent, offset = 0;
    for (std::size_t k = 0; k < dimensions; ++k) {
      const std::size_t d = n[1] == MPI_ORDER_C ? dimensions - 1 - k : k;  // the fastest first
      loop = builder_.repeat(loop, parts[d], stride);
      if (__builtin_add_overflow(offset, times(starts[d], stride), &offset)) known_ = false;
      stride = times(stride, sizes[d]);
    }
    const std::size_t sequence = builder_.begin();
    builder_.add(loop, offset, sequence);
    return builder_.end(sequence);
  }

  // In each dimension whole blocks, and perhaps a shorter one.
  Loop distributed(const DistributedArray& array, const Inner& of) {
    if (!array.valid()) return unknown();
    Loop loop = of.loop;
    Bytes stride = of.extent;
    for (std::size_t k = 0; k < array.dimensions(); ++k) {
      const DistributedDimension d = array.dimension(k);
      const std::size_t sequence = builder_.begin();
      const Loop block = builder_.repeat(loop, d.block, stride);
      const Bytes step = times(d.step, stride), first = times(d.first, stride);
      builder_.add(builder_.repeat(block, d.blocks, step), first, sequence);
      if (d.rest != 0)
        builder_.add(builder_.repeat(loop, d.rest, stride),
                     times(d.first + d.blocks * d.step, stride), sequence);
      loop = builder_.end(sequence);
      stride = times(stride, d.size);
    }
    return loop;
  }

  const CommonTypes& common_;
  TypemapBuilder builder_;
  Bytes alignment_ = 1;
  bool bytes_ = false;  // there are types of one byte
  int types_ = 0, depth_ = 0;
  bool known_ = true;
};

}  // namespace

void read_typemap(MPI_Datatype type, const CommonTypes& common, TypeForm& form) {
  Reader reader(common, form.map);
  form.known = reader.read(type) && form.map.size() == form.size;
  form.alignment = reader.alignment().value_or(alignment_of(form.extent));
}

}  // namespace tutti
