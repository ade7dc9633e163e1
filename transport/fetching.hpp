// Copies between the processes of one node, made by the receiver: how it reads the peer's memory,
// and what both ends learn of what that takes. Data path: noexcept.
#pragma once

#include <cstddef>

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
  // Where a message may either be fetched or come in pieces: whether to fetch one of so many bytes
  // takes less time. Asked once for each, by its sender.
  virtual bool fetch_pays(Bytes bytes, const Load& load) noexcept = 0;

 protected:
  ~Fetching() = default;
};

}  // namespace tutti::transport
