// Loads hwloc by dlmopen, and finds its functions.
#include "transport/hwloc_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

namespace tutti::transport {
namespace {

static_assert(HWLOC_API_VERSION >> 16 == 2, "libhwloc.so.15 is hwloc 2");

// hwloc finds no plugins at that path, and of its components only "linux" runs, which reads the
// kernel's files. Component "x86" would visit all cores, others start drivers of accelerators.
const char* const kEnvironment[] = {"HWLOC_PLUGINS_PATH=/dev/null", "HWLOC_COMPONENTS=linux,stop",
                                    "HWLOC_HIDE_ERRORS=2", nullptr};

std::mutex one_at_a_time;

std::string linker_problem() {
  const char* const problem = dlerror();
  return problem ? problem : "the dynamic linker does not say why";
}

}  // namespace

HwlocLibrary::HwlocLibrary(const char* file)
    : alone_(one_at_a_time), library_(dlmopen(LM_ID_NEWLM, file, RTLD_NOW)) {
  if (!library_) {
    problem_ = linker_problem();
    return;
  }
  auto* const environment = static_cast<const char* const**>(dlsym(library_.get(), "environ"));
  if (environment)
    *environment = kEnvironment;
  else
    problem_ = linker_problem();
  find_all();
  if (!problem_.empty()) library_.reset();
}

void HwlocLibrary::Unload::operator()(void* library) const noexcept { dlclose(library); }

template <class Function>
void HwlocLibrary::find(Function*& function, const char* name) {
  void* const address = dlsym(library_.get(), name);
  if (!address && problem_.empty()) problem_ = linker_problem();
  function = reinterpret_cast<Function*>(address);
}

void HwlocLibrary::find_all() {
  find(topology_init, "hwloc_topology_init");
  find(topology_destroy, "hwloc_topology_destroy");
  find(topology_set_all_types_filter, "hwloc_topology_set_all_types_filter");
  find(topology_set_type_filter, "hwloc_topology_set_type_filter");
  find(topology_set_flags, "hwloc_topology_set_flags");
  find(topology_set_synthetic, "hwloc_topology_set_synthetic");
  find(topology_set_xmlbuffer, "hwloc_topology_set_xmlbuffer");
  find(topology_load, "hwloc_topology_load");
  find(topology_get_depth, "hwloc_topology_get_depth");
  find(get_depth_type, "hwloc_get_depth_type");
  find(get_nbobjs_by_depth, "hwloc_get_nbobjs_by_depth");
  find(get_obj_by_depth, "hwloc_get_obj_by_depth");
  find(bitmap_next, "hwloc_bitmap_next");
}

}  // namespace tutti::transport
