// Memory of a GPU, which the CPU cannot read: to be refused before anything touches it. Knows the
// CUDA driver where the process has loaded one; other vendors' memory is not recognised.
#pragma once

#include <atomic>

namespace tutti {

// cuPointerGetAttribute() of the CUDA driver's API.
using GpuPointerQuery = int(void* data, int attribute, unsigned long long pointer);
// Null as long as there is no driver in the process: then no pointer is a GPU's.
inline std::atomic<GpuPointerQuery*> gpu_pointer_query{nullptr};

// Looks whether the process has loaded a driver since. Takes the loader's lock.
void look_for_gpu_driver();

void must_be_host_memory(GpuPointerQuery& query, const void* buffer, const char* name);
// Throws Error{bad_buffer} if the buffer is memory of a GPU; `name` is the argument's.
inline void must_be_host_memory(const void* buffer, const char* name) {
  if (GpuPointerQuery* const query = gpu_pointer_query.load(std::memory_order_relaxed)) [[unlikely]]
    must_be_host_memory(*query, buffer, name);
}

}  // namespace tutti
