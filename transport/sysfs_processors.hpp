// SysfsProcessors: which hardware threads share a socket, a cache and a core, as sysfs tells.
//
// Read here, and not by hwloc: MPI libraries bring hwloc in every version, some of them with all
// its symbols visible, so that a library of ours would call a function of theirs.
#pragma once

#include <string>
#include <vector>

#include "transport/processors.hpp"

namespace tutti::transport {

class SysfsProcessors {
 public:
  explicit SysfsProcessors(std::string folder = "/sys/devices/system/cpu");

  // Each is empty where the kernel does not tell.
  ThreadList online() const;
  ThreadList package_of(int thread) const;  // the threads of its socket
  ThreadList core_of(int thread) const;

  struct Cache {
    int level;
    std::string size;    // for people: "2048K"
    ThreadList threads;  // that share it
  };
  // The caches of a thread that hold data, the largest level first.
  std::vector<Cache> caches_of(int thread) const;

 private:
  std::string read(int thread, const std::string& file) const;
  ThreadList read_list(int thread, const std::string& file) const;

  const std::string folder_;
};

// "0-3,8" as the kernel writes it; what cannot be read ends it.
ThreadList parse_threads(const std::string& text);

}  // namespace tutti::transport
