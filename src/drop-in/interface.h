/* Between the two halves of the drop-in: the entries, a library to preload that needs no MPI to be
 * loaded, and Tutti behind them, which the entries load when an MPI program has initialized MPI. */
#ifndef TUTTI_DROP_IN_INTERFACE_H
#define TUTTI_DROP_IN_INTERFACE_H

#include "src/drop-in/calls.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The functions that Tutti replaces, in the order of the lists: the collectives come first. */
enum {
#define TUTTI_ENTRY(name) TUTTI_CALL_##name,
  TUTTI_CAUGHT(TUTTI_ENTRY) TUTTI_COLLECTIVES,
  TUTTI_BEFORE_WINDOWS = TUTTI_COLLECTIVES - 1,
  TUTTI_WINDOWS(TUTTI_ENTRY) TUTTI_DUPLICATES(TUTTI_ENTRY) TUTTI_FREES(TUTTI_ENTRY)
      TUTTI_REQUESTS(TUTTI_ENTRY) TUTTI_PLAIN(TUTTI_ENTRY)
#undef TUTTI_ENTRY
          TUTTI_CALLS
};

typedef void (*tutti_function)(void);

/* How often a function was called. */
struct tutti_passed {
  const char* name; /* with its prefix */
  const unsigned long long* calls;
};

/* Communicators and functions that the entries give to Tutti. */
struct tutti_drop_in_entries {
  MPI_Comm world, self; /* MPI_COMM_WORLD and MPI_COMM_SELF */
  /* The MPI's own function of this name, such as "PMPI_Bcast"; NULL: it has none. */
  tutti_function (*find)(const char* name);
  /* Tutti has come to its end: from now on, every call is the MPI's. */
  void (*stopped)(void);
  /* The functions that go to the MPI; ends with a name that is NULL. */
  const struct tutti_passed* passed;
};

/* Starts Tutti; collective over MPI_COMM_WORLD. Fills `functions` with what is to be called from
 * now on, and returns 1; or returns 0, on all ranks, after rank 0 has said why. */
typedef int tutti_drop_in_start_function(const struct tutti_drop_in_entries* entries,
                                         tutti_function functions[TUTTI_CALLS]);
__attribute__((visibility("default"))) tutti_drop_in_start_function tutti_drop_in_start;

#ifdef __cplusplus
}
#endif
#endif
