// Transport: how one rank reaches its peers. Set-up regime: constructors and connect() throw Error.
// Knows world ranks and addresses; no communicator, no message. Two implementations: verbs/ and
// shm/.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>

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
  virtual const char* kind() const noexcept = 0;
  // Ours, ready as soon as the transport is constructed.
  virtual Address address() const = 0;
  // Everybody's, indexed by world rank. Copied. Called once, before any connect().
  virtual void set_peers(std::span<const Address> addresses) = 0;
  // The link to `peer`, begun if there is none yet (state connecting; ready after some progress()).
  // Owned by the transport until its destruction. Throws Error{unreachable | out_of_memory |
  // locked_memory | transport_failed}.
  virtual Link& connect(int peer) = 0;
  // A link which a PEER began and that was not handed out yet by connect() or accepted(); null if
  // none.
  virtual Link* accepted() noexcept = 0;
  // Advances connections, arrivals and completions of all links, without blocking. Whether anything
  // came.
  virtual bool progress() noexcept = 0;
  // Tells every connected peer that this rank leaves on purpose. After that only progress() and
  // drained() are called.
  virtual void say_farewell() noexcept = 0;
};

}  // namespace tutti::transport
