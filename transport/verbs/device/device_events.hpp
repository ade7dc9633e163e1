// Asynchronous events, which a device reports by itself: they are read from a file.
//
// The file may break, as when the device is taken away: then nothing more comes, and the file is
// looked at no longer. Knows a device; knows no connection.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "transport/verbs/device/device.hpp"

namespace tutti::transport::verbs {

class DeviceEvents {
 public:
  class Handler {
   public:
    virtual ~Handler() = default;
    // All connections are lost. `event` is how verbs name what happened.
    virtual void device_failed(const char* event) = 0;
    virtual void queue_pair_failed(std::uint32_t number, const char* event) = 0;
  };

  DeviceEvents(const Device& device, Handler& handler, std::function<void(std::string_view)> log);

  // To be polled for reading; -1: the file is broken.
  int file() const noexcept { return file_; }
  // Reads all events; `polled` is what poll() returned for the file. Exceptions of the handler go
  // on to the caller, and the event counts as read.
  void read(short polled);

 private:
  void tell(const ibv_async_event& event);

  const Device& device_;
  Handler& handler_;
  const std::function<void(std::string_view)> log_;
  int file_;
};

}  // namespace tutti::transport::verbs
