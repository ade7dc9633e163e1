// Where this process runs: which node, which socket, which cache, how many cores it may use
// (hwloc).
#pragma once

#include <cstdint>
#include <string>

namespace tutti::transport {

// Equal on two ranks exactly if they share a kernel AND a host name: network namespaces of one
// machine with host names of their own count as nodes of their own, as their devices do. `override`
// (the setting `node`) replaces the host name.
std::uint64_t node_identity(const std::string& override);

// Equal on ranks that share a kernel, and so its cores, whatever their nodes are called.
std::uint64_t machine_identity();

struct Locality {
  int package = -1;  // the socket it is bound to; -1: several, or unknown
  int cache = -1;    // the last-level cache it is bound to; -1: several, or unknown
};
Locality locality();

}  // namespace tutti::transport
