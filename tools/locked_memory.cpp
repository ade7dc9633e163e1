// Words for the limit on locked memory.
#include "tools/locked_memory.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "tools/text.hpp"

namespace tutti::tools {
namespace {

std::string locked_text(Bytes bytes) { return about_size_text(static_cast<double>(bytes)); }

}  // namespace

std::string judge(const LockedMemory& memory) {
  if (!memory.limit) return "unlimited: enough";
  const std::string limit = locked_text(*memory.limit);
  if (!memory.has_device)
    return limit + ": it does not matter, as this host has no RDMA device to lock memory for";
  if (memory.is_exempt)
    return limit + ": it does not matter to this user, who may lock more (CAP_IPC_LOCK)";
  const std::string needs = fmt::format(
      "a rank of a job of {} on this host, if all spoke over RDMA, locks up to {} for connections "
      "and {} for buffers",
      counted(memory.ranks, "rank"), locked_text(memory.connections), locked_text(memory.buffers));
  if (*memory.limit >= memory.connections && *memory.limit - memory.connections >= memory.buffers)
    return fmt::format("{}: enough, as {}", limit, needs);
  return fmt::format(
      "{}: too little, as {}. Raise it to unlimited: `ulimit -l unlimited` for one shell, `* - "
      "memlock unlimited` in /etc/security/limits.conf for all, --ulimit memlock=-1 for a "
      "container; or let fewer bytes stay registered: registration_cache_bytes",
      limit, needs);
}

}  // namespace tutti::tools
