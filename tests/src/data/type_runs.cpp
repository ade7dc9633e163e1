// Datatypes built at random, by seeds: each is packed and unpacked by Tutti's loops, by its typemap
// as MPI defines it, and by MPI_Pack and MPI_Unpack. All must move the same bytes.
//   type_runs FROM TO    these seeds, both included; a seed draws the same in every run
#include <mpi.h>

#include <fmt/format.h>
#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <random>
#include <span>
#include <vector>

#include "src/data/datatype.hpp"
#include "tests/fuzz/types.hpp"

using namespace tutti;

namespace {

using Memory = std::vector<std::byte>;

constexpr const char* kMpiDiffers = "the MPI moves other bytes";
// Open MPI 4.1 takes some types with overlapping pieces for runs of bytes, and misplaces pieces of
// some with MPI_SHORT_INT in them.
#ifdef OPEN_MPI
constexpr bool kMpiIsRight = false;
#else
constexpr bool kMpiIsRight = true;
#endif
constexpr Bytes kWidest = 1 << 16;  // nested strides may span gigabytes

// Where elements of a type are.
struct Place {
  Bytes lowest = 0, highest = 0;
  bool overlap = false;  // some byte belongs to two pieces

  Place(const fuzz::Type& type, Bytes count) {
    std::vector<std::pair<Bytes, Bytes>> pieces;
    const Bytes extent = type.extent();
    for (Bytes i = 0; i < count; ++i)
      for (const fuzz::Entry& entry : type.map)
        if (entry.bytes > 0)
          pieces.push_back({i * extent + entry.offset, i * extent + entry.offset + entry.bytes});
    std::ranges::sort(pieces);
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      lowest = std::min(lowest, pieces[i].first);
      highest = std::max(highest, pieces[i].second);
      overlap = overlap || (i > 0 && pieces[i].first < pieces[i - 1].second);
    }
  }
  std::size_t bytes() const { return static_cast<std::size_t>(highest - lowest); }
};

Memory filled(std::size_t bytes, std::size_t seed) {
  Memory memory(bytes);
  for (std::size_t i = 0; i < bytes; ++i)
    memory[i] = static_cast<std::byte>(i * 7 + i / 256 + seed);
  return memory;
}

// Calls `move(typed, packed, bytes)` for each piece, as MPI defines the type.
template <class Move>
void each_piece(const fuzz::Type& type, Bytes count, Move&& move) {
  Bytes packed = 0;
  for (Bytes i = 0; i < count; ++i)
    for (const fuzz::Entry& entry : type.map) {
      move(i * type.extent() + entry.offset, packed, static_cast<std::size_t>(entry.bytes));
      packed += entry.bytes;
    }
}

// The difference between Tutti's loops, what MPI defines, and what the MPI does; empty: they move
// the same bytes.
std::string compare(const Datatypes& datatypes, const fuzz::Type& type, Bytes count) {
  const Place place(type, count);
  if (place.bytes() > kWidest) return {};
  const Layout layout = datatypes.layout(type.handle);
  const auto length = static_cast<int>(count * layout.size);
  if (length == 0) return {};  // Open MPI refuses to pack nothing
  const auto elements = static_cast<int>(count);
  Memory typed = filled(place.bytes(), 1);
  Memory ours(static_cast<std::size_t>(length)), theirs = ours, defined = ours;
  each_piece(type, count, [&](Bytes at, Bytes packed, std::size_t bytes) {
    std::memcpy(defined.data() + packed, typed.data() + at - place.lowest, bytes);
  });
  int position = 0;
  datatypes.pack(typed.data() - place.lowest, count, layout, ours.data());
  if (ours != defined) return "packed bytes are not those of the definition";
  if (type.mpi_packs)
    MPI_Pack(typed.data() - place.lowest, elements, type.handle, theirs.data(), length, &position,
             MPI_COMM_SELF);
  if (type.mpi_packs && (position != length || ours != theirs)) return kMpiDiffers;
  if (place.overlap) return {};
  Memory mine = filled(place.bytes(), 99), other = mine, expected = mine;
  each_piece(type, count, [&](Bytes at, Bytes packed, std::size_t bytes) {
    std::memcpy(expected.data() + at - place.lowest, ours.data() + packed, bytes);
  });
  position = 0;
  datatypes.unpack(ours.data(), mine.data() - place.lowest, count, layout);
  if (mine != expected) return "unpacked bytes are not those of the definition";
  if (!type.mpi_packs) return {};
  MPI_Unpack(ours.data(), length, &position, other.data() - place.lowest, elements, type.handle,
             MPI_COMM_SELF);
  return mine == other ? "" : kMpiDiffers;
}

// Bytes on both sides of an address, of which only those pages are taken that are touched.
class Sparse {
 public:
  static constexpr Bytes kEachSide = Bytes{16} << 30;
  Sparse()
      : memory_(mmap(nullptr, kBytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {
    if (memory_ == MAP_FAILED) std::abort();
  }
  ~Sparse() { munmap(memory_, kBytes); }
  Sparse(const Sparse&) = delete;
  Sparse& operator=(const Sparse&) = delete;
  std::byte* middle() const { return static_cast<std::byte*>(memory_) + kEachSide; }

 private:
  static constexpr auto kBytes = static_cast<std::size_t>(2 * kEachSide);
  void* memory_;
};

// The type twice, 3 GiB apart, forwards or backwards, with room for 7 GiB. Null: MPI refuses it, or
// it is not within the memory that there is.
fuzz::Type made_wide(const fuzz::Type& type, bool forwards) {
  constexpr Bytes kGiB = Bytes{1} << 30;
  const Bytes stride = forwards ? 3 * kGiB : -3 * kGiB;
  fuzz::Type wide;
  for (const Bytes at : {Bytes{0}, stride})
    for (const fuzz::Entry& entry : type.map) {
      if (std::abs(entry.offset) + entry.bytes > kGiB) return {};
      wide.map.push_back({at + entry.offset, entry.bytes});
    }
  MPI_Datatype twice;
  if (MPI_Type_create_hvector(2, 1, stride, type.handle, &twice) != MPI_SUCCESS) return {};
  MPI_Type_create_resized(twice, 0, 7 * kGiB, &wide.handle);
  MPI_Type_commit(&wide.handle);
  MPI_Type_free(&twice);
  return wide;
}

// As compare(), without the MPI, for two elements of the type made wide.
std::string compare_wide(const Datatypes& datatypes, const fuzz::Type& type, const Sparse& memory,
                         bool forwards) {
  constexpr Bytes kCount = 2;
  fuzz::Type wide = made_wide(type, forwards);
  if (wide.handle == MPI_DATATYPE_NULL) return {};
  const Layout layout = datatypes.layout(wide.handle);
  Memory ours(static_cast<std::size_t>(kCount * layout.size)), defined = ours;
  each_piece(wide, kCount, [&](Bytes at, Bytes packed, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; ++i) {
      const auto value = static_cast<std::size_t>(at) + i;  // by its place: pieces may overlap
      memory.middle()[at + static_cast<Bytes>(i)] = defined[static_cast<std::size_t>(packed) + i] =
          static_cast<std::byte>(value * 7 + value / 256 + value / (std::size_t{1} << 30));
    }
  });
  datatypes.pack(memory.middle(), kCount, layout, ours.data());
  std::string what;
  if (ours != defined) what = "packed bytes of the wide type are not those of the definition";
  if (what.empty() && !Place(type, 1).overlap) {
    each_piece(wide, kCount, [&](Bytes at, Bytes, std::size_t bytes) {
      std::memset(memory.middle() + at, 99, bytes);
    });
    datatypes.unpack(defined.data(), memory.middle(), kCount, layout);
    each_piece(wide, kCount, [&](Bytes at, Bytes packed, std::size_t bytes) {
      if (std::memcmp(memory.middle() + at, defined.data() + packed, bytes) != 0)
        what = "unpacked bytes of the wide type are not those of the definition";
    });
  }
  MPI_Type_free(&wide.handle);
  return what;
}

}  // namespace

int main(int argc, char** argv) {
  const auto number = [&](int i) { return std::strtoul(argv[i], nullptr, 10); };
  if (argc != 3 || number(1) > number(2)) {
    fmt::print(stderr, "usage: type_runs FIRST_SEED LAST_SEED\n");
    return 2;
  }
  MPI_Init(nullptr, nullptr);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);  // Open MPI refuses some types
  std::uint64_t wrong = 0, left_to_mpi = 0, runs = 0, not_packed = 0, mpi_wrong = 0, types = 0;
  {
    ScratchPool scratch(0);
    const Datatypes datatypes(scratch);
    const Sparse sparse;
    for (std::uint64_t seed = number(1); seed <= number(2); ++seed) {
      std::mt19937_64 random(seed);
      std::vector<std::uint8_t> bytes(128);
      for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random() >> 20);
      fuzz::Input input(bytes.data(), bytes.size());
      fuzz::Types all(input);
      fuzz::Type type = all.make();
      if (type.map.empty() || MPI_Type_commit(&type.handle) != MPI_SUCCESS) continue;
      ++types;
      not_packed += !type.mpi_packs;
      const Layout layout = datatypes.layout(type.handle);
      ++(layout.form && !layout.form->known ? left_to_mpi : runs);
      std::string what = compare(datatypes, type, static_cast<Bytes>(input.below(4)));
      if (what.empty()) what = compare_wide(datatypes, type, sparse, seed % 2 == 0);
      if (what.empty()) continue;
      if (!kMpiIsRight && what == kMpiDiffers) {
        ++mpi_wrong;
        continue;
      }
      ++wrong;
      fmt::print("seed {}: {}\n", seed, what);
    }
  }
  fmt::print(
      "{} types: {} by loops of ours, {} left to the MPI; {} that the MPI cannot pack, {} that it "
      "packs otherwise than MPI defines; {} wrong\n",
      types, runs, left_to_mpi, not_packed, mpi_wrong, wrong);
  MPI_Finalize();
  return wrong == 0 && left_to_mpi == 0 && runs > 0 ? 0 : 1;
}
