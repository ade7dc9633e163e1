/*
 * Stands for the CUDA driver, libcuda.so.1: one range of memory belongs to a GPU, and it knows no
 * other.
 */
#include <stdint.h>

void pretend(const void* begin, unsigned long bytes);
int cuPointerGetAttribute(void* data, int attribute, unsigned long long pointer);

static uintptr_t gpu, gpu_end;

void pretend(const void* begin, unsigned long bytes) {
  gpu = (uintptr_t)begin;
  gpu_end = gpu + bytes;
}

int cuPointerGetAttribute(void* data, int attribute, unsigned long long pointer) {
  const int invalid_value = 1, memory_type = 2, device = 2;
  if (pointer < gpu || pointer >= gpu_end || attribute != memory_type) return invalid_value;
  *(unsigned*)data = (unsigned)device;
  return 0;
}
