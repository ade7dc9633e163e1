// Asks the CUDA driver for the kind of memory behind a pointer.
#include "src/data/gpu_memory.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include "base/error.hpp"

namespace tutti {
namespace {

// From cuda.h, which need not be installed: they are part of the driver's binary interface.
constexpr int kSuccess = 0;
constexpr int kMemoryType = 2;  // CU_POINTER_ATTRIBUTE_MEMORY_TYPE
constexpr unsigned kHost = 1;   // CU_MEMORYTYPE_HOST: the CPU's own, known to the driver

// Objects that the process has loaded so far, also those that it has unloaded since.
unsigned long long objects_loaded() {
  unsigned long long loaded = 0;
  const auto look = [](dl_phdr_info* info, std::size_t, void* context) {
    *static_cast<unsigned long long*>(context) = info->dlpi_adds;
    return 1;  // the first object says it
  };
  dl_iterate_phdr(look, &loaded);
  return loaded;
}

// Objects that were loaded when the driver was not among them.
std::atomic<unsigned long long> g_without_driver{0};

}  // namespace

void look_for_gpu_driver() {
  if (gpu_pointer_query.load(std::memory_order_relaxed)) return;
  // dlopen() reads the loader's cache and searches folders, which costs as much as 50 us.
  const unsigned long long loaded = objects_loaded();
  if (g_without_driver.load(std::memory_order_relaxed) == loaded) return;
  void* const driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (!driver) {
    g_without_driver.store(loaded, std::memory_order_relaxed);
    return;
  }
  gpu_pointer_query = reinterpret_cast<GpuPointerQuery*>(dlsym(driver, "cuPointerGetAttribute"));
  // The driver stays: a query that was found may be called at any time.
}

// The driver does not know memory that is nothing but the CPU's, and says so by an error.
void must_be_host_memory(GpuPointerQuery& query, const void* buffer, const char* name) {
  unsigned type = 0;
  if (!buffer ||
      query(&type, kMemoryType, reinterpret_cast<unsigned long long>(buffer)) != kSuccess)
    return;
  if (type != kHost)
    throw Error(
        Code::bad_buffer,
        fmt::format("`{}` is memory of a GPU, which Tutti does not reach; copy it to memory "
                    "of the host (cudaMemcpy), and pass that",
                    name));
}

}  // namespace tutti
