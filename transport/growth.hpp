// Growth: a connection may begin with small inboxes, and get larger ones when it proves hot. Each
// of the two grows by itself, once. The sender moves from one message to the next, in all rings at
// once; the receiver learns of it from the transport (Inbox::must_grow()), takes over what has come
// to the small inbox and was not consumed (protocols/ring_growth.hpp), and reads the large one from
// then on.
#pragma once

#include <atomic>
#include <cstdint>

#include "transport/inbox_shape.hpp"
#include "transport/post.hpp"

namespace tutti::transport {

// The peer's inbox, as this rank writes it.
class Outbox {
 public:
  Outbox(const InboxShape& first, const InboxShape& full) noexcept : shape_(first), full_(full) {}

  // How it looks now, and in the end. In the end both inboxes of a connection look alike.
  const InboxShape& shape() const noexcept { return shape_; }
  const InboxShape& full_shape() const noexcept { return full_; }
  // The larger one is there to be written: Growth::grow_out() may be called.
  bool may_grow() const noexcept { return may_grow_.load(std::memory_order_acquire); }
  bool grown() const noexcept { return grown_; }

  // --- for the link

  // Any thread may call this, once.
  void let_grow() noexcept { may_grow_.store(true, std::memory_order_release); }
  void grow() noexcept {
    may_grow_.store(false, std::memory_order_relaxed);
    shape_ = full_;
    grown_ = true;
  }

 private:
  InboxShape shape_;
  const InboxShape full_;
  std::atomic<bool> may_grow_{false};
  bool grown_ = false;
};

// Functions of a link whose inboxes grow. Data path: noexcept.
class Growth {
 public:
  // Asks for larger inboxes both ways. They may come later, or never.
  virtual void ask_for_more() noexcept = 0;
  // From here on put() takes slots of the large inbox. Returns done, again or failed.
  virtual Post grow_out() noexcept = 0;
  // The inbox must grow, and what was not consumed has been taken over: it grows.
  virtual void grow_in() noexcept = 0;
  // Bytes that write() has taken, while the connection is small.
  virtual std::uint64_t written() const noexcept = 0;

 protected:
  ~Growth() = default;
};

}  // namespace tutti::transport
