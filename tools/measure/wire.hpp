// The carrier of the messages that are measured: Tutti's own protocols, or the surrounding MPI.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/types.hpp"
#include "protocols/protocol_for.hpp"
#include "src/calibration/messages.hpp"
#include "tutti/tutti.h"

namespace tutti::tools {

// One rank's share of some messages that belong together. Any number of times: begin(), then
// finish(). All members of the wire's communicator do so equally often, those with no message too.
class Exchange {
 public:
  virtual ~Exchange() = default;
  virtual void begin() = 0;   // as far as it goes without waiting
  virtual void finish() = 0;  // until all is sent and received
  void run() {
    begin();
    finish();
  }
};

// Memory of the same length again and again, spread over so many bytes that a cache does not keep
// it; 0: always the same. All of one side share it, whose contents nobody looks at: so much memory
// takes a while to get.
class Rotating {
 public:
  enum Side : std::uint8_t { read, written };
  Rotating(Side side, Bytes bytes, Bytes spread);
  std::byte* next() noexcept {
    at_ = at_ + stride_ < bytes_ ? at_ + stride_ : 0;
    return memory_->data() + at_;
  }

 private:
  const std::size_t stride_, bytes_;
  std::shared_ptr<std::vector<std::byte>> memory_;
  std::size_t at_ = 0;
};

class Wire {
 public:
  virtual ~Wire() = default;
  // Messages of equal length; they wait for each other no more than those of one collective do.
  // `spread`: of their memory, see Rotating.
  virtual std::unique_ptr<Exchange> exchange(const std::vector<Message>& messages, Bytes bytes,
                                             Bytes spread = 0) = 0;
  // Where protocols change: nothing, if nobody says; and by their names.
  virtual std::optional<protocols::Limits> limits(Rank peer) = 0;
  virtual std::string protocols(Rank peer) = 0;
};

// See src/calibration/messages.hpp. `comm` stays the caller's. Throws Error.
std::unique_ptr<Wire> tutti_wire(tutti_comm comm);
// MPI_Isend and MPI_Irecv, on MPI_COMM_WORLD's ranks of the communicator.
std::unique_ptr<Wire> mpi_wire(tutti_comm comm);

}  // namespace tutti::tools
