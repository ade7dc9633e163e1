// Capabilities: what a link can do, beside messages and writes. Known when the link is made, and
// true as long as it is there.
#pragma once

#include "transport/fetching.hpp"
#include "transport/growth.hpp"
#include "transport/memory.hpp"
#include "transport/parts.hpp"
#include "transport/read_watch.hpp"
#include "transport/revocation.hpp"

namespace tutti::transport {

struct Capabilities {
  // false: nothing is written to user memory directly (the kernel or the user forbids it), and
  // large messages go through the rings in pieces.
  bool writes_directly = true;
  // Large messages may as well go through the rings in pieces, if that has an advantage: the bytes
  // take no longer than by Link::write().
  bool passes_pieces = false;
  // Link::write() takes `notify`, so that no message of its own has to say that a rendezvous is
  // finished.
  bool notifies = false;
  // true: a report costs as much as a short message; false: a store to memory.
  bool reports_by_packets = true;
  // A report carries so many low bits of the count, at least 3 and at most 32. The link adds the
  // others by the report before, so that one must be younger than a half of what these can count.
  int report_bits = 32;
  // Link::write() may be preceded by parts of the same message. Null: each message is one write.
  Parts* parts = nullptr;
  // The peer's memory can be read. Null: it cannot be.
  Fetching* fetching = nullptr;
  // Hears how payloads of the peer are read. Null: it does not want to know.
  ReadWatch* read_watch = nullptr;
  // Registers the memory that peers write to directly; null: none needs to be registered (shm).
  Registrar* registrar = nullptr;
  // Invitations of a peer to memory of a rank can be revoked. Null: they cannot be.
  Revocation* revocation = nullptr;
  // The peer can be asked for the writes that it has under way. Null: nobody need ask, or can.
  Inquiry* inquiry = nullptr;
  // The inboxes are small at first, and may grow. Null: they stay as they are.
  Growth* growth = nullptr;
};

}  // namespace tutti::transport
