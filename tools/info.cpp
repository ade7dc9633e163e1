// `tutti info`: version and build, devices, what would be chosen and why, limits, settings, the
// machine. Needs neither MPI_Init nor an RDMA device.
#include <fmt/format.h>
#include <mpi.h>
#include <sys/resource.h>
#include <sys/utsname.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "models/json_text.hpp"
#include "registration/watcher.hpp"
#include "src/job/configuration.hpp"
#include "src/job/selection.hpp"
#include "src/job/transports.hpp"
#include "tools/command_line.hpp"
#include "tools/commands.hpp"
#include "tools/text.hpp"
#include "transport/processors.hpp"
#include "transport/shm/memory.hpp"
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

// What a job of one rank on this host would choose, and what became of each port. In a larger job
// the fabric must be one that all hosts have.
json choice(const Configuration& c) {
  const verbs::PortChoice choice(device_wish(c, 0, 0));
  const verbs::Offer offer = choice.offer();
  const std::span<const verbs::Offer> only(&offer, 1);
  json result = {{"device", nullptr}, {"software", false}};
  std::vector<verbs::DeviceChoice> settled;
  try {
    settled = choice.settle(verbs::common_rails(only, 0), only);
    const verbs::Device device(settled.front(), [](std::string_view) {});
    result = {{"device", device.name()}, {"why", device.reason()}, {"software", device.software()}};
  } catch (const Error& error) {
    settled.clear();
    // This is what it advises.
    result["why"] = "none: " + error.message.substr(0, error.message.find("; `tutti info`"));
  }
  result["missing"] = choice.missing();
  result["ports"] = json::array();
  for (const auto& [port, words] : choice.verdicts(settled))
    result["ports"].push_back({{"device", port.device},
                               {"port", port.port},
                               {"mbit_per_s", port.rate},
                               {"distance", port.distance},
                               {"verdict", words}});
  return result;
}

std::string cache_method() {
  std::mutex lock;
  const registration::Watcher watcher(lock, [](const PageRange&) {});
  return watcher.works() ? "on: unmapped memory is noticed through userfaultfd"
                         : "off: " + watcher.why_not();
}

// What groups hardware threads, from the outside inwards: the group of a thread, and its name.
struct Grouping {
  std::string name;
  std::function<transport::ThreadList(int)> group_of;
};

std::vector<Grouping> groupings_of(const transport::Processors& machine, int thread) {
  std::vector<Grouping> levels = {{"Package", [&](int t) { return machine.package_of(t); }}};
  const auto caches = machine.caches_of(thread);
  for (std::size_t i = 0; i < caches.size(); ++i)
    levels.push_back(
        {fmt::format("L{} ({})", caches[i].level, caches[i].size), [&machine, i](int t) {
           const auto own = machine.caches_of(t);
           return i < own.size() ? own[i].threads : transport::ThreadList{};
         }});
  levels.push_back({"Core", [&](int t) { return machine.core_of(t); }});
  return levels;
}

// The groups of these threads, indented as they contain each other.
void draw_groups(std::span<const Grouping> levels, transport::ThreadList threads, int depth,
                 std::string& text) {
  if (levels.empty()) return;
  while (!threads.empty()) {
    transport::ThreadList group = levels[0].group_of(threads.front()), within, rest;
    if (group.empty()) group = {threads.front()};
    std::ranges::set_intersection(threads, group, std::back_inserter(within));
    std::ranges::set_difference(threads, group, std::back_inserter(rest));
    text += fmt::format("  {:{}}{}: threads {}\n", "", depth * 2, levels[0].name,
                        fmt::join(within, ","));
    draw_groups(levels.subspan(1), std::move(within), depth + 1, text);
    threads = std::move(rest);
  }
}

std::string topology_picture() {
  const transport::Processors machine;
  const transport::ThreadList threads = machine.online();
  if (threads.empty()) return "  unknown\n";
  std::string text;
  draw_groups(groupings_of(machine, threads.front()), threads, 0, text);
  return text;
}

// Computed: what a rank needs in jobs of several sizes, if it connects to the peers of a
// dissemination, or to all.
json memory_facts(const Configuration& c, bool software) {
  json rows = json::array();
  const auto shm_shape = inbox_shape(c, c.shm_eager_limit);
  const auto verbs_shape = inbox_shape(c, verbs_eager_limit(c, costly_packets(c, software)));
  const auto verbs_first = verbs::VerbsTransport::first_bytes_per_connection(verbs_shape),
             verbs_most = verbs::VerbsTransport::most_bytes_per_connection(
                 verbs_shape, static_cast<std::size_t>(std::max(c.rails, 1))),
             shm_first = 2 * transport::shm::first_bytes(), shm_most = 2 * shm_shape.bytes();
  // What is kept for each rank of a job, connected or not.
  constexpr std::size_t kBytesPerRank = transport::Placement::kBytesPerRank +
                                        Connections::kBytesPerRank +
                                        verbs::VerbsTransport::kBytesPerRank;
  for (const std::size_t P : {std::size_t{64}, std::size_t{1000}, std::size_t{100000}}) {
    std::size_t rounds = 0;
    for (std::size_t reach = 1; reach < P; reach *= 2) ++rounds;
    json row = {{"P", P}, {"address_bytes", P * kBytesPerRank}};
    for (const auto& [name, peers] :
         {std::pair{"dissemination", std::min(2 * rounds, P - 1)}, std::pair{"all", P - 1}})
      row[name] = {{"connections", peers},
                   {"verbs_bytes", peers * verbs_first},
                   {"most_verbs_bytes", peers * verbs_most},
                   {"shm_bytes", peers * shm_first}};
    rows.push_back(row);
  }
  return {{"verbs_connection_bytes", verbs_first},
          {"most_verbs_connection_bytes", verbs_most},
          {"shm_connection_bytes", shm_first},
          {"most_shm_connection_bytes", shm_most},
          {"jobs", rows}};
}

void print_memory(const json& memory) {
  fmt::print(
      "Memory of a rank (a connection is made when two ranks first speak)\n"
      "  a connection: verbs {} bytes, {} once it has proven hot; shared memory {} bytes,\n"
      "  {} once it has carried messages of all kinds\n"
      "  {:>9} {:>12}   {:<59}{}\n  {:>9} {:>12}",
      memory["verbs_connection_bytes"].get<std::size_t>(),
      memory["most_verbs_connection_bytes"].get<std::size_t>(),
      memory["shm_connection_bytes"].get<std::size_t>(),
      memory["most_shm_connection_bytes"].get<std::size_t>(), "", "", "peers of a dissemination",
      "all peers", "ranks", "addresses");
  for (int i = 0; i < 2; ++i)
    fmt::print("   {:>7} {:>14} {:>16} {:>16}", "peers", "verbs", "all hot", "shm");
  fmt::print("\n");
  for (const json& row : memory["jobs"]) {
    fmt::print("  {:>9} {:>12}", row["P"].get<std::size_t>(),
               row["address_bytes"].get<std::size_t>());
    for (const char* name : {"dissemination", "all"})
      fmt::print("   {:>7} {:>14} {:>16} {:>16}", row[name]["connections"].get<std::size_t>(),
                 row[name]["verbs_bytes"].get<std::size_t>(),
                 row[name]["most_verbs_bytes"].get<std::size_t>(),
                 row[name]["shm_bytes"].get<std::size_t>());
    fmt::print("\n");
  }
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
  fmt::print("  would be chosen: {}\n", all["choice"]["why"].get<std::string>());
  for (const json& name : all["choice"]["missing"])
    fmt::print("    {}: not on this host\n", name.get<std::string>());
  for (const json& p : all["choice"]["ports"])
    fmt::print("    {}, port {} ({} Gbit/s, distance {}): {}\n", p["device"].get<std::string>(),
               p["port"].get<int>(), p["mbit_per_s"].get<double>() / 1000, p["distance"].get<int>(),
               p["verdict"].get<std::string>());
  fmt::print("\n");
  fmt::print("Limits\n  RLIMIT_MEMLOCK: {}\n  registration cache: {}\n\n",
             all["memlock"].get<std::string>(), all["registration_cache"].get<std::string>());
  print_memory(all["memory"]);
  fmt::print(
      "\nMachine\n{}\nSettings (option, then environment, then the file TUTTI_CONFIG names)\n",
      all["topology"].get<std::string>());
  for (const Setting& s : settings())
    fmt::print("  {:<27} {:<14} {} ({})\n{}", s.name,
               s.show(configuration).empty() ? "\"\"" : s.show(configuration), environment_name(s),
               s.type, paragraph(documentation_of(s), 6));
  for (const std::string& warning : configuration.warnings) fmt::print("  note: {}\n", warning);
}

}  // namespace

void add_info(CommandLine& line) {
  auto as_json = std::make_shared<bool>(false);
  const Command command = line.command("info",
                                       "version, build, devices and ports, what would be chosen "
                                       "and why, limits, settings, the machine");
  command.flag("--json", *as_json, "all of it as JSON");
  command.footer("Example: TUTTI_DEVICE=mlx5_0 tutti info   what a job with this setting would do");
  command.runs([as_json] {
    const Configuration configuration = load_configuration({});
    read_rules(configuration);  // what tutti_init would refuse is to be refused here
    check_model(configuration);
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
    const json chosen = choice(configuration);
    const json all = {
        {"build", build_facts()},
        {"devices", devices},
        {"choice", chosen},
        {"memlock",
         limit.rlim_cur == RLIM_INFINITY ? "unlimited" : fmt::format("{} bytes", limit.rlim_cur)},
        {"registration_cache", cache_method()},
        {"memory", memory_facts(configuration, chosen["software"].get<bool>())},
        {"topology", topology_picture()},
        {"settings", values},
        {"settings_documentation", documentation}};
    if (*as_json)
      fmt::print("{}\n", models::json_text(all, 2));
    else
      print(all, configuration);
    return 0;
  });
}

}  // namespace tutti::tools
