#include "refusals.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <infiniband/verbs.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <iterator>

#undef ibv_reg_mr

namespace {

std::atomic<int> calls{0}, target{0};
std::atomic<bool> armed{false}, for_ever{false};
std::atomic<const char*> name_refused{nullptr};

enum class Kind {
  memory,
  maps,
  threads,
  copies,
  sockets,
  devices,
  registrations,
  completions,
  pairs
};
constexpr std::string_view kKinds[] = {"memory",        "maps",        "threads",
                                       "copies",        "sockets",     "devices",
                                       "registrations", "completions", "pairs"};
std::atomic<int> kind_refused{-1};  // -1: every kind

bool within_tutti(const void* caller) {
  Dl_info info;
  return dladdr(caller, &info) != 0 && info.dli_fname && std::strstr(info.dli_fname, "libtutti");
}

bool fails(Kind kind, const char* name, const void* caller) {
  if (!armed || (kind_refused >= 0 && kind_refused != static_cast<int>(kind)) ||
      !within_tutti(caller))
    return false;
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

bool is_kind(std::string_view kind) { return std::ranges::find(kKinds, kind) != std::end(kKinds); }
void refuse(std::string_view kind, int which, bool again) {
  if (!kind.empty())
    kind_refused = static_cast<int>(std::ranges::find(kKinds, kind) - std::begin(kKinds));
  target = which;
  for_ever = again;
  armed = true;
}
int fallible_calls() { return calls; }
const char* refused() { return name_refused; }

extern "C" void* __libc_malloc(std::size_t bytes);

// The C++ runtime is within libtutti, so `new` of Tutti calls this from there.
extern "C" void* malloc(std::size_t bytes) {
  if (!fails(Kind::memory, "malloc", __builtin_return_address(0))) return __libc_malloc(bytes);
  errno = ENOMEM;
  return nullptr;
}

// A function that fails with a value and an errno.
#define REFUSABLE(kind, result, name, parameters, arguments, value, error) \
  result name parameters {                                                 \
    static auto* const real = next(&name, #name);                          \
    if (fails(Kind::kind, #name, __builtin_return_address(0))) {           \
      errno = error;                                                       \
      return value;                                                        \
    }                                                                      \
    return real arguments;                                                 \
  }

extern "C" {

REFUSABLE(maps, void*, mmap,
          (void* at, std::size_t length, int protection, int flags, int file, off_t from),
          (at, length, protection, flags, file, from), MAP_FAILED, ENOMEM)
REFUSABLE(maps, int, fallocate, (int file, int mode, off_t from, off_t length),
          (file, mode, from, length), -1, ENOSPC)
REFUSABLE(maps, int, shm_open, (const char* name, int flags, mode_t mode), (name, flags, mode), -1,
          EMFILE)
REFUSABLE(maps, int, ftruncate, (int file, off_t length), (file, length), -1, ENOSPC)
REFUSABLE(maps, int, mprotect, (void* at, std::size_t length, int protection),
          (at, length, protection), -1, ENOMEM)
REFUSABLE(threads, int, eventfd, (unsigned value, int flags), (value, flags), -1, EMFILE)
REFUSABLE(threads, int, pthread_create,
          (pthread_t * thread, const pthread_attr_t* attributes, void* (*body)(void*),
           void* argument),
          (thread, attributes, body, argument), EAGAIN, EAGAIN)
REFUSABLE(copies, ssize_t, process_vm_writev,
          (pid_t process, const iovec* here, unsigned long heres, const iovec* there,
           unsigned long theres, unsigned long flags),
          (process, here, heres, there, theres, flags), -1, EPERM)
REFUSABLE(copies, ssize_t, process_vm_readv,
          (pid_t process, const iovec* here, unsigned long heres, const iovec* there,
           unsigned long theres, unsigned long flags),
          (process, here, heres, there, theres, flags), -1, EPERM)
REFUSABLE(sockets, int, socket, (int domain, int type, int protocol), (domain, type, protocol), -1,
          EMFILE)
REFUSABLE(sockets, int, bind, (int file, const sockaddr* address, socklen_t length),
          (file, address, length), -1, EADDRINUSE)
REFUSABLE(sockets, ssize_t, sendto,
          (int file, const void* data, std::size_t bytes, int flags, const sockaddr* to,
           socklen_t length),
          (file, data, bytes, flags, to, length), -1, ENOBUFS)
REFUSABLE(devices, ibv_device**, ibv_get_device_list, (int* count), (count), nullptr, ENOMEM)
REFUSABLE(devices, ibv_context*, ibv_open_device, (ibv_device * device), (device), nullptr, EMFILE)
REFUSABLE(devices, ibv_pd*, ibv_alloc_pd, (ibv_context * context), (context), nullptr, ENOMEM)
REFUSABLE(registrations, ibv_mr*, ibv_reg_mr,
          (ibv_pd * domain, void* at, std::size_t length, int access), (domain, at, length, access),
          nullptr, ENOMEM)
REFUSABLE(registrations, ibv_mr*, ibv_reg_mr_iova2,
          (ibv_pd * domain, void* at, std::size_t length, std::uint64_t iova, unsigned access),
          (domain, at, length, iova, access), nullptr, ENOMEM)
REFUSABLE(completions, ibv_cq*, ibv_create_cq,
          (ibv_context * context, int entries, void* own, ibv_comp_channel* channel, int vector),
          (context, entries, own, channel, vector), nullptr, ENOMEM)
REFUSABLE(completions, ibv_comp_channel*, ibv_create_comp_channel, (ibv_context * context),
          (context), nullptr, EMFILE)
REFUSABLE(completions, ibv_srq*, ibv_create_srq, (ibv_pd * domain, ibv_srq_init_attr* attributes),
          (domain, attributes), nullptr, ENOMEM)
REFUSABLE(completions, int, ibv_resize_cq, (ibv_cq * queue, int entries), (queue, entries), ENOMEM,
          ENOMEM)
REFUSABLE(pairs, ibv_qp*, ibv_create_qp, (ibv_pd * domain, ibv_qp_init_attr* wanted),
          (domain, wanted), nullptr, ENOMEM)
REFUSABLE(pairs, int, ibv_modify_qp, (ibv_qp * pair, ibv_qp_attr* to, int mask), (pair, to, mask),
          EINVAL, EINVAL)
REFUSABLE(pairs, ibv_ah*, ibv_create_ah, (ibv_pd * domain, ibv_ah_attr* to), (domain, to), nullptr,
          ENOMEM)

}  // extern "C"
