/*
 * Makes an MPI over UCX give its core away while it waits, for a fair comparison where ranks
 * outnumber cores: MPICH never yields by itself, and would need milliseconds for a barrier. To be
 * preloaded: LD_PRELOAD=libyield.so.
 */
#include <dlfcn.h>
#include <sched.h>

unsigned ucp_worker_progress(void* worker);

unsigned ucp_worker_progress(void* worker) {
  static unsigned (*next)(void*);
  if (!next) *(void**)&next = dlsym(RTLD_NEXT, "ucp_worker_progress");
  const unsigned progressed = next(worker);
  if (progressed == 0) sched_yield();
  return progressed;
}
