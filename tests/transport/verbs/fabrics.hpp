// Fabrics for the tests of ports.
#pragma once

#include "transport/verbs/device/fabric.hpp"

namespace tutti::tests {

using transport::verbs::Fabric;
using transport::verbs::FabricKind;

inline constexpr Fabric kInfiniBand{FabricKind::infiniband, 0xfe80, 1},
    kRed{FabricKind::roce_v2_ipv4, 1, 0}, kBlue{FabricKind::roce_v2_ipv4, 2, 0},
    kUnknown{FabricKind::roce_v2_ipv6, 0, 0};

}  // namespace tutti::tests
