// Turns MPI's constructors into sequences of predefined types.
#include "src/data/signature.hpp"

#include <numeric>
#include <span>

#include "base/hash.hpp"
#include "src/data/constructor.hpp"
#include "src/data/distributed_array.hpp"
#include "src/data/mpi_error.hpp"

namespace tutti {
namespace {

constexpr std::uint64_t kPrime = (std::uint64_t{1} << 61) - 1, kBase = 0x123456789abcdef;

constexpr std::uint64_t times_modulo(std::uint64_t a, std::uint64_t b) noexcept {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>(Wide{a} * b % kPrime);
}

class SignatureReader {
 public:
  explicit SignatureReader(const CommonTypes& common) : common_(common) {}

  Signature of(MPI_Datatype type) {
    if (common_.size_of(type) != 0) return of_predefined(type);
    if (++types_ > kMostTypes || depth_ == kDeepest) return Signature::unknown();
    const Constructor made(type, common_);
    if (made.combiner() == MPI_COMBINER_NAMED) return of_predefined(type);
    if (is_predefined(made.combiner())) return Signature::unknown();  // Fortran's by digits
    ++depth_;
    const Signature whole = of_constructed(made);
    --depth_;
    return whole;
  }

 private:
  static constexpr int kMostTypes = 4096, kDeepest = 32;

  // Handles of one type differ between ranks, and names do not.
  static Signature named(MPI_Datatype type) {
    char name[MPI_MAX_OBJECT_NAME] = {};
    int length = 0;
    check_mpi(PMPI_Type_get_name(type, name, &length), "MPI_Type_get_name");
    return Signature::of_one(Hash().add(name).value());
  }

  // A pair for MPI_MINLOC is what its two types are one after the other.
  static Signature of_predefined(MPI_Datatype type) {
    if (type == MPI_PACKED) return Signature::unknown();
    const struct {
      MPI_Datatype pair, value, index;
    } pairs[] = {{MPI_FLOAT_INT, MPI_FLOAT, MPI_INT},
                 {MPI_DOUBLE_INT, MPI_DOUBLE, MPI_INT},
                 {MPI_LONG_INT, MPI_LONG, MPI_INT},
                 {MPI_SHORT_INT, MPI_SHORT, MPI_INT},
                 {MPI_LONG_DOUBLE_INT, MPI_LONG_DOUBLE, MPI_INT},
                 {MPI_2INT, MPI_INT, MPI_INT},
                 {MPI_2INTEGER, MPI_INTEGER, MPI_INTEGER},
                 {MPI_2REAL, MPI_REAL, MPI_REAL},
                 {MPI_2DOUBLE_PRECISION, MPI_DOUBLE_PRECISION, MPI_DOUBLE_PRECISION}};
    for (const auto& [pair, value, index] : pairs)
      if (type == pair && type != MPI_DATATYPE_NULL) return named(value).then(named(index));
    return named(type);
  }

  Signature of_constructed(const Constructor& made) {
    const auto n = made.numbers();
    const auto types = made.types();
    if (made.combiner() == MPI_COMBINER_STRUCT) {
      if (n.size() != 1 + 2 * types.size()) return Signature::unknown();
      Signature all;
      for (std::size_t i = 0; i < types.size() && all.is_known(); ++i)
        if (n[1 + i] != 0) all = all.then(of(types[i]).times(static_cast<std::uint64_t>(n[1 + i])));
      return all;
    }
    const Bytes count = count_in(made.combiner(), n);
    if (types.size() != 1 || count < 0) return Signature::unknown();
    return count == 0 ? Signature{} : of(types[0]).times(static_cast<std::uint64_t>(count));
  }

  // How many elements of its one type a type has; -1: not known. Numbers of MPI's make no more than
  // 2^63.
  static Bytes count_in(int combiner, std::span<const Bytes> n) noexcept {
    switch (combiner) {
      case MPI_COMBINER_DUP:
      case MPI_COMBINER_RESIZED: return 1;
      case MPI_COMBINER_CONTIGUOUS: return n[0];
      case MPI_COMBINER_VECTOR:
      case MPI_COMBINER_HVECTOR:
      case MPI_COMBINER_INDEXED_BLOCK:
      case MPI_COMBINER_HINDEXED_BLOCK: return product(n.first(2));
      case MPI_COMBINER_INDEXED:
      case MPI_COMBINER_HINDEXED: {
        const auto lengths = n.subspan(1, static_cast<std::size_t>(n[0]));
        return std::accumulate(lengths.begin(), lengths.end(), Bytes{0});
      }
      case MPI_COMBINER_SUBARRAY:
        return product(
            n.subspan(2 + static_cast<std::size_t>(n[0]), static_cast<std::size_t>(n[0])));
      case MPI_COMBINER_DARRAY: return elements_of(DistributedArray(n));
      default: return -1;
    }
  }
  static Bytes elements_of(const DistributedArray& array) noexcept {
    Bytes elements = array.valid() ? 1 : -1;
    for (std::size_t k = 0; array.valid() && k < array.dimensions(); ++k)
      if (__builtin_mul_overflow(elements, array.dimension(k).elements(), &elements)) return -1;
    return elements;
  }
  static Bytes product(std::span<const Bytes> factors) noexcept {
    Bytes product = 1;
    for (const Bytes factor : factors)
      if (__builtin_mul_overflow(product, factor, &product)) return -1;
    return product;
  }

  const CommonTypes& common_;
  int types_ = 0, depth_ = 0;
};

}  // namespace

Signature Signature::of_one(std::uint64_t type) noexcept {
  Signature one;
  one.hash_ = type % (kPrime - 1) + 1;
  one.power_ = kBase;
  return one;
}

Signature Signature::unknown() noexcept {
  Signature any;
  any.known_ = false;
  return any;
}

Signature Signature::then(const Signature& next) const noexcept {
  if (!known_ || !next.known_) return unknown();
  Signature both;
  both.hash_ = (times_modulo(hash_, next.power_) + next.hash_) % kPrime;
  both.power_ = times_modulo(power_, next.power_);
  return both;
}

// By squaring.
Signature Signature::times(std::uint64_t count) const noexcept {
  Signature result, square = *this;
  for (; count != 0; count >>= 1, square = square.then(square))
    if (count & 1) result = result.then(square);
  return result;
}

Signature read_signature(MPI_Datatype type, const CommonTypes& common) {
  return SignatureReader(common).of(type);
}

}  // namespace tutti
