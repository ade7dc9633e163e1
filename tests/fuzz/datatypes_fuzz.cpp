// Datatypes as byte streams: types built at random through MPI, what Tutti says of them, and their
// elements packed and unpacked, compared with a list of the bytes in the order of the typemap.
#include <mpi.h>

#include <vector>

#include "src/data/buffers.hpp"
#include "tests/fuzz/types.hpp"

using namespace tutti;
using namespace tutti::fuzz;

// MPI libraries leak at their end.
extern "C" const char* __asan_default_options();
extern "C" const char* __asan_default_options() { return "detect_leaks=0"; }

namespace {

// Nested strides may span gigabytes, which take seconds to fill and to compare.
constexpr Bytes kWidest = 1 << 20;

// The bytes of some elements, in the order in which they travel.
class Elements {
 public:
  void add(const Type& type, Bytes first, Bytes count) {
    const Bytes extent = type.extent();
    for (Bytes i = first; i < first + count; ++i)
      for (const Entry& entry : type.map)
        if (entry.bytes > 0) entries_.push_back({i * extent + entry.offset, entry.bytes});
  }
  Bytes total() const {
    Bytes sum = 0;
    for (const Entry& entry : entries_) sum += entry.bytes;
    return sum;
  }
  Bytes begin() const {
    Bytes least = 0;
    for (const Entry& entry : entries_) least = std::min(least, entry.offset);
    return least;
  }
  Bytes end() const {
    Bytes most = 1;
    for (const Entry& entry : entries_) most = std::max(most, entry.offset + entry.bytes);
    return most;
  }
  // Each byte of a buffer that begins at begin(), in that order.
  std::vector<std::size_t> places() const {
    std::vector<std::size_t> all;
    for (const Entry& entry : entries_)
      for (Bytes i = 0; i < entry.bytes; ++i)
        all.push_back(static_cast<std::size_t>(entry.offset - begin() + i));
    return all;
  }

 private:
  std::vector<Entry> entries_;
};

std::vector<std::byte> pattern(std::size_t bytes, std::size_t seed) {
  std::vector<std::byte> data(bytes);
  for (std::size_t i = 0; i < bytes; ++i) data[i] = static_cast<std::byte>(i * 7 + i / 256 + seed);
  return data;
}

bool distinct(std::vector<std::size_t> places) {
  std::sort(places.begin(), places.end());
  return std::adjacent_find(places.begin(), places.end()) == places.end();
}

// `read(buffer)` gives all bytes, `write(buffer, bytes)` stores them; only those named may change.
template <class Read, class Write>
void must_move(const Elements& elements, Read&& read, Write&& write) {
  if (elements.end() - elements.begin() > kWidest) return;
  const auto places = elements.places();
  const auto size = static_cast<std::size_t>(elements.end() - elements.begin());
  const auto memory = pattern(size, 1);
  std::vector<std::byte> expected;
  for (const std::size_t place : places) expected.push_back(memory[place]);
  must(read(memory.data() - elements.begin()) == expected, "bytes are packed in order");
  if (!distinct(places)) return;
  auto got = pattern(size, 2), wanted = got;
  for (std::size_t i = 0; i < places.size(); ++i) wanted[places[i]] = expected[i];
  write(got.data() - elements.begin(), expected);
  must(got == wanted, "bytes are unpacked to their places, and gaps stay as they are");
}

void must_describe(const Layout& layout, const Type& type) {
  Elements one;
  one.add(type, 0, 1);
  must(layout.size == one.total(), "the size is the number of bytes");
  must(layout.extent == type.extent(), "the extent is MPI's");
  if (!layout.contiguous) return;
  Bytes next = 0;
  for (const std::size_t place : one.places())
    must(static_cast<Bytes>(place) + one.begin() == next++, "contiguous bytes stand in order");
  must(layout.extent == layout.size, "contiguous elements follow each other");
}

void must_pack(const Datatypes& datatypes, const Layout& layout, const Type& type, Bytes count) {
  Elements elements;
  elements.add(type, 0, count);
  must_move(
      elements,
      [&](const std::byte* buffer) {
        std::vector<std::byte> bytes(static_cast<std::size_t>(elements.total()));
        datatypes.pack(buffer, count, layout, bytes.data());
        return bytes;
      },
      [&](std::byte* buffer, const std::vector<std::byte>& bytes) {
        datatypes.unpack(bytes.data(), buffer, count, layout);
      });
}

void must_gather(const Datatypes& datatypes, const Type& type, Input& input) {
  constexpr int kBlocks = 3;
  MPI_Count counts[kBlocks], displacements[kBlocks];
  Elements elements;
  for (int i = 0; i < kBlocks; ++i) {
    counts[i] = static_cast<MPI_Count>(input.below(3));
    displacements[i] = input.take<std::int8_t>();
    elements.add(type, displacements[i], counts[i]);
  }
  const auto blocked = [&](const std::byte* buffer) {
    return Blocked(datatypes, buffer, counts, displacements, type.handle, kBlocks, "sendbuf");
  };
  must_move(
      elements,
      [&](const std::byte* buffer) {
        Blocked blocks = blocked(buffer);
        must(blocks.total() == elements.total(), "all blocks together are that long");
        try {
          blocks.must_not_overlap();
        } catch (const Error& error) {
          must(error.code == Code::bad_displacement, "blocks overlap");
        }
        const std::byte* const bytes = blocks.bytes();
        return std::vector<std::byte>(bytes, bytes + blocks.total());
      },
      [&](std::byte* buffer, const std::vector<std::byte>& bytes) {
        Blocked blocks = blocked(buffer);
        if (!bytes.empty()) std::memcpy(blocks.room(), bytes.data(), bytes.size());
        blocks.deliver();
      });
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  MPI_Init(nullptr, nullptr);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static ScratchPool scratch(Bytes{1} << 20);
  static const Datatypes* const datatypes = new Datatypes(scratch);
  Input input(data, size);
  Types types(input);
  Type type = types.make();
  const auto count = static_cast<Bytes>(input.below(4));
  if (MPI_Type_commit(&type.handle) != MPI_SUCCESS) return 0;
  const Layout layout = datatypes->layout(type.handle);
  must_describe(layout, type);
  must_pack(*datatypes, layout, type, count);
  must_gather(*datatypes, type, input);
  return 0;
}
