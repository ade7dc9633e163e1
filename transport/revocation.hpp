// A rank that gives up a buffer to which it has invited a peer has to know that the peer leaves it
// alone. Either the device lets it revoke the invitation (Revocation), or it can ask the peer which
// writes it has begun (Inquiry). Without either, nothing but removing the registration keeps the
// peer away.
//
// Data path: noexcept. Used by the thread that uses the link.
#pragma once

#include <cstdint>

namespace tutti::transport {

// Invitations have numbers below kInvitations.
class Revocation {
 public:
  // The peer's side, before and after a write(): it has begun, and nobody can revoke the invitation
  // until it has ended. false: the invitation was revoked.
  virtual bool enter(std::uint32_t invitation) noexcept = 0;
  virtual void leave(std::uint32_t invitation) noexcept = 0;
  // The peer's side, after a fetch(): the invitation was revoked, so the data that was read may be
  // anything.
  virtual bool is_revoked(std::uint32_t invitation) const noexcept = 0;

  // This side. true: the invitation is revoked, and the peer does not access the buffer now, and
  // never will. false: it may, as long as its process is there.
  virtual bool revoke(std::uint32_t invitation) noexcept = 0;
  // Whether the peer's process is there. Also of a link that has failed.
  virtual bool peer_lives() noexcept = 0;
  // The number may be used again.
  virtual void reopen(std::uint32_t invitation) noexcept = 0;

 protected:
  ~Revocation() = default;
};

// Whether the peer has begun to write by an invitation, and not all of that is here. unknown: it
// was asked, and has not answered.
enum class Writing : std::uint8_t { no, unknown, yes };

class Inquiry {
 public:
  // Asks the peer which of its writes are under way. Its transport answers though its program
  // computes. The answer may get lost, so this is called again; then an answer to either time
  // counts.
  virtual void ask(bool again) noexcept = 0;
  // By the answer to the last question, and what has come since.
  virtual Writing writing(std::uint32_t invitation) const noexcept = 0;

 protected:
  ~Inquiry() = default;
};

}  // namespace tutti::transport
