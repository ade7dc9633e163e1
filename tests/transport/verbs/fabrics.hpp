// Fabrics, and ports on them, for the tests of the choice of ports.
#pragma once

#include <cstdint>

#include "transport/verbs/discovery/ports.hpp"

namespace tutti::tests {

using transport::verbs::Fabric;
using transport::verbs::FabricKind;

inline constexpr Fabric kInfiniBand{FabricKind::infiniband, 0xfe80, 1},
    kRed{FabricKind::roce_v2_ipv4, 1, 0}, kBlue{FabricKind::roce_v2_ipv4, 2, 0},
    kUnknown{FabricKind::roce_v2_ipv6, 0, 0};

// A port of a device that can carry a job; its rate in Mbit/s.
inline transport::verbs::Candidate candidate(const char* device, Fabric fabric,
                                             std::uint64_t rate = 100000, int distance = 0) {
  transport::verbs::Candidate result{.device = device, .problem = {}};
  result.rate = rate;
  result.distance = distance;
  result.fabric = fabric;
  return result;
}

}  // namespace tutti::tests
