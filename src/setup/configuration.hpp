// The settings: their names, defaults and documentation in one table, from which reading them,
// `tutti info` and the manual are made. Sources, strongest first: tutti_options, environment
// (TUTTI_NAME), the file that TUTTI_CONFIG names, the default.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.hpp"
#include "collectives/selection/rules.hpp"
#include "transport/shm/memory.hpp"
#include "transport/verbs/connection/arrival.hpp"

namespace tutti {

enum class TransportChoice { automatic, shm, verbs };
enum class Counts { root, all };
enum class MulticastWay { automatic, manager, direct, each, off };
enum class Wire { automatic, hardware, software };
// The thread that takes calls further while the program computes. automatic: under the drop-in one
// of Tutti's, from the first non-blocking call on; elsewhere no thread.
enum class Progress { automatic, calls, thread };
enum class LogLevel { off, warn, info };

struct Configuration {
  TransportChoice transport = TransportChoice::automatic;
  std::string algorithm, table, model;
  int calls_in_a_row = 0;
  Counts counts = Counts::root;
  bool compares_calls = false;
  bool reproducible = false;
  std::string device;
  int port = 0;
  int rails = 0;
  int gid_index = -1;
  int pkey = 0;
  int service_level = 0;
  int traffic_class = 0;
  int hop_limit = 64;
  int mtu = 0;
  transport::verbs::Arrival arrival = transport::verbs::Arrival::automatic;
  int verbs_timeout = 0;
  int verbs_retry = 6;
  MulticastWay multicast = MulticastWay::automatic;
  int connect_timeout_ms = 8000;
  int timeout_ms = 0;
  int report_after_ms = 10000;
  int probe_interval_ms = 200;
  bool registration_cache = true;
  Bytes registration_cache_bytes = Bytes{1} << 30;
  int registration_cache_regions = 1024;
  Bytes scratch_bytes = Bytes{128} << 20;
  Bytes eager_limit = 0;
  Bytes shm_eager_limit = 16 * 1024;
  Bytes small_bytes = 1024;
  int line_slots = 64;
  int small_slots = 64;
  int eager_slots = 16;
  int ready_slots = 16;
  transport::shm::Copy shm_copy = transport::shm::Copy::automatic;
  transport::shm::Memory shm_memory = transport::shm::Memory::automatic;
  int spin = -1;
  bool always_drives_mpi = false;
  Progress progress = Progress::automatic;
  Wire wire = Wire::automatic;
  std::string node;
  LogLevel log = LogLevel::warn;
  std::string trace;
  int trace_calls = 1000;
  std::string only, stats;  // of the drop-in
  int drop_in_from = 2;

  std::vector<std::string> warnings;  // variables that name no setting: what to tell the user
};

// A row of the table (settings_table.cpp).
struct Setting {
  std::string_view name;  // in files and tutti_options; the environment has TUTTI_ and capitals
  std::string type;       // for people: "auto|shm|verbs", "number, 1 to 6", "bytes, 0 to 1M", …
  std::string_view documentation;  // one or two sentences
  // Reads a value into its member. Returns an empty string, or why the text is not taken ("takes
  // one of …"); the configuration is as before then.
  std::string (*read)(Configuration&, std::string_view text);
  std::string (*show)(const Configuration&);
  // Ranks that differ in it could not work together: tutti_init refuses that.
  bool same_on_all = false;
};
std::span<const Setting> settings();
std::string environment_name(const Setting& setting);
std::string documentation_of(const Setting& setting);  // with what its other members say

// Reads all sources. Throws Error{bad_configuration} naming the source, the value and what is
// allowed.
Configuration load_configuration(std::span<const std::string> options);

// The devices that a value of the setting `device` lists.
std::vector<std::string> device_names(std::string_view list);

// The file that a setting names. Throws Error{bad_configuration}, naming both: `what` is the
// setting.
std::string read_named_file(std::string_view what, const std::string& path);

// The rules of the settings `algorithm` and `table`. Throws Error{bad_configuration |
// unknown_algorithm}, naming the setting `algorithm` or the file of the table.
struct ReadRules {
  collectives::Rules rules;
  std::string table;  // as the file has it
};
ReadRules read_rules(const Configuration& configuration);

}  // namespace tutti
