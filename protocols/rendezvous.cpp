// Registers the user's buffers for both halves of rendezvous (UserMemory).
#include "protocols/rendezvous.hpp"

#include <cstdio>

namespace tutti::protocols {

UserMemory::Hold UserMemory::hold(Transfer& transfer, const void* data, Bytes bytes,
                                  bool writable) noexcept {
  if (transfer.region || !cache_) return Hold::held;
  try {
    bool registered = false;
    transfer.region = cache_->acquire(data, static_cast<std::size_t>(bytes), writable, &registered);
    return registered ? Hold::registered : Hold::held;
  } catch (const Error& error) {
    complaint_.about_memory(error.code, error.message.c_str());
  } catch (const std::exception& error) {
    char text[128];
    std::snprintf(text, sizeof text, "registering memory failed: %s", error.what());
    complaint_.about_memory(Code::out_of_memory, text);
  }
  return Hold::failed;
}

}  // namespace tutti::protocols
