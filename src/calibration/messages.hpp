// Messages by themselves, whose time is measured: schedules that consist of nothing else.
#pragma once

#include <vector>

#include "collectives/execution/run.hpp"
#include "src/job/communicator.hpp"

namespace tutti {

struct Message {
  Rank peer;
  bool sent;  // else received
};

// One rank's share of some messages of equal length that belong together; they wait for each other
// no more than those of one collective do, and go the same ways. Any number of times: begin(), then
// finish(). All members of the communicator do so equally often, those with no message too.
class Messages final : private OpenCall {
 public:
  // Sends read the same bytes; each receive has bytes of its own.
  Messages(Communicator& communicator, const std::vector<Message>& messages, Bytes bytes);

  Bytes output_bytes() const noexcept { return program_.schedule().output_bytes; }
  // As far as it goes without waiting. The buffers stay the caller's until finish() has returned.
  // Throws Error.
  void begin(const void* input, void* output);
  // Until all is sent and received. Throws Error.
  void finish();

 private:
  void advance() noexcept override;
  [[noreturn]] void fail();
  void end() noexcept;

  Communicator& communicator_;
  const collectives::Program program_;
  collectives::Run run_;
  protocols::Answer answer_ = protocols::Answer::done;
};

}  // namespace tutti
