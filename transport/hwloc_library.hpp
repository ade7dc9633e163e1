// HwlocLibrary: hwloc, which knows the topology of a machine, loaded into a namespace of the
// dynamic linker where no other library is.
//
// The program may hold another hwloc: one MPI exports all functions of an old version. Libraries in
// the program's own namespace call those, and RTLD_DEEPBIND only helps where libhwloc.so is not
// loaded yet; sanitizers refuse it. In its own namespace hwloc has its own C library, and so its
// own environment, which names no plugins: otherwise hwloc loads all that are installed, OpenCL and
// X11 among them, before a caller can choose. The program's variables HWLOC_* are for the program's
// hwloc.
//
// The C library of the namespace knows only the thread that has loaded it, so no other thread may
// call these functions. All topologies end with this object. A process has one object at a time,
// and other threads wait for it: the linker gets back thread-local memory, of which there is
// little, only if the library that was loaded last is unloaded first. Set-up only.
#pragma once

#include <hwloc.h>

#include <memory>
#include <mutex>
#include <string>

namespace tutti::transport {

class HwlocLibrary {
 public:
  static constexpr const char* kFile = "libhwloc.so.15";  // the name of all versions 2

  // Throws nothing but bad_alloc: if the library cannot be loaded, problem() says why. A thread
  // that has one already would wait for itself.
  explicit HwlocLibrary(const char* file = kFile);

  // Why the functions may not be called; empty: they may.
  const std::string& problem() const noexcept { return problem_; }

  // The functions of hwloc, by its names. Inline functions of its header call others by name, and
  // must not be used.
  decltype(&hwloc_topology_init) topology_init = nullptr;
  decltype(&hwloc_topology_destroy) topology_destroy = nullptr;
  decltype(&hwloc_topology_set_all_types_filter) topology_set_all_types_filter = nullptr;
  decltype(&hwloc_topology_set_type_filter) topology_set_type_filter = nullptr;
  decltype(&hwloc_topology_set_flags) topology_set_flags = nullptr;
  decltype(&hwloc_topology_set_synthetic) topology_set_synthetic = nullptr;
  decltype(&hwloc_topology_set_xmlbuffer) topology_set_xmlbuffer = nullptr;
  decltype(&hwloc_topology_load) topology_load = nullptr;
  decltype(&hwloc_topology_get_depth) topology_get_depth = nullptr;
  decltype(&hwloc_get_depth_type) get_depth_type = nullptr;
  decltype(&hwloc_get_nbobjs_by_depth) get_nbobjs_by_depth = nullptr;
  decltype(&hwloc_get_obj_by_depth) get_obj_by_depth = nullptr;
  decltype(&hwloc_bitmap_next) bitmap_next = nullptr;

 private:
  template <class Function>
  void find(Function*& function, const char* name);
  void find_all();

  std::unique_lock<std::mutex> alone_;  // before the library, which it outlives
  struct Unload {
    void operator()(void* library) const noexcept;
  };
  std::unique_ptr<void, Unload> library_;
  std::string problem_;
};

}  // namespace tutti::transport
