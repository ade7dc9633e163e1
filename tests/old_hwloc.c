/*
 * Preloaded: an MPI that exports the functions of a hwloc of version 1. A library that calls them
 * means those of version 2, and would crash.
 */
#include <stdio.h>
#include <stdlib.h>

#define OLD(name)                                                            \
  long name(void);                                                           \
  long name(void) {                                                          \
    fprintf(stderr, "old hwloc: somebody calls this version's %s\n", #name); \
    abort();                                                                 \
  }

OLD(hwloc_topology_init)
OLD(hwloc_topology_load)
OLD(hwloc_topology_destroy)
OLD(hwloc_topology_set_synthetic)
OLD(hwloc_topology_set_all_types_filter)
OLD(hwloc_alloc_setup_object)
OLD(hwloc_bitmap_alloc)
OLD(hwloc_bitmap_set)
OLD(hwloc_bitmap_zero)
OLD(hwloc_get_type_depth)
OLD(hwloc_get_obj_by_depth)
