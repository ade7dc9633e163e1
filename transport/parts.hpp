// Parts: a large write to user memory that is posted part after part, so that one is on its way
// while the sender packs the next, or because it is too long for a queue. The peer sees one write,
// as only the end of it notifies.
//
// Data path: noexcept. Used by the thread that uses the link.
#pragma once

#include <cstddef>
#include <cstdint>

#include "transport/memory.hpp"
#include "transport/post.hpp"

namespace tutti::transport {

class Parts {
 public:
  // How long the parts of a write of so many bytes should be. 0: it should go as a whole, because
  // parts do not pay, or because the link could not order them before the end.
  virtual std::size_t part_bytes(std::size_t bytes) noexcept = 0;
  // The longest write, and the longest part, for a write of so many bytes: one that is longer must
  // go in parts. 0: the link may get a longer queue first; ask again later.
  virtual std::size_t most_at_once(std::size_t bytes) noexcept = 0;
  // Writes a part, as Link::write() without `notify`, but never returns done. The first one begins
  // the write by that invitation, and Link::write(), which notifies, has to write the last part:
  // once the peer has that number, all parts are there, too.
  virtual Post write_part(const void* source, const Registration& registration,
                          const RemoteKey& target, std::size_t bytes, std::uint32_t invitation,
                          std::uint64_t* ticket) noexcept = 0;
  // The write is given up: it gets no further part, and all so far are complete.
  virtual void give_up(std::uint32_t invitation) noexcept = 0;

 protected:
  ~Parts() = default;
};

}  // namespace tutti::transport
