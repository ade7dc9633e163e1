// Grows the last completion queue, or opens another one.
#include "transport/verbs/connection/completion_queues.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>

#include "base/error.hpp"
#include "transport/verbs/device/memory.hpp"

namespace tutti::transport::verbs {
namespace {

// Enough for a dozen connections that have grown: to resize a queue of a device in software takes
// as long as to make a large connection, while all calls wait.
constexpr int kFirstRoom = 7 * 1024;
constexpr std::size_t kEntryBytes = 64;  // about, in a message

}  // namespace

CompletionQueues::CompletionQueues(const Device& device, int reserved) : device_(device) {
  add(kFirstRoom + reserved);
  take(reserved);
}

ibv_cq* CompletionQueues::room_for(int completions) {
  if (completions > device_.limits().max_cqe)
    throw Error(Code::out_of_memory,
                fmt::format("device {} has completion queues of at most {} entries, and a "
                            "connection needs {}; lower the setting `line_slots`",
                            device_.name(), device_.limits().max_cqe, completions));
  if (Queue& last = queues_[size() - 1];
      last.used + completions > last.room && !grow(last, completions))
    add(std::max(completions, used_));
  return queues_[size() - 1].queue.get();
}

bool CompletionQueues::grow(Queue& queue, int completions) noexcept {
  const int needed = queue.used + completions;
  const int wanted = std::min(std::max(needed, 2 * queue.room), device_.limits().max_cqe);
  if (wanted < needed || ibv_resize_cq(queue.queue.get(), wanted) != 0) return false;
  queue.room = wanted;
  return true;
}

void CompletionQueues::add(int room) {
  const std::size_t count = size();
  if (count == kMost)
    throw Error(
        Code::out_of_memory,
        fmt::format("{} completion queues are full; lower the setting `line_slots`", kMost));
  room = std::min(room, device_.limits().max_cqe);
  CompletionQueue made(ibv_create_cq(device_.context(), room, nullptr, nullptr, 0));
  if (!made)
    throw_no_memory("creating a completion queue", kEntryBytes * static_cast<std::size_t>(room));
  queues_[count].room = made->cqe;
  queues_[count].queue = std::move(made);
  count_.store(count + 1, std::memory_order_release);
}

}  // namespace tutti::transport::verbs
