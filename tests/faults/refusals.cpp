#include "refusals.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <infiniband/verbs.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/uio.h>

#include <atomic>
#include <cerrno>
#include <cstring>

#undef ibv_reg_mr

namespace {

std::atomic<int> calls{0}, target{0};
std::atomic<bool> armed{false}, for_ever{false};
std::atomic<const char*> name_refused{nullptr};

bool within_tutti(const void* caller) {
  Dl_info info;
  return dladdr(caller, &info) != 0 && info.dli_fname && std::strstr(info.dli_fname, "libtutti");
}

bool fails(const char* name, const void* caller) {
  if (!armed || !within_tutti(caller)) return false;
  if (const char* const before = name_refused) return for_ever && std::strcmp(before, name) == 0;
  if (++calls != target) return false;
  name_refused = name;
  return true;
}

template <class Function>
Function* next(Function*, const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

void refuse(int which, bool again) {
  target = which;
  for_ever = again;
  armed = true;
}
int fallible_calls() { return calls; }
const char* refused() { return name_refused; }

extern "C" void* __libc_malloc(std::size_t bytes);

// The C++ runtime is within libtutti, so `new` of Tutti calls this from there.
extern "C" void* malloc(std::size_t bytes) {
  if (!fails("malloc", __builtin_return_address(0))) return __libc_malloc(bytes);
  errno = ENOMEM;
  return nullptr;
}

// A function that fails with a value and an errno.
#define REFUSABLE(result, name, parameters, arguments, value, error) \
  result name parameters {                                           \
    static auto* const real = next(&name, #name);                    \
    if (fails(#name, __builtin_return_address(0))) {                 \
      errno = error;                                                 \
      return value;                                                  \
    }                                                                \
    return real arguments;                                           \
  }

extern "C" {

REFUSABLE(void*, mmap,
          (void* at, std::size_t length, int protection, int flags, int file, off_t from),
          (at, length, protection, flags, file, from), MAP_FAILED, ENOMEM)
REFUSABLE(int, fallocate, (int file, int mode, off_t from, off_t length),
          (file, mode, from, length), -1, ENOSPC)
REFUSABLE(int, shm_open, (const char* name, int flags, mode_t mode), (name, flags, mode), -1,
          EMFILE)
REFUSABLE(int, eventfd, (unsigned value, int flags), (value, flags), -1, EMFILE)
REFUSABLE(int, pthread_create,
          (pthread_t * thread, const pthread_attr_t* attributes, void* (*body)(void*),
           void* argument),
          (thread, attributes, body, argument), EAGAIN, EAGAIN)
REFUSABLE(ssize_t, process_vm_writev,
          (pid_t process, const iovec* here, unsigned long heres, const iovec* there,
           unsigned long theres, unsigned long flags),
          (process, here, heres, there, theres, flags), -1, EPERM)
REFUSABLE(ssize_t, process_vm_readv,
          (pid_t process, const iovec* here, unsigned long heres, const iovec* there,
           unsigned long theres, unsigned long flags),
          (process, here, heres, there, theres, flags), -1, EPERM)
REFUSABLE(ibv_context*, ibv_open_device, (ibv_device * device), (device), nullptr, EMFILE)
REFUSABLE(ibv_pd*, ibv_alloc_pd, (ibv_context * context), (context), nullptr, ENOMEM)
REFUSABLE(ibv_mr*, ibv_reg_mr, (ibv_pd * domain, void* at, std::size_t length, int access),
          (domain, at, length, access), nullptr, ENOMEM)
REFUSABLE(ibv_mr*, ibv_reg_mr_iova2,
          (ibv_pd * domain, void* at, std::size_t length, std::uint64_t iova, unsigned access),
          (domain, at, length, iova, access), nullptr, ENOMEM)
REFUSABLE(ibv_cq*, ibv_create_cq,
          (ibv_context * context, int entries, void* own, ibv_comp_channel* channel, int vector),
          (context, entries, own, channel, vector), nullptr, ENOMEM)
REFUSABLE(ibv_comp_channel*, ibv_create_comp_channel, (ibv_context * context), (context), nullptr,
          EMFILE)
REFUSABLE(int, ibv_resize_cq, (ibv_cq * queue, int entries), (queue, entries), ENOMEM, ENOMEM)
REFUSABLE(ibv_qp*, ibv_create_qp, (ibv_pd * domain, ibv_qp_init_attr* wanted), (domain, wanted),
          nullptr, ENOMEM)
REFUSABLE(int, ibv_modify_qp, (ibv_qp * pair, ibv_qp_attr* to, int mask), (pair, to, mask), EINVAL,
          EINVAL)
REFUSABLE(ibv_ah*, ibv_create_ah, (ibv_pd * domain, ibv_ah_attr* to), (domain, to), nullptr, ENOMEM)

}  // extern "C"
