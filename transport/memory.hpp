// Memory that a device may read or write: how it is registered, and how it is named on the wire.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace tutti::transport {

// A large message may be carried by several devices at once, its rails. Each has keys of its own
// for the same memory.
inline constexpr std::size_t kMostRails = 4;
using Keys = std::array<std::uint32_t, kMostRails>;

// Plain, goes on the wire: where a peer may write.
struct RemoteKey {
  std::uint64_t address;
  std::uint64_t length;  // bytes
  Keys keys;             // the devices' remote keys; 0 where the transport needs none
};

// A rank invites a peer to a buffer under a number below this.
inline constexpr std::uint32_t kInvitations = 64;

// One registration of one range. Plain; whoever asked for it gives it back with `remove`.
struct Registration {
  void* handle = nullptr;  // the registrar's own
  Keys local_keys{}, remote_keys{};
};

// Registers ranges with the devices of a transport. Set-up regime: `add` throws Error
// (locked_memory, with the number of bytes that RLIMIT_MEMLOCK has to allow; out_of_memory;
// bad_buffer). `remove` reports nothing.
class Registrar {
 public:
  virtual ~Registrar() = default;
  // Registers `length` bytes at `address`. `writable`: a peer may write there; else the device only
  // reads them, to send.
  virtual Registration add(void* address, std::size_t length, bool writable) = 0;
  virtual void remove(const Registration&) noexcept = 0;
};

}  // namespace tutti::transport
