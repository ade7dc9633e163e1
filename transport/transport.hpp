// Transport: how one rank reaches its peers. Set-up regime: constructors and connect() throw Error.
// Knows world ranks and addresses; no communicator, no message. Two implementations: verbs/ and
// shm/. An engine holds a list of them, the preferred one first, and takes for each peer the first
// that reaches it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "transport/link.hpp"

namespace tutti::transport {

// What the bootstrap exchanges, once, per rank: opaque, of fixed size, all that a peer needs to
// find us.
struct Address {
  std::array<std::byte, 64> bytes{};
};

class Transport {
 public:
  virtual ~Transport() = default;

  // --- start and end
  virtual const char* kind() const noexcept = 0;  // "verbs", "shm", …: the same as its links'
  // Ours, ready as soon as the transport is constructed.
  virtual Address address() const = 0;
  // Everybody's, indexed by world rank. Copied. Called once, before any connect().
  virtual void set_peers(std::span<const Address> addresses) = 0;
  // Tells every connected peer that this rank leaves on purpose. After that only progress() and
  // Link::drained() are called.
  virtual void say_farewell() noexcept = 0;

  // --- links
  // Can this rank connect to `peer` over this transport? The same answer at both ends. Valid after
  // set_peers().
  virtual bool reaches(int peer) const noexcept = 0;
  // connect() gives links that are ready, so connecting costs no more than sending.
  virtual bool connects_at_once() const noexcept { return false; }
  // The link to `peer`, begun if there is none yet (state connecting; ready after some progress()).
  // Owned by the transport until its destruction. Throws Error{unreachable | out_of_memory |
  // locked_memory | transport_failed}.
  virtual Link& connect(int peer) = 0;
  // A link that a PEER began, if neither connect() nor accepted() has returned it yet; else null.
  virtual Link* accepted() noexcept { return nullptr; }
  // Could a link that a peer began not be made for want of memory, since the last call of this? The
  // peer asks again, so it helps to free memory.
  virtual bool take_starved() noexcept { return false; }
  // Advances connections, arrivals and completions of all links, without blocking. Whether anything
  // came.
  virtual bool progress() noexcept { return false; }
  // Has progress() anything to do? If not, a rank that waits does not call it.
  virtual bool needs_progress() const noexcept { return true; }

  // --- facts
  // Packets cost CPU time: the device is emulated in software.
  virtual bool software_wire() const noexcept { return false; }
  // Memory that is kept for each rank of the job, connected or not.
  virtual std::size_t bytes_per_rank() const noexcept { return 0; }
  // Memory that one connection takes in this process.
  virtual std::size_t bytes_per_connection() const noexcept = 0;
  // Cumulative counters of the device, by the names its driver gives them.
  virtual std::vector<std::pair<std::string, std::uint64_t>> counters() const { return {}; }
  // An object with this transport's members of tutti_describe(3), without the above.
  virtual nlohmann::json describe() const = 0;
};

}  // namespace tutti::transport
