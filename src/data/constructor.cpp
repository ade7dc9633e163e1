// MPI_Type_get_envelope and MPI_Type_get_contents, those for large counts where the MPI has them.
#include "src/data/constructor.hpp"

#include <algorithm>
#include <new>

#include "src/data/large_counts.hpp"
#include "src/data/mpi_error.hpp"

namespace tutti {
namespace {

struct Envelope {
  MPI_Count integers = 0, addresses = 0, counts = 0, types = 0;
  int combiner = 0;
};

// The form for small counts is an error for types that were made by the other, and an error of
// these functions ends the program by default.
int get_envelope(MPI_Datatype type, Envelope& e) noexcept {
  if constexpr (kHasLargeCounts)
    return PMPI_Type_get_envelope_c(type, &e.integers, &e.addresses, &e.counts, &e.types,
                                    &e.combiner);
  int integers = 0, addresses = 0, types = 0;
  const int code = PMPI_Type_get_envelope(type, &integers, &addresses, &types, &e.combiner);
  e.integers = integers;
  e.addresses = addresses;
  e.types = types;
  return code;
}

Envelope envelope_of(MPI_Datatype type) {
  Envelope e;
  check_mpi(get_envelope(type, e), "MPI_Type_get_envelope");
  return e;
}

// Some numbers, on the stack if they are few.
template <class T>
class FewOrMany {
 public:
  explicit FewOrMany(std::size_t count) {
    if (count > std::size(few_)) many_.resize(count);
  }
  T* data() noexcept { return many_.empty() ? few_ : many_.data(); }

 private:
  T few_[16];
  std::vector<T> many_;
};

}  // namespace

int combiner_of(MPI_Datatype type) { return envelope_of(type).combiner; }

bool is_predefined(int combiner) noexcept {
  return combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_F90_REAL ||
         combiner == MPI_COMBINER_F90_COMPLEX || combiner == MPI_COMBINER_F90_INTEGER;
}

Constructor::Constructor(MPI_Datatype type, const CommonTypes& common) : common_(common) {
  const Envelope e = envelope_of(type);
  combiner_ = e.combiner;
  if (is_predefined(combiner_)) return;
  const MPI_Count numbers = e.integers + e.addresses + e.counts;
  count_ = static_cast<std::size_t>(numbers);
  type_count_ = static_cast<std::size_t>(e.types);
  make_room();
  const auto integers = static_cast<std::size_t>(e.integers);
  const auto addresses = static_cast<std::size_t>(e.addresses);
  if (e.counts > 0)  // made by a function for large counts
    read_large(type, integers, addresses, static_cast<std::size_t>(e.counts));
  else
    read_small(type, integers, addresses);
}

void Constructor::make_room() {
  if (count_ > kFewNumbers) {
    many_numbers_.resize(count_);
    numbers_ = many_numbers_.data();
  }
  if (type_count_ > kFewTypes) {
    many_types_.resize(type_count_);
    types_ = many_types_.data();
  }
  std::fill_n(types_, type_count_, MPI_DATATYPE_NULL);
}

void Constructor::read_small(MPI_Datatype type, std::size_t integers, std::size_t addresses) {
  FewOrMany<int> i(integers);
  FewOrMany<MPI_Aint> a(addresses);
  check_mpi(PMPI_Type_get_contents(type, static_cast<int>(integers), static_cast<int>(addresses),
                                   static_cast<int>(type_count_), i.data(), a.data(), types_),
            "MPI_Type_get_contents");
  std::copy_n(a.data(), addresses, std::copy_n(i.data(), integers, numbers_));
  if (combiner_ == MPI_COMBINER_SUBARRAY)  // the order comes last here
    std::rotate(numbers_ + 1, numbers_ + count_ - 1, numbers_ + count_);
  if (combiner_ == MPI_COMBINER_DARRAY)  // the sizes come before others
    std::rotate(numbers_ + 3, numbers_ + 3 + numbers_[2], numbers_ + count_);
}

void Constructor::read_large(MPI_Datatype type, std::size_t integers, std::size_t addresses,
                             std::size_t counts) {
  if constexpr (kHasLargeCounts) {
    FewOrMany<int> i(integers);
    FewOrMany<MPI_Aint> a(addresses);
    FewOrMany<MPI_Count> c(counts);
    check_mpi(PMPI_Type_get_contents_c(
                  type, static_cast<MPI_Count>(integers), static_cast<MPI_Count>(addresses),
                  static_cast<MPI_Count>(counts), static_cast<MPI_Count>(type_count_), i.data(),
                  a.data(), c.data(), types_),
              "MPI_Type_get_contents_c");
    Bytes* const next = std::copy_n(a.data(), addresses, std::copy_n(i.data(), integers, numbers_));
    std::copy_n(c.data(), counts, next);
  }
}

// MPI gave a reference to each derived type.
Constructor::~Constructor() {
  for (std::size_t k = 0; k < type_count_; ++k) {
    Envelope e;
    if (types_[k] != MPI_DATATYPE_NULL && common_.size_of(types_[k]) == 0 &&
        get_envelope(types_[k], e) == MPI_SUCCESS && !is_predefined(e.combiner))
      PMPI_Type_free(&types_[k]);
  }
}

}  // namespace tutti
