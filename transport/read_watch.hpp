// ReadWatch: a link that wants to know how the peer's payloads are read.
#pragma once

#include "transport/inbox_shape.hpp"

namespace tutti::transport {

// Told when a payload that the peer's link has marked (Length::mark()) is copied or combined: just
// before, and just after. One at a time. Data path: noexcept.
class ReadWatch {
 public:
  virtual void begin_read() noexcept = 0;
  virtual void end_read(Length payload) noexcept = 0;

 protected:
  ~ReadWatch() = default;
};

}  // namespace tutti::transport
