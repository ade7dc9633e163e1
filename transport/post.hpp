// Post: what a link answers when it is given something to do.
#pragma once

#include <cstdint>

namespace tutti::transport {

enum class Post : std::uint8_t {
  done,     // accepted, and the local bytes may be reused now
  posted,   // accepted; the local bytes may be reused once completed() has reached the ticket
  again,    // back-pressure: nothing was done; make progress everywhere, then try again
  failed,   // the link is dead: see Link::state()
  refused,  // by write() and fetch() only: memory at one of the two ends is not mapped or may not
            // be accessed; the link itself is well
};

}  // namespace tutti::transport
