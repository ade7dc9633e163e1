// Complaint: why a transfer failed although its link works (a message of another length, memory
// that cannot be registered). One a channel: its protocols make it, Channel::failure() tells it,
// and the caller forgets it before the channel goes on for others.
#pragma once

#include "base/error.hpp"
#include "protocols/transfer.hpp"

namespace tutti::protocols {

class Complaint {
 public:
  explicit Complaint(int peer) : peer_(peer) {}
  // These replace an older complaint, and answer failed. `format` takes `a` and `b`; the text
  // begins with the peer's rank.
  Answer about_exchange(Code code, const char* format, long long a = 0, long long b = 0) noexcept;
  Answer about_memory(Code code, const char* text) noexcept;
  // A message of another length than the receive's; `more`: so much of it has come.
  Answer about_length(Bytes came, Bytes expected, bool more = false) noexcept;
  void forget() noexcept { code_ = Code::success; }

  bool made() const noexcept { return code_ != Code::success; }
  Code code() const noexcept { return code_; }
  Fault fault() const noexcept { return fault_; }
  const char* text() const noexcept { return text_; }

 private:
  const int peer_;  // rank of MPI_COMM_WORLD
  Code code_ = Code::success;
  Fault fault_ = Fault::of_peer;
  char text_[256] = {};
};

}  // namespace tutti::protocols
