// Takes the buffers of transfers that were given up away from the peer and the adapter.
#include "protocols/abandoned.hpp"

#include <cstdio>

namespace tutti::protocols {

void Abandoned::break_off() noexcept {
  char text[200];
  std::snprintf(text, sizeof text,
                "a message of a failed call was still on its way between this rank and rank %d of "
                "MPI_COMM_WORLD when its buffer was needed, so the connection was broken off",
                link_.peer());
  link_.fail(Code::transport_failed, text);
}

void Abandoned::revoke() noexcept {
  invites_.revoke_abandoned();
  moves_.revoke_abandoned();
}

void Abandoned::release() noexcept {
  if (!closed() && invites_.remains_exposed()) break_off();
  invites_.release_abandoned();
  moves_.release_abandoned();
}

}  // namespace tutti::protocols
