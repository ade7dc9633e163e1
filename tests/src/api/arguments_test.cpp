// Checks of arguments: the code and the words of each, and who must keep buffers apart.
#include "src/api/arguments.hpp"

#include <algorithm>

#include "tests/src/api/one_rank.hpp"

using namespace tutti;
using tests::check_error;
using tests::OneRank;

namespace {

// Tells what was asked of it.
struct FakeBuffer {
  bool shared = true;
  int must_not_share_calls = 0, detach_calls = 0;

  void must_not_share(const FakeBuffer&, const char* remedy) {
    CHECK(std::string_view(remedy) == kUseInPlace);
    ++must_not_share_calls;
  }
  bool shares(const FakeBuffer&) const { return shared; }
  void detach() { ++detach_calls; }
};

// The library of another manner, which logs by the engine of the one that was started.
template <class Use>
void with_manner(const Manner& manner, Use&& use) {
  Library state(manner);
  state.engine = std::move(library()->engine);
  use(state);
  library()->engine = std::move(state.engine);
}

// How often the two were told to keep apart, and to detach.
std::pair<int, int> kept_apart(const Manner& manner, bool shared, bool same_place) {
  FakeBuffer sent{shared}, received{shared};
  with_manner(manner, [&](const Library& state) { keep_apart(state, sent, received, same_place); });
  CHECK(received.must_not_share_calls + received.detach_calls == 0);
  return {sent.must_not_share_calls, sent.detach_calls};
}

}  // namespace

TEST_CASE("a root is a rank of the communicator") {
  const OneRank one;
  CHECK_NOTHROW(check_root(0, one.communicator()));
  for (const int root : {-1, 1, MPI_PROC_NULL, 1 << 30}) {
    INFO(root);
    check_error(Code::bad_root, "ranks 0 to 0", [&] { check_root(root, one.communicator()); });
  }
}

TEST_CASE("MPI_IN_PLACE is refused by the argument's name") {
  const int data = 0;
  CHECK_NOTHROW(forbid_in_place(&data, "buffer"));
  CHECK_NOTHROW(forbid_in_place(nullptr, "buffer"));
  check_error(Code::bad_buffer, "`recvbuf`", [] { forbid_in_place(MPI_IN_PLACE, "recvbuf"); });
}

TEST_CASE("a block that a rank sends to itself has one length at both ends") {
  CHECK_NOTHROW(check_equal(0, 0));
  CHECK_NOTHROW(check_equal(Bytes{1} << 40, Bytes{1} << 40));
  check_error(Code::size_mismatch, "of 8 bytes is sent and one of 12", [] { check_equal(8, 12); });
}

TEST_CASE("counts by rank are there at the root, and on all ranks where the setting says so") {
  const OneRank one;
  const MPI_Count counts[] = {3};
  CHECK(must_have(counts, "sendcounts") == counts);
  check_error(Code::bad_buffer, "`sendcounts` is NULL", [] { must_have(nullptr, "sendcounts"); });

  Library state(Manner{});
  const auto at_root = [&](int root, const MPI_Count* given) {
    return counts_at_root(state, one.communicator(), root, given, "recvcounts");
  };
  state.configuration.counts = Counts::root;
  CHECK(at_root(0, counts) == counts);
  check_error(Code::bad_buffer, "`recvcounts`", [&] { at_root(0, nullptr); });
  // Other ranks do not look at them, but get an array that can be read.
  CHECK(at_root(1, nullptr) != nullptr);
  CHECK(*at_root(1, counts) == 0);
  state.configuration.counts = Counts::all;
  CHECK(at_root(1, counts) == counts);
  check_error(Code::bad_buffer, "`recvcounts`", [&] { at_root(1, nullptr); });
}

TEST_CASE("send and receive buffers must not share bytes, but where the manner is lenient") {
  using Calls = std::pair<int, int>;
  const Manner strict{}, lenient{.lenient = true}, equal{.lenient = true, .equal_buffers = true};
  for (const bool same_place : {false, true})
    CHECK(kept_apart(strict, true, same_place) == Calls{1, 0});
  CHECK(kept_apart(lenient, true, false) == Calls{0, 1});
  CHECK(kept_apart(lenient, false, false) == Calls{0, 0});
  // A rank's own data where they are to arrive: MPIs say so, unless they do not mind.
  CHECK(kept_apart(lenient, true, true) == Calls{1, 0});
  CHECK(kept_apart(equal, true, true) == Calls{0, 1});
}

TEST_CASE("bytes that are shared are warned of once") {
  kept_apart({.lenient = true}, true, false);
  kept_apart({.lenient = true}, true, false);
  CHECK(std::ranges::count_if(tests::g_logged, [](const std::string& line) {
          return line.find("share bytes, which MPI forbids") != line.npos;
        }) == 1);
}
