// Reads a topology by hwloc into data that outlives the library.
#pragma once

#include <string>

#include "transport/hwloc_library.hpp"
#include "transport/processors.hpp"

namespace tutti::transport {

// The topology is this machine's, unless a test describes another one.
struct TopologySource {
  const char* library = HwlocLibrary::kFile;
  std::string synthetic, xml;  // descriptions in hwloc's formats; empty: unused
};

// Returns all hardware threads that are online, whether or not this process may use them. Takes a
// millisecond, or tens of them on a machine with many threads. Throws nothing but bad_alloc: where
// the topology cannot be read, problem() of the result says why.
Processors read_processors(const TopologySource& source = {});

}  // namespace tutti::transport
