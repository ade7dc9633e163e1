/* Finds the MPI of the program, whoever has loaded it, and fills the slots of the entries; loads
 * Tutti when MPI is initialized. */
#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/drop-in/entries.h"

/* The MPI where it is not in the scope of the process: programs such as Python load it for
 * themselves. */
static void* g_mpi;

/* The function that calls of MPI_name and PMPI_name reach below the entries. */
static tutti_function next_function(const char* name) {
  union {
    void* object;
    tutti_function function;
  } found = {dlsym(RTLD_NEXT, name)};
  if (!found.object && g_mpi) found.object = dlsym(g_mpi, name);
  return found.function;
}

/* An object of the MPI's, such as a handle: programs may have a copy of their own, which counts. */
static void* mpi_object(const char* name) {
  void* const found = dlsym(RTLD_DEFAULT, name);
  return found || !g_mpi ? found : dlsym(g_mpi, name);
}

/* The addresses of a loaded library. To ask dladdr() for each of some hundred functions would take
 * milliseconds: it looks through all symbols of the library. */
struct library {
  uintptr_t address; /* one in it */
  uintptr_t begin, end;
};

static int find_library(struct dl_phdr_info* info, size_t size, void* context) {
  struct library* const library = context;
  uintptr_t begin = UINTPTR_MAX, end = 0;
  (void)size;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)* const part = &info->dlpi_phdr[i];
    if (part->p_type != PT_LOAD) continue;
    const uintptr_t from = info->dlpi_addr + part->p_vaddr;
    if (from < begin) begin = from;
    if (from + part->p_memsz > end) end = from + part->p_memsz;
  }
  if (library->address < begin || library->address >= end) return 0;
  library->begin = begin;
  library->end = end;
  return 1;
}

static int is_in(const struct library* library, uintptr_t address) {
  return address >= library->begin && address < library->end;
}

static struct library library_of(const void* address) {
  struct library library = {.address = (uintptr_t)address};
  dl_iterate_phdr(find_library, &library);
  return library;
}

/* Objects are loaded again, as it were, to ask them: not while the loader's list is being read. */
enum { MOST_OBJECTS = 4096 };
struct objects {
  int size;
  char* paths[MOST_OBJECTS];
};

static int note_object(struct dl_phdr_info* info, size_t size, void* context) {
  struct objects* const all = context;
  (void)size;
  if (info->dlpi_name && *info->dlpi_name && all->size < MOST_OBJECTS)
    all->paths[all->size++] = strdup(info->dlpi_name);
  return 0;
}

static void search_loaded_objects(void) {
  struct objects* const all = calloc(1, sizeof *all);
  if (!all) return;
  const struct library own = library_of(tutti_entries);
  dl_iterate_phdr(note_object, all);
  for (int i = 0; i < all->size; ++i) {
    void* const object =
        !all->paths[i] || g_mpi ? NULL : dlopen(all->paths[i], RTLD_LAZY | RTLD_NOLOAD);
    void* const found = object ? dlsym(object, "PMPI_Init") : NULL;
    if (found && !is_in(&own, (uintptr_t)found))
      g_mpi = object; /* kept: it must not be unloaded */
    else if (object)
      dlclose(object);
    free(all->paths[i]);
  }
  free(all);
}

static void missing(void) {
  fprintf(stderr, "tutti: this MPI does not have the function that the program has called\n");
  abort();
}

static const struct tutti_entry* const g_caught = tutti_entries;
static const struct tutti_entry* const g_passed = tutti_entries + 2 * TUTTI_CALLS;

static void set(const struct tutti_entry* entry, tutti_function function) {
  __atomic_store_n(entry->slot, function, __ATOMIC_RELEASE);
}

static int counts(void) {
  const char* const stats = getenv("TUTTI_STATS");
  return stats && *stats && strcmp(stats, "0") != 0;
}

static tutti_function find(const char* name) { return next_function(name); }

static void stopped(void) {
  for (int i = 0; i < 2 * TUTTI_CALLS; ++i) set(&g_caught[i], *g_caught[i].beneath);
}

/* Whether a tool stands between the entries and the MPI: then MPI_name is the tool's, which calls
 * PMPI_name, and so comes back to the entry of that. The MPI has both in one library: `library`, if
 * it was the one before, too. */
static int is_a_tools(const struct tutti_entry* entry, const struct tutti_entry* profiled,
                      struct library* library) {
  const uintptr_t own = (uintptr_t)*entry->beneath, mpis = (uintptr_t)*profiled->beneath;
  if (!is_in(library, mpis)) *library = library_of((const void*)mpis);
  return !is_in(library, own) && own != mpis;
}

static void take_calls(tutti_function functions[TUTTI_CALLS]) {
  struct library library = {0};
  for (int i = 0; i < TUTTI_CALLS; ++i) {
    const struct tutti_entry* const entry = &g_caught[2 * i];
    if (*entry[1].beneath == missing) continue;
    if (!is_a_tools(entry, entry + 1, &library)) set(entry, functions[i]);
    set(entry + 1, functions[i]);
  }
}

/* As launchers say it: what a rank is in another MPI cannot be asked. */
static int is_first_rank(void) {
  static const char* const names[] = {"PMI_RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK",
                                      "SLURM_PROCID"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
    const char* const rank = getenv(names[i]);
    if (rank) return strcmp(rank, "0") == 0;
  }
  return 1;
}

/* One line; the program goes on. */
static void complain(const char* what) {
  fprintf(stderr, "tutti: the program runs with its MPI alone: %s\n", what);
}

/* Loads a library in this file's folder. */
static void* load_beside(const char* name) {
  char path[PATH_MAX];
  Dl_info ours;
  if (!dladdr(tutti_entries, &ours)) return NULL;
  const char* const slash = strrchr(ours.dli_fname, '/');
  const int folder = slash ? (int)(slash - ours.dli_fname + 1) : 0;
  snprintf(path, sizeof path, "%.*s%s", folder, ours.dli_fname, name);
  return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

/* Whether the program's MPI is of the kind that this library is made for: the same on all ranks. */
static int fits(void) {
  const int is_open_mpi = mpi_object("ompi_mpi_comm_world") != NULL;
#ifdef OPEN_MPI
  if (is_open_mpi) return 1;
  if (is_first_rank()) complain("it is not Open MPI, for which the preloaded library is made");
#else
  if (!is_open_mpi) return 1;
  if (is_first_rank()) complain("it is Open MPI, for which the preloaded library is not made");
#endif
  return 0;
}

/* Tutti takes handles of Open MPI from the scope of the process, where it may not be yet. */
static void show_mpi(void) {
  Dl_info info;
  union {
    tutti_function function;
    void* object;
  } address = {next_function("PMPI_Init")};
  if (!dlsym(RTLD_DEFAULT, "MPI_Get_library_version") && dladdr(address.object, &info))
    dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL);
}

/* Handles that are objects in Open MPI, to which no library here is linked. No other file of the
 * drop-in names MPI_COMM_WORLD or MPI_COMM_SELF. */
#ifdef OPEN_MPI
#define HANDLE(type, handle, object) ((type)mpi_object(object))
#else
#define HANDLE(type, handle, object) (handle)
#endif
static MPI_Comm world(void) { return HANDLE(MPI_Comm, MPI_COMM_WORLD, "ompi_mpi_comm_world"); }
static MPI_Comm self(void) { return HANDLE(MPI_Comm, MPI_COMM_SELF, "ompi_mpi_comm_self"); }

/* A rank that cannot load Tutti must not be alone in that. */
static int all_have(int mine) {
  const MPI_Datatype type = HANDLE(MPI_Datatype, MPI_INT, "ompi_mpi_int");
  const MPI_Op minimum = HANDLE(MPI_Op, MPI_MIN, "ompi_mpi_op_min");
  int all = 0;
  int (*const allreduce)(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm) = (int (*)(
      const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm))next_function("PMPI_Allreduce");
  return allreduce(&mine, &all, 1, type, minimum, world()) == MPI_SUCCESS && all;
}

static struct tutti_passed* list_of_passed(void) {
  const int size = tutti_number_of_entries - 2 * TUTTI_CALLS - 4;
  struct tutti_passed* const list = calloc((size_t)size + 1, sizeof *list);
  for (int i = 0; list && i < size; ++i)
    list[i] = (struct tutti_passed){g_passed[i].name, g_passed[i].calls};
  return list;
}

static void start(void) {
  static int tried;
  static struct tutti_drop_in_entries entries;
  tutti_function functions[TUTTI_CALLS];
  if (tried++ || !fits()) return;
  show_mpi();
  void* const library = load_beside(TUTTI_BEHIND);
  const char* const why = library ? NULL : dlerror();
  tutti_drop_in_start_function* const begin =
      library ? (tutti_drop_in_start_function*)(size_t)dlsym(library, "tutti_drop_in_start") : NULL;
  entries = (struct tutti_drop_in_entries){world(), self(), find, stopped, list_of_passed()};
  const int mine = begin && entries.passed;
  if (!mine) complain(why ? why : "there is no memory");
  if (all_have(mine) && begin(&entries, functions)) take_calls(functions);
}

/* MPI_Init of Fortran calls that of C, and one that of the other: the outermost call starts Tutti.
 */
static int g_depth;

static int initialize(const struct tutti_entry* entry, int* argc, char*** argv) {
  ++g_depth;
  const int code = ((int (*)(int*, char***)) * entry->beneath)(argc, argv);
  if (--g_depth == 0 && code == MPI_SUCCESS) start();
  return code;
}

static int initialize_thread(const struct tutti_entry* entry, int* argc, char*** argv, int required,
                             int* provided) {
  ++g_depth;
  const int code =
      ((int (*)(int*, char***, int, int*)) * entry->beneath)(argc, argv, required, provided);
  if (--g_depth == 0 && code == MPI_SUCCESS) start();
  return code;
}

static const struct tutti_entry* g_init[4]; /* MPI_Init, PMPI_Init, and so on */
static int init(int* c, char*** v) { return initialize(g_init[0], c, v); }
static int profiled_init(int* c, char*** v) { return initialize(g_init[1], c, v); }
static int init_thread(int* c, char*** v, int required, int* provided) {
  return initialize_thread(g_init[2], c, v, required, provided);
}
static int profiled_init_thread(int* c, char*** v, int required, int* provided) {
  return initialize_thread(g_init[3], c, v, required, provided);
}

static void fill(void) {
  if (!next_function("PMPI_Init")) search_loaded_objects();
  const int counting = counts();
  for (int i = 0; i < tutti_number_of_entries; ++i) {
    const struct tutti_entry* const entry = &tutti_entries[i];
    tutti_function function = next_function(entry->name);
    if (!function) function = missing;
    *entry->beneath = function;
    set(entry, counting && i >= 2 * TUTTI_CALLS ? entry->counted : function);
  }
  const struct tutti_entry* const last = tutti_entries + tutti_number_of_entries - 4;
  tutti_function hooks[4] = {(tutti_function)init, (tutti_function)profiled_init,
                             (tutti_function)init_thread, (tutti_function)profiled_init_thread};
  for (int i = 0; i < 4; ++i) {
    g_init[i] = &last[i];
    set(&last[i], hooks[i]);
  }
}

void tutti_fill_slots(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, fill);
}
