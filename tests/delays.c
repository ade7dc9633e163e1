/*
 * Preloaded: threads come late by chance. Before and after a lock is taken or given back, a thread
 * made, a descriptor polled or written, the caller sleeps now and then for up to 20 ms, so that
 * whatever another thread may do in between is done. A test that looks before what it looks for has
 * happened fails here first, instead of on a busy machine.
 *
 * Each place in the program that calls such a function is late in every fourth of its first 64
 * calls, and rarer from then on: loops end. DELAYS_SEED is another choice of calls.
 */
#include <dlfcn.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static atomic_uint calls[4096]; /* by place; two places may share one */
static atomic_uint_fast64_t turn;
static uint64_t seed;

__attribute__((constructor)) static void read_seed(void) {
  const char* text = getenv("DELAYS_SEED");
  seed = text ? strtoull(text, NULL, 10) : 1;
}

static uint64_t mixed(uint64_t x) {
  x *= 0xd1b54a32d192ed03u;
  x = (x ^ (x >> 29)) * 0xbf58476d1ce4e5b9u;
  return x ^ (x >> 32);
}

static void be_late(uintptr_t place) {
  const unsigned call = atomic_fetch_add(&calls[mixed(place) >> 52], 1) + 1;
  const unsigned one_in = call < 64 ? 4 : call / 8;
  const uint64_t x = mixed(mixed(seed) + atomic_fetch_add(&turn, 1));
  if (x % one_in == 0) {
    const struct timespec delay = {0, (long)((x >> 12) % 20000000)};
    clock_nanosleep(CLOCK_MONOTONIC, 0, &delay, NULL);
  }
}

/* The function of that name, with delays around the one that was meant. */
#define LATE(type, name, parameters, arguments)                               \
  type name parameters {                                                      \
    static __typeof__(&name) meant;                                           \
    const uintptr_t place = (uintptr_t)__builtin_return_address(0);           \
    type result;                                                              \
    if (!meant) meant = (__typeof__(&name))(intptr_t)dlsym(RTLD_NEXT, #name); \
    be_late(place);                                                           \
    result = meant arguments;                                                 \
    be_late(place + 1);                                                       \
    return result;                                                            \
  }

LATE(int, pthread_mutex_lock, (pthread_mutex_t * mutex), (mutex))
LATE(int, pthread_mutex_unlock, (pthread_mutex_t * mutex), (mutex))
LATE(int, pthread_create,
     (pthread_t * thread, const pthread_attr_t* attributes, void* (*run)(void*), void* with),
     (thread, attributes, run, with))
LATE(int, poll, (struct pollfd * descriptors, nfds_t count, int timeout),
     (descriptors, count, timeout))
LATE(ssize_t, write, (int descriptor, const void* bytes, size_t count), (descriptor, bytes, count))
