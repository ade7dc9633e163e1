// Copies between the processes of one node, made by the receiver: how it reads the peer's memory,
// and what both ends learn of what that takes. Data path: noexcept.
#pragma once

#include <cstddef>

#include "base/packed_view.hpp"
#include "base/types.hpp"
#include "transport/memory.hpp"
#include "transport/post.hpp"

namespace tutti::transport {

// The work of a rank in a collective beside sending one message.
struct Load {
  int receivers = 1;     // ranks that it sends to
  bool receives = true;  // it also receives
  bool packs = false;    // its data is gathered into one run on the way
};

class Fetching {
 public:
  // Reads `bytes` from the peer's memory to `target`. Returns done, failed or refused.
  virtual Post fetch(void* target, const RemoteKey& source, std::size_t bytes) noexcept = 0;
  // As fetch(), for bytes of a view: `target` is an address in its room, and the bytes go to the
  // elements that it stands for. Some may have gone there whatever the answer is.
  virtual Post fetch_packed(PackedView& view, std::byte* target, const RemoteKey& source,
                            std::size_t bytes) noexcept {
    const Post post = fetch(target, source, bytes);
    if (post == Post::done) view.unpack(target, static_cast<Bytes>(bytes), target);
    return post;
  }
  // Brings bytes to the room of their view, for the peer to fetch them there.
  virtual void pack(PackedView& view, const std::byte* from, Bytes bytes) noexcept {
    view.bring(from, bytes);
  }
  // Where a message may either be fetched or come in pieces: whether to fetch one of so many bytes
  // takes less time. Asked once for each, by its sender.
  virtual bool fetch_pays(Bytes bytes, const Load& load) noexcept = 0;

 protected:
  ~Fetching() = default;
};

}  // namespace tutti::transport
