// Memory that the device may read or write: pages of Tutti's own, and regions of anybody's.
// Set-up regime: throws Error.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "transport/memory.hpp"
#include "transport/verbs/device/device.hpp"

namespace tutti::transport::verbs {

using MemoryRegion = std::unique_ptr<ibv_mr, Releaser<ibv_dereg_mr>>;

// Whole pages, cleared, and not from the heap: ibv_fork_init() keeps registered pages from a forked
// child, and the child needs its heap whole. It does without these: only this process may use them.
struct FreePages {
  std::size_t bytes = 0;
  void operator()(std::byte* memory) const noexcept;
};
using Pages = std::unique_ptr<std::byte, FreePages>;
// Throws Error{out_of_memory}, which names `what` the pages were for.
Pages own_pages(std::size_t bytes, const char* what);

// Throws as Registrar::add.
MemoryRegion register_memory(const Device& device, void* address, std::size_t length, int access);

// Throws, with the errno of a verb that failed to give memory: Error{locked_memory}, which names
// the limit and the bytes needed, if the limit may be the cause; else Error{out_of_memory |
// transport_failed}.
[[noreturn]] void throw_no_memory(const char* what, std::size_t bytes);

// Registers with each of a rank's devices, one for each rail. They may write to the memory in any
// order: the end of a write to it must be told by a completion, which comes last nevertheless.
class DeviceRegistrar final : public Registrar {
 public:
  // One to kMostRails.
  explicit DeviceRegistrar(std::vector<const Device*> devices) : devices_(std::move(devices)) {}
  Registration add(void* address, std::size_t length, bool writable) override;
  void remove(const Registration& registration) noexcept override;

 private:
  using Regions = std::array<MemoryRegion, kMostRails>;

  const std::vector<const Device*> devices_;
};

}  // namespace tutti::transport::verbs
