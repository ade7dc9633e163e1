// The hostile wire as a transport: what a third one has to offer, and no more. Each rank has one,
// over the net that all share, and a thread of its own.
#pragma once

#include <new>
#include <nlohmann/json.hpp>

#include "tests/protocols/hostile.hpp"
#include "transport/transport.hpp"

namespace tutti::tests {

inline constexpr transport::InboxShape kFourSlots{
    {{{64, 4}, {320, 4}, {1088, 4}, {64, 4}, {64, 4}}}};  // in each ring

class HostileTransport : public transport::Transport {
 public:
  HostileTransport(HostileNet& net, int rank) : net_(net), rank_(rank) {}

  const char* kind() const noexcept override { return "hostile"; }
  transport::Address address() const override {
    transport::Address address;
    std::memcpy(address.bytes.data(), &rank_, sizeof rank_);
    return address;
  }
  void set_peers(std::span<const transport::Address> addresses) override {
    for (std::size_t i = 0; i < addresses.size(); ++i) {
      int rank;
      std::memcpy(&rank, addresses[i].bytes.data(), sizeof rank);
      if (rank != static_cast<int>(i))
        throw Error(Code::bootstrap_failed, "the addresses are not in the order of the ranks");
    }
  }
  void send_disconnect() noexcept override { net_.leave(rank_); }

  bool reaches(int peer) const noexcept override { return peer != rank_; }
  bool connects_at_once() const noexcept override { return net_.hostility.connects_at_once; }
  transport::Link& connect(int peer) override {
    if (lacks_memory) throw std::bad_alloc();
    return net_.connect(rank_, peer);
  }
  transport::Link* accepted() noexcept override {
    return lacks_memory ? nullptr : net_.accepted(rank_);
  }
  bool leave_notice(const transport::Notice& notice) noexcept override {
    net_.leave_notice(rank_, notice);
    return true;
  }
  bool progress() noexcept override { return net_.step_to(rank_); }

  std::size_t bytes_per_connection() const noexcept override { return net_.shape.bytes(); }
  nlohmann::json describe() const override {
    return {{"connection_bytes", 2 * net_.shape.bytes()},
            {"hostile", {{"seed", net_.hostility.seed}}}};
  }

  bool lacks_memory = false;

 private:
  HostileNet& net_;
  const int rank_;
};

}  // namespace tutti::tests
