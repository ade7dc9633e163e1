// `tutti info`: version and build, devices, what would be chosen and why, limits, settings, the
// machine. Needs neither MPI_Init nor an RDMA device.
#include <fmt/format.h>
#include <hwloc.h>
#include <mpi.h>
#include <sys/resource.h>
#include <sys/utsname.h>

#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "registration/watcher.hpp"
#include "src/job/configuration.hpp"
#include "src/job/transports.hpp"
#include "tools/commands.hpp"
#include "transport/verbs/survey.hpp"
#include "transport/verbs/transport.hpp"
#include "tutti/tutti.h"

namespace tutti::tools {
namespace {

using nlohmann::json;
namespace verbs = transport::verbs;

#ifndef TUTTI_MPI_CHOICE
#define TUTTI_MPI_CHOICE "unknown"
#endif

json build_facts() {
  char library[MPI_MAX_LIBRARY_VERSION_STRING] = {};
  int length = 0;
  MPI_Get_library_version(library, &length);
  utsname system{};
  uname(&system);
  std::string first_line(library);
  first_line = first_line.substr(0, first_line.find('\n'));
  return {{"version",
           fmt::format("{}.{}.{}", TUTTI_VERSION_MAJOR, TUTTI_VERSION_MINOR, TUTTI_VERSION_PATCH)},
          {"compiler", "g++ " __VERSION__},
          {"mpi", first_line},
          {"mpi_option", TUTTI_MPI_CHOICE},
          {"kernel", fmt::format("{} {}", system.sysname, system.release)}};
}

json device_facts(const verbs::DeviceReport& d) {
  json ports = json::array();
  for (const auto& p : d.ports) {
    json gids = json::array();
    for (const auto& g : p.gids)
      gids.push_back({{"index", g.index}, {"address", g.address}, {"type", g.type}});
    ports.push_back({{"port", p.port},
                     {"state", p.state},
                     {"link_layer", p.ethernet ? "Ethernet" : "InfiniBand"},
                     {"lid", p.lid},
                     {"active_mtu", p.active_mtu},
                     {"gids", gids}});
  }
  return {{"name", d.name},         {"driver", d.driver},   {"firmware", d.firmware},
          {"software", d.software}, {"problem", d.problem}, {"max_qp", d.max_qp},
          {"max_cqe", d.max_cqe},   {"max_sge", d.max_sge}, {"max_mr_size", d.max_mr_size},
          {"ports", ports}};
}

std::string choice(const Configuration& c) {
  try {
    const verbs::Device device({c.device, c.port, c.gid_index, c.pkey}, [](std::string_view) {});
    return device.reason();
  } catch (const Error& error) {
    return "none: " + error.message;
  }
}

std::string cache_method() {
  std::mutex lock;
  const registration::Watcher watcher(lock, [](std::uintptr_t, std::uintptr_t) {});
  return watcher.works() ? "on: unmapped memory is noticed through userfaultfd"
                         : "off: " + watcher.why_not();
}

// Packages, caches, cores and hardware threads, indented as they contain each other.
void draw_topology(hwloc_topology_t topology, hwloc_obj_t object, int depth, std::string& text) {
  char type[64], attributes[128];
  hwloc_obj_type_snprintf(type, sizeof type, object, 0);
  hwloc_obj_attr_snprintf(attributes, sizeof attributes, object, " ", 0);
  text += fmt::format(
      "  {:{}}{}{}{}{}{}\n", "", depth * 2, type,
      object->logical_index == HWLOC_UNKNOWN_INDEX ? "" : fmt::format(" {}", object->logical_index),
      *attributes ? " (" : "", attributes, *attributes ? ")" : "");
  for (unsigned i = 0; i < object->arity; ++i)
    draw_topology(topology, object->children[i], depth + 1, text);
}

std::string topology_picture() {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return "  unknown\n";
  struct Destroy {
    void operator()(hwloc_topology* t) const { hwloc_topology_destroy(t); }
  };
  const std::unique_ptr<hwloc_topology, Destroy> topology(raw);
  if (hwloc_topology_load(raw) != 0) return "  unknown\n";
  std::string text;
  draw_topology(raw, hwloc_get_root_obj(raw), 0, text);
  return text;
}

json memory_facts(const Configuration& c, bool software) {
  json rows = json::array();
  const auto verbs_bytes = 2 * inbox_shape(c, verbs_eager_limit(c, software)).bytes(),
             shm_bytes = 2 * inbox_shape(c, c.shm_eager_limit).bytes();
  // What is kept for each rank of a job, connected or not.
  constexpr std::size_t kBytesPerRank = transport::Placement::kBytesPerRank +
                                        Connections::kBytesPerRank +
                                        verbs::VerbsTransport::kBytesPerRank;
  for (const int P : {2, 64, 1024, 16384}) {
    int rounds = 0;
    for (long reach = 1; reach < P; reach *= 2) ++rounds;
    rows.push_back({{"P", P},
                    {"address_bytes", static_cast<std::size_t>(P) * kBytesPerRank},
                    {"connections_of_a_dissemination", 2 * rounds},
                    {"connection_bytes", 2 * static_cast<std::size_t>(rounds) * verbs_bytes}});
  }
  return {{"verbs_connection_bytes", verbs_bytes},
          {"shm_connection_bytes", shm_bytes},
          {"communicators", rows}};
}

void print(const json& all, const Configuration& configuration) {
  const json& b = all["build"];
  fmt::print("Tutti {}\n  built with {}, MPI option {}\n  MPI: {}\n  kernel: {}\n\n",
             b["version"].get<std::string>(), b["compiler"].get<std::string>(),
             b["mpi_option"].get<std::string>(), b["mpi"].get<std::string>(),
             b["kernel"].get<std::string>());
  fmt::print("RDMA devices\n");
  if (all["devices"].empty()) fmt::print("  none\n");
  for (const json& d : all["devices"]) {
    fmt::print("  {} (driver {}, {}): {} queue pairs, {} CQ entries, {} SGEs\n",
               d["name"].get<std::string>(),
               d["driver"].get<std::string>().empty() ? "unknown" : d["driver"].get<std::string>(),
               d["software"].get<bool>() ? "software wire: packets cost CPU" : "hardware wire",
               d["max_qp"].get<int>(), d["max_cqe"].get<int>(), d["max_sge"].get<int>());
    if (const auto problem = d["problem"].get<std::string>(); !problem.empty())
      fmt::print("    {}\n", problem);
    for (const json& p : d["ports"]) {
      fmt::print("    port {}: {}, {}, MTU {}\n", p["port"].get<int>(),
                 p["state"].get<std::string>(), p["link_layer"].get<std::string>(),
                 p["active_mtu"].get<int>());
      for (const json& g : p["gids"])
        fmt::print("      GID {}: {} ({})\n", g["index"].get<int>(),
                   g["address"].get<std::string>(), g["type"].get<std::string>());
    }
  }
  fmt::print("  would be chosen: {}\n\n", all["choice"].get<std::string>());
  fmt::print("Limits\n  RLIMIT_MEMLOCK: {}\n  registration cache: {}\n\n",
             all["memlock"].get<std::string>(), all["registration_cache"].get<std::string>());
  const json& m = all["memory"];
  fmt::print(
      "Memory of a rank (a connection is made when two ranks first speak)\n  a connection: verbs "
      "{} bytes, shared memory {} bytes\n",
      m["verbs_connection_bytes"].get<std::size_t>(), m["shm_connection_bytes"].get<std::size_t>());
  for (const json& row : m["communicators"])
    fmt::print(
        "  P = {:>5}: {:>8} bytes of addresses; a dissemination makes {:>2} connections, {:>9} "
        "bytes\n",
        row["P"].get<int>(), row["address_bytes"].get<std::size_t>(),
        row["connections_of_a_dissemination"].get<int>(),
        row["connection_bytes"].get<std::size_t>());
  fmt::print(
      "\nMachine\n{}\nSettings (option, then environment, then the file TUTTI_CONFIG names)\n",
      all["topology"].get<std::string>());
  for (const Setting& s : settings())
    fmt::print("  {:<27} {:<14} {} ({}); {}\n", s.name,
               s.show(configuration).empty() ? "\"\"" : s.show(configuration), environment_name(s),
               s.type, documentation_of(s));
  for (const std::string& warning : configuration.warnings) fmt::print("  note: {}\n", warning);
}

}  // namespace

void add_info(CLI::App& app, Run* run) {
  auto as_json = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand("info",
                                         "version, build, devices and ports, what would be chosen "
                                         "and why, limits, settings, the machine");
  command->add_flag("--json", *as_json, "all of it as JSON");
  command->callback([as_json, run] {
    *run = [as_json] {
      const Configuration configuration = load_configuration({});
      read_rules(configuration);  // what tutti_init would refuse is to be refused here
      rlimit limit{};
      getrlimit(RLIMIT_MEMLOCK, &limit);
      json devices = json::array(), values = json::object(), documentation = json::array();
      for (const auto& d : verbs::survey()) devices.push_back(device_facts(d));
      for (const Setting& s : settings()) {
        values[std::string(s.name)] = s.show(configuration);
        documentation.push_back({{"name", s.name},
                                 {"environment", environment_name(s)},
                                 {"type", s.type},
                                 {"default", s.show({})},
                                 {"documentation", documentation_of(s)}});
      }
      const json all = {
          {"build", build_facts()},
          {"devices", devices},
          {"choice", choice(configuration)},
          {"memlock",
           limit.rlim_cur == RLIM_INFINITY ? "unlimited" : fmt::format("{} bytes", limit.rlim_cur)},
          {"registration_cache", cache_method()},
          {"memory", memory_facts(configuration,
                                  !devices.empty() && devices.front()["software"].get<bool>())},
          {"topology", topology_picture()},
          {"settings", values},
          {"settings_documentation", documentation}};
      if (*as_json)
        fmt::print("{}\n", all.dump(2));
      else
        print(all, configuration);
      return 0;
    };
  });
}

}  // namespace tutti::tools
