/* Counts the blocking collectives that a program calls, in C and in Fortran, as the program sees
 * them: what a binding calls below counts once. To be preloaded above all others. At the end, rank
 * 0 of the job writes `NAME CALLS` lines to the file that COUNTING_FILE names. It knows no MPI:
 * collectives have integers and addresses as arguments, ten at most. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef long function(long, long, long, long, long, long, long, long, long, long);

static __thread int depth;

/* An MPI that was opened with RTLD_LOCAL hides its functions from RTLD_NEXT: then the calling
 * library knows them. */
static function* find(const char* name, void* caller) {
  union {
    void* object;
    function* function;
  } found = {dlsym(RTLD_NEXT, name)};
  Dl_info from;
  if (!found.object && dladdr(caller, &from)) {
    void* const library = dlopen(from.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    if (library) found.object = dlsym(library, name);
  }
  if (!found.object) {
    fprintf(stderr, "counting: there is no %s below\n", name);
    abort();
  }
  return found.function;
}

#define ONE(symbol, Name)                                                                       \
  long symbol(long a, long b, long c, long d, long e, long f, long g, long h, long i, long j) { \
    static function* next;                                                                      \
    if (!next) next = find(#symbol, __builtin_return_address(0));                               \
    if (depth++ == 0) __atomic_fetch_add(&calls_##Name, 1, __ATOMIC_RELAXED);                   \
    const long code = next(a, b, c, d, e, f, g, h, i, j);                                       \
    --depth;                                                                                    \
    return code;                                                                                \
  }
#define ALL(Name, name)              \
  static unsigned long calls_##Name; \
  ONE(MPI_##Name, Name)              \
  ONE(PMPI_##Name, Name)             \
  ONE(MPI_##Name##_c, Name)          \
  ONE(PMPI_##Name##_c, Name)         \
  ONE(mpi_##name##_, Name)           \
  ONE(pmpi_##name##_, Name)          \
  ONE(mpi_##name##_f08_, Name)       \
  ONE(pmpi_##name##_f08_, Name)      \
  ONE(mpi_##name##_f08ts_, Name)     \
  ONE(pmpi_##name##_f08ts_, Name)
#define COLLECTIVES(X)                          \
  X(Allgather, allgather)                       \
  X(Allgatherv, allgatherv)                     \
  X(Allreduce, allreduce)                       \
  X(Alltoall, alltoall)                         \
  X(Alltoallv, alltoallv)                       \
  X(Alltoallw, alltoallw)                       \
  X(Barrier, barrier)                           \
  X(Bcast, bcast)                               \
  X(Exscan, exscan)                             \
  X(Gather, gather)                             \
  X(Gatherv, gatherv)                           \
  X(Reduce, reduce)                             \
  X(Reduce_scatter, reduce_scatter)             \
  X(Reduce_scatter_block, reduce_scatter_block) \
  X(Scan, scan)                                 \
  X(Scatter, scatter)                           \
  X(Scatterv, scatterv)
COLLECTIVES(ALL)

static int is_first_rank(void) {
  const char* rank = getenv("PMI_RANK");
  if (!rank) rank = getenv("OMPI_COMM_WORLD_RANK");
  return rank && strcmp(rank, "0") == 0;
}

__attribute__((destructor)) static void write_calls(void) {
#define ADD(Name, name) +calls_##Name
  const char* const path = getenv("COUNTING_FILE");
  if (!path || !is_first_rank() || COLLECTIVES(ADD) == 0) return;
  FILE* const file = fopen(path, "a");
  if (!file) return;
#define WRITE(Name, name) \
  if (calls_##Name) fprintf(file, "MPI_" #Name " %lu\n", calls_##Name);
  COLLECTIVES(WRITE)
  fclose(file);
}
