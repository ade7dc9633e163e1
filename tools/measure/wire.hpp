// What carries the messages that are measured: Tutti's own protocols, or the surrounding MPI.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/types.hpp"
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

struct Message {
  Rank peer;
  bool sent;  // else received
};

class Wire {
 public:
  virtual ~Wire() = default;
  // Messages of equal length; they wait for each other no more than those of one collective do.
  virtual std::unique_ptr<Exchange> exchange(const std::vector<Message>& messages, Bytes bytes) = 0;
  // The longest message that does not wait for its receiver; and where protocols change, by their
  // names.
  virtual Bytes eager(Rank peer) = 0;
  virtual std::string protocols(Rank peer) = 0;
};

// Messages are schedules of one step, which the library's own executor runs over its channels, the
// way the steps of a collective run. `comm` stays the caller's. Throws Error.
std::unique_ptr<Wire> tutti_wire(tutti_comm comm);
// MPI_Isend and MPI_Irecv, on MPI_COMM_WORLD's ranks of the communicator.
std::unique_ptr<Wire> mpi_wire(tutti_comm comm);

}  // namespace tutti::tools
