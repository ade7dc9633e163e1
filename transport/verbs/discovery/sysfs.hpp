// A device as the kernel describes it in sysfs: its distance from the cores that this process may
// run on, and the rates of its ports. Knows no verbs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace tutti::transport::verbs {

// 0: they share a NUMA node with it, or nothing is known; else the kernel's distance between the
// device's NUMA node and the nearest one of the process (10 and more).
int distance_to(const std::string& device, const std::filesystem::path& sysfs = "/sys");

// The rate of a port, in Mbit/s; 0: unknown. Where verbs has no code for a rate (those above NDR,
// at first), it tells a lower one.
std::uint64_t rate_of(const std::string& device, int port,
                      const std::filesystem::path& sysfs = "/sys");

}  // namespace tutti::transport::verbs
