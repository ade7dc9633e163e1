// The survey: all RDMA devices of this machine, their ports and GIDs, for people to read and for
// programs to choose from.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "transport/verbs/discovery/ports.hpp"

namespace tutti::transport::verbs {

struct GidReport {
  int index;
  std::string address, type;  // "IB", "RoCE v1", "RoCE v2"
};
struct PortReport {
  int port;
  bool ethernet;
  std::string state;
  int lid, active_mtu;  // bytes
  std::vector<GidReport> gids;
};
struct DeviceReport {
  std::string name, driver, firmware;
  std::string problem;    // why it cannot be opened; empty if it can
  bool software = false;  // packets cost CPU time: rxe, siw
  int max_qp = 0, max_cqe = 0, max_sge = 0;
  std::uint64_t max_mr_size = 0;
  std::vector<PortReport> ports;
};

// Throws nothing but bad_alloc: the report of a device that cannot be read says so in `problem`.
std::vector<DeviceReport> survey();

// The survey as candidates for a choice, in the order of the devices: one for each fabric of a
// port. `gid_index`: the only one that may be used, or -1. Throws nothing but bad_alloc.
std::vector<Candidate> candidates(int gid_index);

}  // namespace tutti::transport::verbs
