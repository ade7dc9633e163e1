// How far a device is from the cores that this process may run on. Reads sysfs; knows no verbs.
#pragma once

#include <filesystem>
#include <string>

namespace tutti::transport::verbs {

// 0: they share a NUMA node with it, or nothing is known; else the kernel's distance between the
// device's NUMA node and the nearest one of the process (10 and more).
int distance_to(const std::string& device, const std::filesystem::path& sysfs = "/sys");

}  // namespace tutti::transport::verbs
