/*
 * Preloaded: a library that brings copies of others' functions, as MVAPICH2 does with hwloc's, and
 * does not hide them. Tutti must call its own. A call of Tutti's ends the program; anybody else's
 * goes on to the function that was meant.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef intptr_t Any;
typedef Any (*Function)(Any, Any, Any, Any, Any, Any);

/* A library that was opened with RTLD_LOCAL, as a driver is, has dependencies that RTLD_NEXT does
 * not see: they are looked up from that library itself. */
static void* find(const char* name, const char* caller) {
  void* function = dlsym(RTLD_NEXT, name);
  void* library = function || !caller ? NULL : dlopen(caller, RTLD_LAZY | RTLD_NOLOAD);
  if (library) {
    function = dlsym(library, name);
    dlclose(library);
  }
  return function;
}

static Function meant(const char* name, void* caller) {
  Dl_info from;
  void* function;
  if (!dladdr(caller, &from)) from.dli_fname = NULL;
  if (from.dli_fname && strstr(from.dli_fname, "tutti")) {
    fprintf(stderr, "meddler: %s calls the wrong %s\n", from.dli_fname, name);
    abort();
  }
  function = find(name, from.dli_fname);
  if (!function) {
    fprintf(stderr, "meddler: no %s for %s\n", name, from.dli_fname ? from.dli_fname : "a caller");
    abort();
  }
  return (Function)(intptr_t)function;
}

#define MEDDLE(name)                                                    \
  Any name(Any a, Any b, Any c, Any d, Any e, Any f);                   \
  Any name(Any a, Any b, Any c, Any d, Any e, Any f) {                  \
    return meant(#name, __builtin_return_address(0))(a, b, c, d, e, f); \
  }

MEDDLE(hwloc_topology_init)
MEDDLE(hwloc_topology_load)
MEDDLE(hwloc_topology_destroy)
MEDDLE(hwloc_topology_set_all_types_filter)
MEDDLE(hwloc_bitmap_alloc)
MEDDLE(hwloc_get_type_depth)
MEDDLE(hwloc_get_obj_by_depth)
/* fmt::v9::vformat, fmt::v9::vprint */
MEDDLE(
    _ZN3fmt2v97vformatB5cxx11ENS0_17basic_string_viewIcEENS0_17basic_format_argsINS0_20basic_format_contextINS0_8appenderEcEEEE)
MEDDLE(
    _ZN3fmt2v96vprintENS0_17basic_string_viewIcEENS0_17basic_format_argsINS0_20basic_format_contextINS0_8appenderEcEEEE)
/* std::__cxx11::string::_M_create, _M_append; std::locale(); std::thread::_M_start_thread */
MEDDLE(_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9_M_createERmm)
MEDDLE(_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9_M_appendEPKcm)
MEDDLE(_ZNSt6localeC1Ev)
MEDDLE(_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE)
MEDDLE(__cxa_throw)
