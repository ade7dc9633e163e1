// Small files of sysfs, each with a word or a list.
#include "transport/sysfs_processors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <utility>

namespace tutti::transport {
namespace {

std::string first_line(const std::string& path) {
  std::string line;
  std::ifstream file(path);
  std::getline(file, line);
  return line;
}

}  // namespace

ThreadList parse_threads(const std::string& text) {
  ThreadList threads;
  std::istringstream in(text);
  for (int first, last; in >> first;) {
    last = first;
    if (in.peek() == '-' && !(in.ignore() >> last)) break;
    for (int t = first; t <= last; ++t) threads.push_back(t);
    if (in.peek() == ',') in.ignore();
  }
  return threads;
}

SysfsProcessors::SysfsProcessors(std::string folder) : folder_(std::move(folder)) {}

std::string SysfsProcessors::read(int thread, const std::string& file) const {
  return first_line(fmt::format("{}/cpu{}/{}", folder_, thread, file));
}
ThreadList SysfsProcessors::read_list(int thread, const std::string& file) const {
  return parse_threads(read(thread, file));
}

ThreadList SysfsProcessors::online() const {
  return parse_threads(first_line(folder_ + "/online"));
}

// By the names that kernels of all ages have.
ThreadList SysfsProcessors::package_of(int thread) const {
  return read_list(thread, "topology/core_siblings_list");
}
ThreadList SysfsProcessors::core_of(int thread) const {
  return read_list(thread, "topology/thread_siblings_list");
}

std::vector<SysfsProcessors::Cache> SysfsProcessors::caches_of(int thread) const {
  std::vector<Cache> caches;
  for (int index = 0;; ++index) {
    const std::string cache = fmt::format("cache/index{}/", index);
    const std::string type = read(thread, cache + "type");
    if (type.empty()) break;
    if (type == "Instruction") continue;
    caches.push_back({std::atoi(read(thread, cache + "level").c_str()),
                      read(thread, cache + "size"), read_list(thread, cache + "shared_cpu_list")});
  }
  std::ranges::stable_sort(caches, std::greater{}, &Cache::level);
  return caches;
}

}  // namespace tutti::transport
