// Errors of a link whose peer is no longer trusted, or has given the link up.
#include "transport/link.hpp"

#include <cstdio>

namespace tutti::transport {

void Link::fail_as_corrupt(const char* format, long long a, long long b) noexcept {
  char what[128], text[LinkState::kTextBytes];
  std::snprintf(what, sizeof what, format, a, b);
  std::snprintf(text, sizeof text,
                "rank %d of MPI_COMM_WORLD cannot be trusted: %s; memory is corrupt, or it runs "
                "another version of Tutti",
                peer(), what);
  fail(Code::transport_failed, text);
}

// A link that failed there as `peer_failed` is alive here: the two have lost each other.
void Link::fail_as_peer_did(Code code) noexcept {
  const bool lost = code == Code::peer_failed;
  const char* const why = lost ? "it no longer heard from this rank" : text_of(code);
  char text[LinkState::kTextBytes];
  std::snprintf(text, sizeof text,
                "rank %d of MPI_COMM_WORLD has given up its connection to this rank: %s; see the "
                "error that it returned",
                peer(), why && code != Code::success ? why : "it does not say why");
  fail(why && !lost && code != Code::success ? code : Code::transport_failed, text);
}

}  // namespace tutti::transport
