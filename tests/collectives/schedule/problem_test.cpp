// Lengths and layout of a collective's buffers.
#include "collectives/schedule/problem.hpp"

#include <catch2/catch.hpp>

using namespace tutti;
using namespace tutti::collectives;

namespace {

constexpr int kRanks = 4;
const std::vector<Bytes> kCounts{3, 0, 5, 7};

UserBuffers buffers_of(Collective collective, Rank rank, bool in_place = false,
                       std::vector<Bytes> counts = {}, std::vector<Bytes> received = {}) {
  Problem problem;
  problem.collective = collective;
  problem.P = kRanks;
  problem.rank = rank;
  problem.root = 1;
  problem.bytes = 8;
  problem.in_place = in_place;
  problem.counts = std::move(counts);
  problem.receive_counts = std::move(received);
  return user_buffers(problem);
}

bool are(const UserBuffers& user, Bytes input, Bytes output) {
  return user.input == input && user.output == output && !user.in_place;
}
bool in_place(const UserBuffers& user, Bytes input, Bytes output, Bytes within) {
  return user.input == input && user.output == output && user.in_place &&
         user.input_within_output == within;
}

}  // namespace

TEST_CASE("a collective is found by its name") {
  for (std::size_t i = 0; i < kCollectives; ++i) {
    const auto collective = static_cast<Collective>(i);
    CHECK(collective_named(name_of(collective)) == collective);
  }
  CHECK_FALSE(collective_named("allgatherv"));
  CHECK_FALSE(collective_named(""));
}

TEST_CASE("buffers of the rooted collectives") {
  CHECK(are(buffers_of(Collective::bcast, 0), 0, 8));
  CHECK(are(buffers_of(Collective::scatter, 1), 32, 8));
  CHECK(are(buffers_of(Collective::scatter, 0), 0, 8));
  CHECK(are(buffers_of(Collective::scatter, 1, true), 32, 0));
  CHECK(are(buffers_of(Collective::gather, 1), 8, 32));
  CHECK(are(buffers_of(Collective::gather, 0), 8, 0));
  CHECK(in_place(buffers_of(Collective::gather, 1, true), 8, 32, 8));
  CHECK(are(buffers_of(Collective::reduce, 0), 8, 0));
  CHECK(are(buffers_of(Collective::reduce, 1), 8, 8));
}

TEST_CASE("buffers of the others") {
  CHECK(are(buffers_of(Collective::barrier, 2), 0, 0));
  CHECK(are(buffers_of(Collective::allgather, 2), 8, 32));
  CHECK(in_place(buffers_of(Collective::allgather, 2, true), 8, 32, 16));
  CHECK(are(buffers_of(Collective::alltoall, 2), 32, 32));
  for (const Collective c : {Collective::allreduce, Collective::scan, Collective::exscan}) {
    CHECK(are(buffers_of(c, 2), 8, 8));
    CHECK(in_place(buffers_of(c, 2, true), 8, 8, 0));
  }
  CHECK(are(buffers_of(Collective::reduce_scatter, 2), 32, 8));
  CHECK(in_place(buffers_of(Collective::reduce_scatter, 2, true), 32, 32, 0));
}

TEST_CASE("buffers of the v-forms") {
  CHECK(are(buffers_of(Collective::scatter, 1, false, kCounts), 15, 0));
  CHECK(are(buffers_of(Collective::gather, 3, false, kCounts), 7, 0));
  CHECK(are(buffers_of(Collective::allgather, 2, false, kCounts), 5, 15));
  CHECK(in_place(buffers_of(Collective::allgather, 3, true, kCounts), 7, 15, 8));
  CHECK(are(buffers_of(Collective::reduce_scatter, 3, false, kCounts), 15, 7));
  CHECK(are(buffers_of(Collective::alltoall, 0, false, kCounts, {1, 1, 1, 1}), 15, 4));
  CHECK(in_place(buffers_of(Collective::alltoall, 0, true, kCounts, kCounts), 15, 15, 0));
}

TEST_CASE("blocks lie by rank where a buffer holds them") {
  Problem problem;
  problem.collective = Collective::alltoall;
  problem.P = kRanks;
  problem.counts = kCounts;
  problem.receive_counts = {1, 2, 3, 4};
  CHECK(blocks_in(Buffer::input, problem)[3] == Slice{Buffer::input, 8, 7});
  CHECK(blocks_in(Buffer::output, problem)[3] == Slice{Buffer::output, 6, 4});
  for (Rank rank = 0; rank < kRanks; ++rank)
    for (const Buffer buffer : {Buffer::input, Buffer::output})
      CHECK(block_offset(buffer, problem, rank) == blocks_in(buffer, problem)[rank].offset);
  CHECK(block_bytes(problem, 2) == 5);

  problem.counts.clear();
  problem.bytes = 8;
  CHECK(block_offset(Buffer::input, problem, 3) == 24);
  CHECK(block_bytes(problem, 3) == 8);
}

TEST_CASE("what becomes of messages follows from the collective, and from who is there") {
  using protocols::Use;
  const auto use = [](Collective collective, int P) {
    return use_in(Problem{{.collective = collective}, P});
  };
  CHECK(use(Collective::allreduce, 2) == Use::combined);
  CHECK(use(Collective::exscan, 3) == Use::combined);
  CHECK(use(Collective::exscan, 2) == Use::stored);
  CHECK(use(Collective::bcast, 3) == Use::spread);
  CHECK(use(Collective::gather, 3) == Use::gathered);
  CHECK(use(Collective::gather, 2) == Use::stored);
  CHECK(use(Collective::alltoall, 3) == Use::stored);
}
