// Hostile datagrams: a group within one process that loses, duplicates, delays and reorders
// datagrams, driven by a seed. A datagram that finds no slot is lost. The sender gets a copy of its
// own, as on some networks.
#pragma once

#include <algorithm>
#include <cstring>
#include <deque>
#include <memory>
#include <random>
#include <vector>

#include "transport/datagrams.hpp"

namespace tutti::tests {

struct DatagramHostility {
  std::uint32_t seed = 1;
  double loss = 0, duplication = 0;
  double refuse = 0.1;   // chance of Post::again
  std::size_t late = 0;  // how many later datagrams may overtake one
  bool breaks = false;   // every send fails
  std::uint32_t capacity = 32 + 100, slots = 16;
};

class DatagramNet {
 public:
  class End final : public transport::Datagrams {
   public:
    explicit End(DatagramNet& net) : net_(net), memory_(net.how.slots), busy_(net.how.slots) {}
    std::uint32_t capacity() const noexcept override { return net_.how.capacity; }
    std::uint32_t slots() const noexcept override { return net_.how.slots; }
    transport::Post send(const void* head, std::uint32_t head_bytes, const void* body,
                         std::uint32_t body_bytes) noexcept override {
      if (net_.how.breaks) return transport::Post::failed;
      if (net_.chance(net_.how.refuse)) return transport::Post::again;
      std::vector<std::byte> data(head_bytes + body_bytes);
      std::memcpy(data.data(), head, head_bytes);
      if (body_bytes != 0) std::memcpy(data.data() + head_bytes, body, body_bytes);
      ++net_.sent;
      for (auto& end : net_.ends_) end->fly(data);
      return transport::Post::done;
    }
    transport::Datagram receive() noexcept override {
      if (arrived_.empty()) return {};
      const std::uint32_t slot = arrived_.front();
      arrived_.pop_front();
      return {memory_[slot].data(), static_cast<std::uint32_t>(memory_[slot].size()), slot};
    }
    void give_back(std::uint32_t slot) noexcept override { busy_.at(slot) = false; }
    // Delivers some of the datagrams under way, or all, in a random order.
    void land(bool all) {
      while (!flying_.empty() && (all || net_.chance(0.4))) {
        const std::size_t i =
            net_.how.late == 0 ? 0 : net_.below(std::min(flying_.size(), net_.how.late + 1));
        std::uint32_t slot = 0;
        while (slot < busy_.size() && busy_[slot]) ++slot;
        if (slot == busy_.size()) {
          ++net_.overflows;
        } else {
          busy_[slot] = true;
          memory_[slot] = std::move(flying_[i]);
          arrived_.push_back(slot);
        }
        flying_.erase(flying_.begin() + static_cast<std::ptrdiff_t>(i));
      }
    }
    std::size_t held() const {
      return static_cast<std::size_t>(std::count(busy_.begin(), busy_.end(), true));
    }

   private:
    void fly(const std::vector<std::byte>& data) {
      if (net_.chance(net_.how.loss)) return;
      flying_.push_back(data);
      if (net_.chance(net_.how.duplication)) flying_.push_back(data);
    }
    DatagramNet& net_;
    std::vector<std::vector<std::byte>> memory_;
    std::vector<bool> busy_;
    std::deque<std::vector<std::byte>> flying_;
    std::deque<std::uint32_t> arrived_;
  };

  DatagramNet(int ranks, const DatagramHostility& hostility)
      : how(hostility), random_(hostility.seed * 7919) {
    for (int r = 0; r < ranks; ++r) ends_.push_back(std::make_unique<End>(*this));
  }
  End& end(int rank) { return *ends_.at(static_cast<std::size_t>(rank)); }
  void step() {
    for (auto& end : ends_) end->land(false);
  }
  bool chance(double p) { return p > 0 && std::uniform_real_distribution<>(0, 1)(random_) < p; }
  std::size_t below(std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_);
  }

  DatagramHostility how;
  std::uint64_t sent = 0, overflows = 0;

 private:
  std::mt19937 random_;
  std::vector<std::unique_ptr<End>> ends_;
};

}  // namespace tutti::tests
