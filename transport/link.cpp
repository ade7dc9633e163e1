// What a link says of a peer that it no longer trusts.
#include "transport/link.hpp"

#include <cstdio>

namespace tutti::transport {

void Link::distrust(const char* format, long long a, long long b) noexcept {
  char what[128], text[sizeof failure_text_];
  std::snprintf(what, sizeof what, format, a, b);
  std::snprintf(text, sizeof text,
                "rank %d of MPI_COMM_WORLD cannot be trusted: %s; memory is corrupt, or it runs "
                "another version of Tutti",
                peer_, what);
  fail(Code::transport_failed, text);
}

}  // namespace tutti::transport
