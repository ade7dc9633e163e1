// A bootstrap where ranks are threads of one process.
#pragma once

#include <algorithm>
#include <barrier>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "transport/bootstrap.hpp"

namespace tutti::tests {

class ThreadBootstrap final : public transport::Bootstrap {
 public:
  struct Meeting {
    explicit Meeting(int ranks) : barrier(ranks), said(static_cast<std::size_t>(ranks)) {}
    std::barrier<> barrier;
    std::vector<std::vector<std::byte>> said;
  };
  ThreadBootstrap(Meeting& meeting, int rank) : meeting_(meeting), rank_(rank) {}
  ~ThreadBootstrap() override { leave(); }

  int rank() const noexcept override { return rank_; }
  int size() const noexcept override { return static_cast<int>(meeting_.said.size()); }
  void rest() override { meeting_.barrier.arrive_and_wait(); }

 private:
  void exchange(const void* mine, std::size_t bytes, void* all) override {
    const auto* const from = static_cast<const std::byte*>(mine);
    meeting_.said[static_cast<std::size_t>(rank_)].assign(from, from + bytes);
    meeting_.barrier.arrive_and_wait();
    auto* to = static_cast<std::byte*>(all);
    for (const auto& said : meeting_.said) to = std::copy(said.begin(), said.end(), to);
    meeting_.barrier.arrive_and_wait();
  }
  void spread(void* data, std::size_t bytes) override {
    std::vector<std::byte> all(meeting_.said.size() * bytes);
    exchange(data, bytes, all.data());
    std::copy_n(all.begin(), bytes, static_cast<std::byte*>(data));
  }
  std::int64_t largest(std::int64_t mine) override {
    std::vector<std::int64_t> all(meeting_.said.size());
    exchange(&mine, sizeof mine, all.data());
    return *std::max_element(all.begin(), all.end());
  }

  Meeting& meeting_;
  const int rank_;
};

}  // namespace tutti::tests
