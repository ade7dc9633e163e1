// What the CUDA driver says of a pointer.
#include "src/data/gpu_memory.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include "base/error.hpp"

namespace tutti {
namespace {

// Of cuda.h, which need not be installed: they are part of the driver's binary interface.
constexpr int kSuccess = 0;
constexpr int kMemoryType = 2;  // CU_POINTER_ATTRIBUTE_MEMORY_TYPE
constexpr unsigned kHost = 1;   // CU_MEMORYTYPE_HOST: the CPU's own, known to the driver

}  // namespace

void look_for_gpu_driver() {
  if (gpu_pointer_query.load(std::memory_order_relaxed)) return;
  void* const driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (!driver) return;
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
