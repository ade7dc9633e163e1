// Words for the operations of a kernel.
#include "models/kernel/kernel.hpp"

#include <fmt/format.h>

#include "base/index.hpp"
#include "base/text.hpp"

namespace tutti::models::kernel {
namespace {

std::string size_of(const Kernel& kernel, Bytes bytes) {
  if (kernel.unit_bytes > 1 && bytes % kernel.unit_bytes == 0)
    return fmt::format("{} {}", bytes / kernel.unit_bytes, kernel.unit);
  return counted(bytes, "byte");
}

}  // namespace

std::string_view name_of(Kind kind) noexcept {
  switch (kind) {
    case Kind::compute: return "compute";
    case Kind::send: return "send";
    case Kind::recv: return "recv";
    case Kind::isend: return "isend";
    case Kind::irecv: return "irecv";
    case Kind::wait: return "wait";
    case Kind::collective: return "collective";
    case Kind::stage: return "stage";
  }
  return {};
}

std::string to_string(const Kernel& kernel, const Call& call) {
  const auto& group = kernel.groups[index(call.group)];
  std::string text(collectives::name_of(call.collective));
  if (call.collective != collectives::Collective::barrier)
    text += " of " + size_of(kernel, call.bytes);
  if (collectives::is_rooted(call.collective))
    text += fmt::format(" with root {}", group[index(call.root)]);
  if (call.group != 0) text += fmt::format(" among {}", counted(group.size(), "rank"));
  return text;
}

std::string to_string(const Kernel& kernel, const Operation& operation) {
  std::string name(name_of(operation.kind));
  switch (operation.kind) {
    case Kind::collective: return to_string(kernel, kernel.calls[index(operation.call)]);
    case Kind::compute: return fmt::format("{} {:.6g} us", name, operation.time);
    case Kind::send:
    case Kind::isend:
      return fmt::format("{} {} to rank {}", name, size_of(kernel, operation.bytes),
                         operation.peer);
    case Kind::recv:
    case Kind::irecv:
      return fmt::format("{} {} from rank {}", name, size_of(kernel, operation.bytes),
                         operation.peer);
    case Kind::wait:
    case Kind::stage: return name;
  }
  return name;
}

}  // namespace tutti::models::kernel
