// Aside: messages that were taken out of their slots before anyone asked for them, so that those
// behind them can come.
//
// All calls between two ranks share the rings of their connection. Messages of one may fill a ring
// while its receiver does not ask for them (another thread computes, another collective comes
// first, the call waits for a third rank); then the message that another call waits for finds no
// slot. Only in this case are messages set aside, so others never pay for it.
//
// Promises: at most kMost bytes are kept for one connection. Leaves to the caller: to stop taking
// messages out of their ring when one cannot be kept; then credits make the sender wait.
#pragma once

#include <memory>
#include <vector>

#include "transport/inbox.hpp"

namespace tutti::protocols {

class Aside {
 public:
  static constexpr std::size_t kMost = 16u << 20;

  bool empty() const noexcept { return kept_.empty(); }
  // Copies the message that ends with `trailer`. false: it would be too much, or there is no
  // memory.
  bool keep(transport::Ring ring, const transport::Trailer* trailer) noexcept;
  // The oldest message of that ring and name, or null.
  const transport::Trailer* find(transport::Ring ring, const MessageName& name) const noexcept;
  // Frees a message that find() has found.
  void release(const transport::Trailer* trailer) noexcept;
  // Frees the messages for which unwanted(name) is true.
  template <class Unwanted>
  void drop(Unwanted&& unwanted) noexcept {
    for (auto k = kept_.begin(); k != kept_.end();)
      k = unwanted(k->trailer()->name) ? erase(k) : k + 1;
  }

 private:
  struct Kept {
    transport::Ring ring;
    std::size_t bytes;
    std::unique_ptr<std::byte[]> memory;
    const transport::Trailer* trailer() const noexcept {
      return reinterpret_cast<const transport::Trailer*>(memory.get() + bytes) - 1;
    }
  };
  std::vector<Kept>::iterator erase(std::vector<Kept>::iterator kept) noexcept;

  std::vector<Kept> kept_;  // in order of arrival
  std::size_t bytes_ = 0;
};

}  // namespace tutti::protocols
