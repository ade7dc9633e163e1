// The caller's buffers as blocks, one after another.
#include "src/data/buffers.hpp"

#include <algorithm>
#include <climits>
#include <vector>

#include "tests/src/data/types.hpp"

using namespace tutti;
using namespace tutti::tests;
using Counts = std::vector<MPI_Count>;

namespace {

const char* const kName = "buffer";

Blocked blocked(const Datatypes& types, void* buffer, const Counts& counts, const Counts& places,
                MPI_Datatype type = MPI_INT) {
  return {types,         buffer,
          counts.data(), places.empty() ? nullptr : places.data(),
          type,          static_cast<int>(counts.size()),
          kName};
}
std::vector<int> ints(const std::byte* bytes, std::size_t count) {
  const auto* const first = reinterpret_cast<const int*>(bytes);
  return {first, first + count};
}

}  // namespace

TEST_CASE("blocks that lie one after another are used as they are", "[buffers]") {
  const Datatypes types(g_scratch);
  std::vector<int> data{0, 1, 2, 3, 4, 5};
  Blocked equal(types, data.data(), 2, MPI_INT, 3, kName);
  CHECK(equal.as_is());
  CHECK(equal.block_bytes() == 8);
  CHECK(equal.total() == 24);
  CHECK(equal.bytes() == reinterpret_cast<std::byte*>(data.data()));

  Blocked shifted = blocked(types, data.data(), {2, 0, 3}, {1, 77, 3});
  CHECK(shifted.as_is());
  CHECK(shifted.counts() == std::vector<Bytes>{8, 0, 12});
  CHECK(shifted.bytes() == reinterpret_cast<std::byte*>(data.data() + 1));
}

TEST_CASE("scattered blocks are brought together, and back", "[buffers]") {
  const Datatypes types(g_scratch);
  std::vector<int> data{0, 1, 2, 3, 4, 5, 6, 7};
  Blocked read = blocked(types, data.data(), {2, 1, 3}, {6, 4, 0});
  CHECK_FALSE(read.as_is());
  CHECK(ints(read.bytes(), 6) == std::vector<int>{6, 7, 4, 0, 1, 2});

  Blocked written = blocked(types, data.data(), {2, 1, 3}, {6, 4, 0});
  auto* const room = reinterpret_cast<int*>(written.room(1));
  CHECK(room[2] == 4);  // the block that is kept
  for (int i = 0; i < 6; ++i) room[i] = 10 + i;
  written.deliver(0);
  CHECK(data == std::vector<int>{13, 14, 15, 3, 12, 5, 6, 7});  // not block 0
}

TEST_CASE("any one of scattered blocks may be kept", "[buffers]") {
  const Datatypes types(g_scratch);
  std::vector<int> data{0, 1, 2, 3, 4, 5};
  for (int keep = 0; keep < 6; ++keep) {
    Blocked written = blocked(types, data.data(), Counts(6, 1), {5, 4, 3, 2, 1, 0});
    auto* const room = reinterpret_cast<int*>(written.room(keep));
    CHECK(room[keep] == 5 - keep);
  }
}

TEST_CASE("elements with gaps are packed and unpacked, block by block", "[buffers]") {
  const Datatypes types(g_scratch);
  const Type type(every_other_int_of_four());
  std::vector<int> data{0, 1, 2, 3, 4, 5, 6, 7};
  Blocked equal(types, data.data(), 1, type, 2, kName);
  CHECK_FALSE(equal.as_is());
  CHECK(equal.block_bytes() == 8);
  CHECK(ints(equal.bytes(), 4) == std::vector<int>{0, 2, 4, 6});

  Blocked kept(types, data.data(), 1, type, 2, kName);
  auto* const room = reinterpret_cast<int*>(kept.room(1));
  CHECK(room[2] == 4);
  CHECK(room[3] == 6);
  room[0] = 20, room[1] = 21;
  kept.deliver();
  CHECK(data == std::vector<int>{20, 1, 21, 3, 4, 5, 6, 7});
}

TEST_CASE("a call that takes views gets one of equal blocks with gaps, and nothing is copied",
          "[buffers]") {
  const Datatypes types(g_scratch);
  const Type type(every_other_int_of_four());
  std::vector<int> data{0, 1, 2, 3, 4, 5, 6, 7};
  Blocked read(types, data.data(), 1, type, 2, kName);
  const std::byte* const source = read.source();
  REQUIRE(read.view());
  CHECK(read.view()->room() == source);
  CHECK(read.view()->size() == 16);
  CHECK(read.view()->places_differ());
  data[6] = 66;
  int last = 0;
  read.view()->pack(source + 12, 4, reinterpret_cast<std::byte*>(&last));
  CHECK(last == 66);

  Blocked written(types, data.data(), 1, type, 2, kName);
  std::byte* const room = written.destination();
  const int two[] = {20, 21};
  written.view()->unpack(room + 4, sizeof two, reinterpret_cast<const std::byte*>(two));
  std::fill_n(room, 16, std::byte{0xEE});
  written.deliver();  // all is there already
  CHECK(data == std::vector<int>{0, 1, 20, 3, 21, 5, 66, 7});

  Blocked copied(types, data.data(), 1, type, 2, kName);
  auto* const place = reinterpret_cast<int*>(copied.destination(1));
  copied.copy_all();
  CHECK_FALSE(copied.view());
  CHECK(place[2] == 21);  // the block that is kept
  place[0] = 30, place[1] = 31;
  copied.deliver();
  CHECK(data == std::vector<int>{30, 1, 31, 3, 21, 5, 66, 7});

  Blocked plain(types, data.data(), 4, MPI_INT, 2, kName);
  CHECK(plain.source() == reinterpret_cast<std::byte*>(data.data()));
  CHECK_FALSE(plain.view());
  Blocked detached(types, data.data(), 1, type, 2, kName);
  detached.detach();
  CHECK(ints(detached.source(), 4) == std::vector<int>{30, 31, 21, 66});
  CHECK_FALSE(detached.view());
}

TEST_CASE("a call that takes views gets one of blocks at any places", "[buffers]") {
  const Datatypes types(g_scratch);
  const Type type(every_other_int_of_four());
  std::vector<int> data{0, 1, 2, 3, 4, 5, 6, 7};
  Blocked scattered = blocked(types, data.data(), {1, 0, 1}, {1, 9, 0}, type);
  const std::byte* const source = scattered.source();
  REQUIRE(scattered.view());
  CHECK(scattered.view()->size() == 16);
  int packed[4] = {};
  scattered.view()->pack(source, 16, reinterpret_cast<std::byte*>(packed));
  CHECK(std::vector<int>(packed, packed + 4) == std::vector<int>{4, 6, 0, 2});

  Blocked written = blocked(types, data.data(), {2, 1, 3}, {6, 4, 0});
  std::byte* const room = written.destination();
  REQUIRE(written.view());
  CHECK(written.view()->places_differ());
  CHECK(written.view()->run_in_memory(room + 12, 12) == reinterpret_cast<std::byte*>(data.data()));
  const int three[] = {16, 17, 14};
  written.view()->unpack(room, sizeof three, reinterpret_cast<const std::byte*>(three));
  written.deliver();  // all is there already
  CHECK(data == std::vector<int>{0, 1, 2, 3, 14, 5, 16, 17});

  Blocked copied = blocked(types, data.data(), {2, 1, 3}, {6, 4, 0});
  auto* const place = reinterpret_cast<int*>(copied.destination(1));
  copied.copy_all();
  CHECK_FALSE(copied.view());
  CHECK(place[2] == 14);  // the block that is kept
  std::fill_n(place, 6, 9);
  copied.deliver();
  CHECK(data == std::vector<int>{9, 9, 9, 3, 9, 5, 9, 9});

  Blocked overlapping = blocked(types, data.data(), {2, 2}, {1, 0});
  overlapping.source();
  REQUIRE(overlapping.view());  // to be sent
  CHECK_FALSE(overlapping.view()->places_differ());
  Blocked detached = blocked(types, data.data(), {1, 1}, {3, 0});
  detached.detach();
  CHECK(ints(detached.source(), 2) == std::vector<int>{3, 9});
  CHECK_FALSE(detached.view());
}

TEST_CASE("buffers that lie between each other are noticed", "[buffers]") {
  const Datatypes types(g_scratch);
  const Type gaps(every_other_int_of_four());
  std::vector<int> data(16);
  const Blocked even(types, data.data(), 1, gaps, 2, kName);
  const Blocked odd(types, data.data() + 1, 1, gaps, 2, kName);
  const Blocked later(types, data.data() + 8, 4, MPI_INT, 2, kName);
  const Blocked inner(types, data.data() + 3, 1, MPI_INT, 1, kName);
  const Blocked blocks = blocked(types, data.data(), {1, 1}, {9, 2});
  CHECK(even.reaches_into(odd));
  CHECK(odd.reaches_into(even));
  CHECK(even.reaches_into(inner));
  CHECK_FALSE(even.reaches_into(later));
  CHECK_FALSE(later.reaches_into(odd));
  CHECK_FALSE(blocks.reaches_into(inner));  // between two blocks
  CHECK(blocks.reaches_into(even));
  CHECK(even.reaches_into(blocks));
  CHECK(later.reaches_into(blocks));
}

TEST_CASE("counts that are negative, or fit in no number, are refused", "[buffers]") {
  const Datatypes types(g_scratch);
  const Layout layout = types.layout(MPI_INT);
  const auto bytes = [&](MPI_Count count, MPI_Count blocks) {
    return code_of([&] { bytes_of(count, layout, blocks, kName); });
  };
  CHECK(bytes_of(5, layout, 7, kName) == 20);
  CHECK(bytes(-1, 1) == Code::bad_count);
  CHECK(bytes(LLONG_MAX / 4, 1) == Code::success);
  CHECK(bytes(LLONG_MAX / 4 + 1, 1) == Code::bad_count);
  CHECK(bytes(LLONG_MAX / 4, 2) == Code::bad_count);
  int data[2] = {};
  CHECK(code_of([&] { blocked(types, data, {1, -1}, {}); }) == Code::bad_count);
  CHECK(code_of([&] {
          blocked(types, data, {1, 1}, {0, LLONG_MAX / 2});
        }) == Code::bad_displacement);
  // Each block has a number of bytes, and all together have none.
  CHECK(code_of([&] { blocked(types, data, {LLONG_MAX / 4, 0}, {0, 0}); }) == Code::success);
  CHECK(code_of([&] { blocked(types, data, {LLONG_MAX / 4, 1}, {0, 0}); }) == Code::bad_count);
  static int low[2] = {};  // addresses behind it are still addresses of processes
  constexpr std::size_t kBlocks = std::size_t{1} << 18;
  for (const std::size_t blocks : {kBlocks - 1, kBlocks}) {
    const Counts counts(blocks, MPI_Count{1} << 45);
    const Counts places(blocks);
    const std::vector<MPI_Datatype> of(blocks, MPI_BYTE);
    const auto by_types = [&] {
      Blocked(types, low, counts.data(), places.data(), of.data(), static_cast<int>(blocks), kName);
    };
    CHECK(code_of(by_types) == (blocks < kBlocks ? Code::success : Code::bad_count));
  }
}

TEST_CASE("elements beyond all addresses are refused", "[buffers]") {
  const Datatypes types(g_scratch);
  int data[2] = {};
  const int lengths[] = {1, 1};
  for (const int bits : {47, 48, 56, 61}) {
    const MPI_Aint places[] = {0, MPI_Aint{1} << bits};
    MPI_Datatype made;
    MPI_Type_create_hindexed(2, lengths, places, MPI_INT, &made);
    const Type type(made);
    CHECK(code_of([&] { Blocked(types, data, 1, type, 1, kName); }) == Code::bad_buffer);
  }
}

TEST_CASE("a null buffer is refused, if data are expected there", "[buffers]") {
  const Datatypes types(g_scratch);
  CHECK(code_of([&] { Blocked(types, nullptr, 1, MPI_INT, 2, kName); }) == Code::bad_buffer);
  CHECK(code_of([&] { Blocked(types, nullptr, 0, MPI_INT, 2, kName); }) == Code::success);
  CHECK(code_of([&] { blocked(types, nullptr, {0, 1}, {}); }) == Code::bad_buffer);
  CHECK(code_of([&] { Blocked(types, nullptr, nullptr, nullptr, MPI_INT, 2, kName); }) ==
        Code::bad_buffer);
}

TEST_CASE("elements beyond all addresses are refused, and so are bytes to receive without a place",
          "[buffers]") {
  const Datatypes types(g_scratch);
  std::vector<int> data(16);
  MPI_Datatype made;
  MPI_Type_create_hvector(2, 1, MPI_Aint{1} << 61, MPI_INT, &made);
  const Type far(made);
  CHECK(code_of([&] { Blocked(types, data.data(), 1, far, 1, kName); }) == Code::bad_buffer);
  CHECK(code_of([&] { blocked(types, data.data(), {0, 1}, {}, far); }) == Code::bad_buffer);
  CHECK(code_of([&] { Blocked(types, data.data(), 0, far, 1, kName); }) == Code::success);
  MPI_Type_create_hvector(3, 1, 2, MPI_INT, &made);
  const Type dense(made);
  Blocked overlapping(types, data.data(), 2, dense, 1, kName);
  CHECK(overlapping.total() == 24);
  CHECK(code_of([&] { overlapping.bytes(); }) == Code::success);
  CHECK(code_of([&] { overlapping.room(); }) == Code::bad_datatype);
}

TEST_CASE("what lies in one run is used as it is, whatever made the datatype", "[buffers]") {
  const Datatypes types(g_scratch);
  std::vector<double> data{0, 1, 2, 3, 4, 5, 6, 7};
  const int lengths[] = {1, 1}, one = 1;
  const MPI_Aint places[] = {0, 8};
  const MPI_Datatype inner[] = {MPI_LONG_LONG, MPI_DOUBLE};
  MPI_Datatype made, other;
  MPI_Type_create_struct(2, lengths, places, inner, &made);
  const Type pair(made);
  MPI_Type_vector(2, 2, 2, MPI_DOUBLE, &made);
  const Type rows(made);
  MPI_Type_create_resized(rows, 0, 32, &made);
  const Type resized(made);
  for (const MPI_Datatype type : {MPI_Datatype{pair}, MPI_Datatype{rows}, MPI_Datatype{resized}}) {
    Blocked plain(types, data.data(), 1, type, 2, kName);
    CHECK(plain.as_is());
    CHECK(plain.bytes() == reinterpret_cast<std::byte*>(data.data()));
    CHECK_FALSE(plain.is_plain());  // the handle may be freed
  }
  // Behind the buffer's address, and single elements with room behind them.
  MPI_Type_create_hindexed(1, &one, &places[1], MPI_DOUBLE, &other);
  MPI_Type_create_resized(other, 0, 32, &made);
  MPI_Type_free(&other);
  const Type behind(made);
  Blocked single(types, data.data(), 1, behind, 1, kName);
  CHECK(single.as_is());
  CHECK(single.bytes() == reinterpret_cast<std::byte*>(data.data() + 1));
  Blocked several(types, data.data(), 1, behind, 2, kName);
  CHECK_FALSE(several.as_is());
  CHECK(reinterpret_cast<const double*>(several.bytes())[1] == 5);
}

TEST_CASE("two buffers that share bytes are told apart from two that interleave", "[buffers]") {
  const Datatypes types(g_scratch);
  const Type gaps(every_other_int_of_four());
  std::vector<int> data(16);
  const auto share = [&](const Blocked& a, const Blocked& b) {
    return code_of([&] { a.must_not_share(b, "pass MPI_IN_PLACE"); }) == Code::buffers_overlap;
  };
  const Blocked first(types, data.data(), 4, MPI_INT, 2, kName);
  const Blocked second(types, data.data() + 8, 4, MPI_INT, 2, kName);
  const Blocked across(types, data.data() + 7, 4, MPI_INT, 2, kName);
  CHECK_FALSE(share(first, second));
  CHECK(share(first, across));
  CHECK(share(across, second));
  CHECK(share(first, blocked(types, data.data(), {1, 1}, {12, 7})));
  CHECK_FALSE(share(second, blocked(types, data.data(), {1, 1}, {3, 7})));
  const Blocked even(types, data.data(), 1, gaps, 2, kName);
  const Blocked odd(types, data.data() + 1, 1, gaps, 2, kName);
  CHECK_FALSE(share(even, odd));
  CHECK(share(even, even));
}

TEST_CASE("blocks of one buffer must not overlap", "[buffers]") {
  const Datatypes types(g_scratch);
  std::vector<int> data(16);
  const auto overlap = [&](const Counts& counts, const Counts& places) {
    const Blocked blocks = blocked(types, data.data(), counts, places);
    return code_of([&] { blocks.must_not_overlap(); }) == Code::bad_displacement;
  };
  CHECK_FALSE(overlap({2, 2, 2}, {4, 2, 0}));
  CHECK(overlap({2, 2, 2}, {4, 1, 0}));
  CHECK(overlap({2, 2}, {3, 3}));
  CHECK_FALSE(overlap({2, 0}, {3, 3}));
}
