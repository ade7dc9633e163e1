// Reads asynchronous events, and tells those that each concerns.
#include "transport/verbs/device/device_events.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>

#include <cerrno>
#include <cstring>

namespace tutti::transport::verbs {
namespace {

// The object of an event cannot be destroyed before the event is acknowledged.
struct Acknowledged {
  ibv_async_event event;
  ~Acknowledged() { ibv_ack_async_event(&event); }
};

}  // namespace

DeviceEvents::DeviceEvents(const Device& device, Handler& handler,
                           std::function<void(std::string_view)> log)
    : device_(device), handler_(handler), log_(std::move(log)), file_(device.context()->async_fd) {
  fcntl(file_, F_SETFL, fcntl(file_, F_GETFL) | O_NONBLOCK);
}

void DeviceEvents::read(short polled) {
  ibv_async_event event;
  while (ibv_get_async_event(device_.context(), &event) == 0) tell(Acknowledged{event}.event);
  const int error = errno;
  if (error == EINTR || (error == EAGAIN && (polled & (POLLERR | POLLHUP | POLLNVAL)) == 0)) return;
  file_ = -1;
  log_(
      fmt::format("device {} no longer reports events ({}); failures of its connections are still "
                  "noticed by the work that fails",
                  device_.name(), error == EAGAIN ? "its file is broken" : std::strerror(error)));
}

void DeviceEvents::tell(const ibv_async_event& event) {
  const char* what = ibv_event_type_str(event.event_type);
  log_(fmt::format("device {}: {}", device_.name(), what));
  switch (event.event_type) {
    case IBV_EVENT_DEVICE_FATAL:
    case IBV_EVENT_CQ_ERR:
    case IBV_EVENT_SRQ_ERR: handler_.device_failed(what); break;
    case IBV_EVENT_QP_FATAL:
    case IBV_EVENT_QP_REQ_ERR:
    case IBV_EVENT_QP_ACCESS_ERR: handler_.queue_pair_failed(event.element.qp->qp_num, what); break;
    // IBV_EVENT_PORT_ERR among them: packets are sent again for a while, so a port that comes back
    // in time costs nothing; if it does not, the retries end.
    default: break;
  }
}

}  // namespace tutti::transport::verbs
