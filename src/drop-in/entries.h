/* The entries: what a program's call of MPI_name or PMPI_name comes to. Each entry jumps through a
 * slot, with its arguments untouched, so that it fits every MPI. */
#ifndef TUTTI_DROP_IN_ENTRIES_H
#define TUTTI_DROP_IN_ENTRIES_H

#include "src/drop-in/interface.h"

struct tutti_entry {
  const char* name;          /* with its prefix */
  tutti_function* slot;      /* where calls go */
  tutti_function* beneath;   /* the MPI's own */
  unsigned long long* calls; /* of those that `counted` has seen */
  tutti_function counted;    /* counts the call, and jumps to `beneath` */
};

/* For each function the entry of MPI_name, then that of PMPI_name: the caught ones in the order of
 * the list, then the passed ones, then MPI_Init and MPI_Init_thread. */
extern const struct tutti_entry tutti_entries[] __attribute__((visibility("hidden")));
extern const int tutti_number_of_entries __attribute__((visibility("hidden")));

/* Called once, by the first entry that is called: fills all slots. */
void tutti_fill_slots(void) __attribute__((visibility("hidden")));

#endif
