// Board: a part of the segment's file where one rank leaves a result for all ranks of the node that
// ask later. Set-up regime, though ranks may ask at any time.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "transport/shm/members.hpp"

namespace tutti::transport::shm {

// Lies in the segment.
struct BoardState {
  std::atomic<std::uint32_t> finder;  // 1 + the local rank that finds out, or did; 0: nobody yet
  std::atomic<std::uint32_t> bytes;   // size of the result that is there; 0: no result yet
};

class Board {
 public:
  using Words = std::vector<std::byte>;
  static constexpr std::size_t kBytes = std::size_t{1} << 18;  // allocated when it is written

  // `file`: the board is kBytes of it, from `offset` on. All arguments outlive this object.
  Board(BoardState& state, Members& members, int local_rank, int file, std::size_t offset) noexcept
      : state_(state), members_(members), rank_(local_rank), file_(file), offset_(offset) {}

  // Returns the result of the first rank that asked. The first rank calls find_out(); others wait
  // for its result for up to two seconds, as long as it lives. Empty: this rank has no result from
  // others, and has to find out by itself, or it did and find_out() returned nothing. Throws what
  // find_out() throws, and bad_alloc.
  Words ask(const std::function<Words()>& find_out);

 private:
  bool come_first() noexcept;
  bool wait() noexcept;
  bool leave(const Words& words) noexcept;
  Words look() const;

  BoardState& state_;
  Members& members_;
  const int rank_, file_;
  const std::size_t offset_;
};

}  // namespace tutti::transport::shm
