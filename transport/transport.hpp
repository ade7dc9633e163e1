// Transport: how one rank reaches its peers. There are two implementations, verbs/ and shm/. An
// engine holds a list of transports, the preferred one first, and takes for each peer the first
// that reaches it.
//
// Set-up regime: constructors and connect() throw Error. Knows world ranks and addresses; knows no
// communicator and no message.
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

// All that a peer needs to find a rank: opaque, and of fixed size, as the bootstrap exchanges it.
struct Address {
  std::array<std::byte, 64> bytes{};
};

class Transport {
 public:
  virtual ~Transport() = default;

  // --- start and end
  virtual const char* kind() const noexcept = 0;  // "verbs", "shm", …: the same as its links'
  // This rank's address.
  virtual Address address() const = 0;
  // All ranks' addresses, by world rank. Called once, before any connect(); copies what it needs.
  // Collective. Throws Error.
  virtual void set_peers(std::span<const Address> addresses) = 0;
  // Tells every connected peer that this rank leaves on purpose. After that only progress() and
  // Link::drained() may be called.
  virtual void send_disconnect() noexcept = 0;

  // --- links
  // Can this rank connect to `peer` over this transport? The answer is the same at both ends.
  virtual bool reaches(int peer) const noexcept = 0;
  // true: connect() returns links that are ready, at next to no cost.
  virtual bool connects_at_once() const noexcept { return false; }
  // The link to `peer`. The first call begins it, in the state `connecting`; some progress() later
  // it is ready. The transport owns it until its own destruction. Throws Error{unreachable |
  // out_of_memory | locked_memory | transport_failed}.
  virtual Link& connect(int peer) = 0;
  // A link that a PEER has begun and that this function has not returned before; null if there is
  // none.
  virtual Link* accepted() noexcept { return nullptr; }
  // For all peers that this rank does not reach, as it has no memory for a link: each finds the
  // notice by its own link, also while this rank computes. Takes no memory. false: there is no room
  // for it, or no place.
  virtual bool leave_notice(const Notice& /*notice*/) noexcept { return false; }
  // Has a peer's request for a link failed for want of memory since the last call of this? The peer
  // asks again, so the caller may free memory and all is well.
  virtual bool take_starved() noexcept { return false; }
  // Advances the connections, arrivals and completions of all links, without blocking. Returns
  // whether anything came.
  virtual bool progress() noexcept { return false; }
  // Has progress() anything to do? If not, a rank that waits does not call it.
  virtual bool needs_progress() const noexcept { return true; }

  // --- facts
  // Packets cost CPU time, as a device in software (rxe, siw) makes and reads them.
  virtual bool software_wire() const noexcept { return false; }
  // How much memory is kept for each rank of the job, connected or not.
  virtual std::size_t bytes_per_rank() const noexcept { return 0; }
  // How much memory one connection takes at first; describe() says what all of them take now.
  virtual std::size_t bytes_per_connection() const noexcept = 0;
  // Cumulative counters of the device, by the names its driver gives them.
  virtual std::vector<std::pair<std::string, std::uint64_t>> counters() const { return {}; }
  // A JSON object: what this transport adds to tutti_describe(3); `connection_bytes` by its kind.
  virtual nlohmann::json describe() const = 0;
};

}  // namespace tutti::transport
