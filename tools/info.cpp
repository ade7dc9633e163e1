// `tutti info`: version and build, devices, what would be chosen and why, limits, settings, the
// machine. Needs neither MPI_Init nor an RDMA device.
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/utsname.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "models/platform/json_text.hpp"
#include "registration/watcher.hpp"
#include "src/drop-in/names.hpp"
#include "src/job/progress_thread.hpp"
#include "src/job/selection.hpp"
#include "src/job/trace.hpp"
#include "src/setup/configuration.hpp"
#include "src/setup/transports.hpp"
#include "tools/command_line.hpp"
#include "tools/commands.hpp"
#include "tools/locked_memory.hpp"
#include "tools/mpi_name.hpp"
#include "tools/text.hpp"
#include "transport/shm/memory.hpp"
#include "transport/topology_reader.hpp"
#include "transport/verbs/discovery/survey.hpp"
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
  utsname system{};
  uname(&system);
  return {{"version",
           fmt::format("{}.{}.{}", TUTTI_VERSION_MAJOR, TUTTI_VERSION_MINOR, TUTTI_VERSION_PATCH)},
          {"compiler", "g++ " __VERSION__},
          {"mpi", mpi_name()},
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

// The choice of a job of one rank on this host, with a reason for or against each port. In a
// larger job the fabric must be one that all hosts have.
json choice(const Configuration& c) {
  const verbs::PortChoice choice(device_settings(c, 0, 0));
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

using transport::Processors;

std::string name_of(const Processors::Level& level) {
  switch (level.kind) {
    case Processors::Kind::package: return "Package";
    case Processors::Kind::core: return "Core";
    case Processors::Kind::cache: break;
  }
  return fmt::format("L{} ({})", level.cache_level, size_text(level.bytes));
}

// Draws these threads by the groups of this level, and each group by the next levels, indented.
void draw_groups(const Processors& machine, std::size_t level, const transport::ThreadList& threads,
                 std::size_t depth, std::string& text) {
  if (level == machine.levels().size()) return;
  std::map<int, transport::ThreadList> groups;
  for (const int thread : threads)
    groups[machine.group_of(level, std::span(&thread, 1))].push_back(thread);
  for (const auto& [group, members] : groups) {
    if (group >= 0)
      text += paragraph(
          fmt::format("{}: threads {}", name_of(machine.levels()[level]), ranges_text(members)),
          depth * 2 + 6, depth * 2 + 2);
    draw_groups(machine, level + 1, members, group < 0 ? depth : depth + 1, text);
  }
}

std::string topology_picture() {
  const Processors machine = transport::read_processors();
  if (!machine.problem().empty())
    return paragraph(
        "one level is assumed, on which all hardware threads are alike, as " + machine.problem(), 4,
        2);
  transport::ThreadList threads;
  for (const Processors::Thread& thread : machine.threads()) threads.push_back(thread.number);
  std::string text;
  draw_groups(machine, 0, threads, 0, text);
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
                 verbs_shape, static_cast<std::size_t>(std::max(c.rails, 1)), software),
             shm_first = 2 * transport::shm::first_bytes(), shm_most = 2 * shm_shape.bytes();
  // Memory kept for each rank of a job, connected or not.
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

std::string size_in(const json& object, const char* key) {
  return about_size_text(object.at(key).get<double>());
}

void print_memory(const json& memory) {
  fmt::print("Memory of a rank (a connection is made when two ranks first communicate)\n{}",
             paragraph(fmt::format("a connection: verbs {}, {} once it has grown; shared "
                                   "memory {}, {} once it has carried messages of all kinds",
                                   size_in(memory, "verbs_connection_bytes"),
                                   size_in(memory, "most_verbs_connection_bytes"),
                                   size_in(memory, "shm_connection_bytes"),
                                   size_in(memory, "most_shm_connection_bytes")),
                       4, 2));
  fmt::print("  {:>7} {:>10}   {:<36}   all peers\n  {:>7} {:>10}", "", "",
             "peers of a dissemination", "ranks", "addresses");
  for (int i = 0; i < 2; ++i)
    fmt::print("   {:>6} {:>9} {:>9} {:>9}", "peers", "verbs", "all grown", "shm");
  fmt::print("\n");
  for (const json& row : memory["jobs"]) {
    fmt::print("  {:>7} {:>10}", row["P"].get<std::size_t>(), size_in(row, "address_bytes"));
    for (const char* name : {"dissemination", "all"})
      fmt::print("   {:>6} {:>9} {:>9} {:>9}", row[name]["connections"].get<std::size_t>(),
                 size_in(row[name], "verbs_bytes"), size_in(row[name], "most_verbs_bytes"),
                 size_in(row[name], "shm_bytes"));
    fmt::print("\n");
  }
}

// A line, or several if it is long, of which all but the first begin further right.
void print_line(const std::string& text, std::size_t indent = 2) {
  fmt::print("{}", paragraph(text, indent + 2, indent));
}

void print_build(const json& b) {
  const auto text = [&b](const char* key) { return b.at(key).get<std::string>(); };
  fmt::print("Tutti {}\n", text("version"));
  print_line(fmt::format("built with {}, MPI option {}", text("compiler"), text("mpi_option")));
  print_line("MPI: " + text("mpi"));
  print_line("kernel: " + text("kernel"));
}

void print_device(const json& d) {
  const auto text = [](const json& object, const char* key) {
    return object.at(key).get<std::string>();
  };
  const std::string driver = text(d, "driver");
  print_line(
      fmt::format("{} (driver {}, {}): {} queue pairs, {} CQ entries, {} SGEs", text(d, "name"),
                  driver.empty() ? "unknown" : driver,
                  d["software"].get<bool>() ? "software wire: packets cost CPU" : "hardware wire",
                  d["max_qp"].get<int>(), d["max_cqe"].get<int>(), d["max_sge"].get<int>()));
  print_line(text(d, "problem"), 4);
  for (const json& p : d["ports"]) {
    print_line(fmt::format("port {}: {}, {}, MTU {} B", p["port"].get<int>(), text(p, "state"),
                           text(p, "link_layer"), p["active_mtu"].get<int>()),
               4);
    for (const json& g : p["gids"])
      print_line(fmt::format("GID {}: {} ({})", g["index"].get<int>(), text(g, "address"),
                             text(g, "type")),
                 6);
  }
}

void print_devices(const json& devices, const json& chosen) {
  fmt::print("\nRDMA devices\n");
  if (devices.empty()) print_line("none");
  for (const json& device : devices) print_device(device);
  print_line("would be chosen: " + chosen["why"].get<std::string>());
  for (const json& name : chosen["missing"])
    print_line(name.get<std::string>() + ": not on this host", 4);
  for (const json& p : chosen["ports"])
    print_line(
        fmt::format("{}, port {} ({} Gbit/s, distance {}): {}", p["device"].get<std::string>(),
                    p["port"].get<int>(), p["mbit_per_s"].get<double>() / 1000,
                    p["distance"].get<int>(), p["verdict"].get<std::string>()),
        4);
}

rlim_t memlock() {
  rlimit limit{};
  getrlimit(RLIMIT_MEMLOCK, &limit);
  return limit.rlim_cur;
}

// As the kernel says it, of this process.
bool may_lock_any_memory() {
  constexpr int kLockCapability = 14;  // CAP_IPC_LOCK of linux/capability.h
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("CapEff:"))
      return (std::strtoull(line.c_str() + sizeof "CapEff:", nullptr, 16) >> kLockCapability & 1) !=
             0;
  return false;
}

// For a job that fills this host.
LockedMemory locked_memory(const Configuration& c, const json& memory, bool has_device) {
  LockedMemory locked{.has_device = has_device, .is_exempt = may_lock_any_memory()};
  if (memlock() != RLIM_INFINITY) locked.limit = static_cast<Bytes>(memlock());
  locked.ranks = static_cast<int>(transport::card_of_this_process({}).threads.count());
  locked.connections = (locked.ranks - 1) * memory.at("most_verbs_connection_bytes").get<Bytes>();
  locked.buffers = c.registration_cache ? static_cast<Bytes>(c.registration_cache_bytes) : 0;
  return locked;
}

// How non-blocking calls go on while the program computes, in a job on this host.
std::string progress_words(const Configuration& c) {
  if (c.progress == Progress::calls) return "not while the program computes";
  const int cores = static_cast<int>(transport::card_of_this_process({}).threads.count());
  int most = 0;  // ranks whose threads may spin
  while (ProgressThread::may_spin(cores, most + 1)) ++most;
  const std::string thread = fmt::format(
      "by a thread of each rank; on the {} of this process it polls without a pause {}",
      counted(cores, "hardware thread"),
      most == 0 ? "in no job, and naps: a rank needs one, and its thread another"
                : fmt::format("in a job of at most {} on this machine, and naps in a larger one: a "
                              "rank needs one, and its thread another",
                              counted(most, "rank")));
  return c.progress == Progress::thread
             ? thread
             : "not while the program computes; under the drop-in, " + thread;
}

std::string value_of(const Setting& setting, const Configuration& configuration) {
  const std::string shown = setting.show(configuration);
  if (shown.empty()) return "\"\"";
  const auto bytes = setting.type.starts_with("bytes") ? parse_number(shown) : std::nullopt;
  return bytes ? size_text(*bytes) : shown;
}

void print_settings(const Configuration& configuration) {
  fmt::print("\nSettings (option, then environment, then the file TUTTI_CONFIG names)\n");
  for (const Setting& s : settings())
    fmt::print("{}{}",
               paragraph(fmt::format("{:<27} {:<14} {} ({})", s.name, value_of(s, configuration),
                                     environment_name(s), s.type),
                         30, 2),
               paragraph(documentation_of(s), 6));
  for (const std::string& warning : configuration.warnings) print_line("note: " + warning);
}

void print(const json& all, const Configuration& configuration) {
  print_build(all["build"]);
  print_devices(all["devices"], all["choice"]);
  fmt::print("\nLimits\n");
  print_line("RLIMIT_MEMLOCK: " + all["memlock_verdict"].get<std::string>());
  print_line("registration cache: " + all["registration_cache"].get<std::string>());
  print_line("progress of non-blocking calls: " + all["progress"].get<std::string>());
  fmt::print("\n");
  print_memory(all["memory"]);
  fmt::print("\nMachine\n{}", all["topology"].get<std::string>());
  print_settings(configuration);
}

}  // namespace

void add_info(CommandLine& line) {
  auto as_json = std::make_shared<bool>(false);
  const Command command = line.command("info",
                                       "version, build, devices and ports, what would be chosen "
                                       "and why, limits, settings, the machine");
  command.flag("--json", *as_json, "all of it as JSON, as a report needs it");
  command.footer("Example: TUTTI_DEVICE=mlx5_0 tutti info   what a job with this setting would do");
  command.runs([as_json] {
    const Configuration configuration = load_configuration({});
    read_rules(configuration);  // errors of tutti_init are to be errors here
    check_model(configuration);
    if (!configuration.trace.empty()) check_trace(configuration.trace);
    if (const std::string why = drop_in::why_no_list(configuration.only); !why.empty())
      bad_configuration("the setting `only`: " + why);
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
    const json memory = memory_facts(configuration, chosen["software"].get<bool>());
    const json all = {
        {"build", build_facts()},
        {"devices", devices},
        {"choice", chosen},
        {"memlock", memlock() == RLIM_INFINITY ? "unlimited" : fmt::format("{} bytes", memlock())},
        {"registration_cache", cache_method()},
        {"progress", progress_words(configuration)},
        {"memlock_verdict", judge(locked_memory(configuration, memory, !devices.empty()))},
        {"memory", memory},
        {"topology", topology_picture()},
        {"settings", values},
        {"notes", configuration.warnings},
        {"settings_documentation", documentation}};
    if (*as_json)
      fmt::print("{}\n", models::json_text(all, 2));
    else
      print(all, configuration);
    return 0;
  });
}

}  // namespace tutti::tools
