// The table of settings, and reading them from options, environment and file. Half of it is the
// table, which is read best in one piece.
#include "src/setup/configuration.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <iterator>
#include <sstream>
#include <unistd.h>

#include "base/bits.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/nearest.hpp"
#include "base/text.hpp"

namespace tutti {
namespace {

using transport::verbs::Arrival;

// What a setting of this type takes, with its unit and, where that may be unclear, examples, which
// it takes.
std::string_view what_it_takes(std::string_view type, long long most) {
  if (type == "bytes" && most < (1 << 20)) return "a size in bytes (such as 4k or 32 KiB)";
  if (type == "bytes") return "a size in bytes (such as 64k or 1 MiB)";
  if (type == "milliseconds") return "a number of milliseconds (such as 1500 for 1.5 s)";
  return type.starts_with("exponent") ? "an exponent of two" : "a number";
}

long long number(std::string_view text, long long least, long long most, std::string_view type) {
  const auto value = type == "bytes" ? parse_size(text) : parse_number(text);
  if (!value || *value < least || *value > most)
    throw fmt::format("takes {} from {} to {}", what_it_takes(type, most), least, most);
  return *value;
}

template <class Enum>
struct Word {
  std::string_view word;
  Enum value;
};

template <class Enum, std::size_t N>
Enum chosen(std::string_view text, const std::array<Word<Enum>, N>& words) {
  std::string allowed;
  for (const auto& [word, value] : words) {
    if (word == text) return value;
    allowed += fmt::format("{}{}", allowed.empty() ? "" : ", ", word);
  }
  throw fmt::format("takes one of {}", allowed);
}
template <class Enum, std::size_t N>
std::string shown(Enum value, const std::array<Word<Enum>, N>& words) {
  for (const auto& w : words)
    if (w.value == value) return std::string(w.word);
  return "?";
}

constexpr std::array<Word<TransportChoice>, 3> kTransports{{{"auto", TransportChoice::automatic},
                                                            {"shm", TransportChoice::shm},
                                                            {"verbs", TransportChoice::verbs}}};
constexpr std::array<Word<Arrival>, 4> kArrivals{{{"auto", Arrival::automatic},
                                                  {"tail", Arrival::tail},
                                                  {"imm", Arrival::imm},
                                                  {"flag", Arrival::flag}}};
constexpr std::array<Word<transport::shm::Copy>, 3> kCopies{
    {{"auto", transport::shm::Copy::automatic},
     {"single", transport::shm::Copy::once},
     {"double", transport::shm::Copy::twice}}};
constexpr std::array<Word<transport::shm::Memory>, 3> kMemories{
    {{"auto", transport::shm::Memory::automatic},
     {"file", transport::shm::Memory::file},
     {"memfd", transport::shm::Memory::anonymous}}};
constexpr std::array<Word<Wire>, 3> kWires{
    {{"auto", Wire::automatic}, {"hardware", Wire::hardware}, {"software", Wire::software}}};
constexpr std::array<Word<LogLevel>, 3> kLogs{
    {{"off", LogLevel::off}, {"warn", LogLevel::warn}, {"info", LogLevel::info}}};
constexpr std::array<Word<Counts>, 2> kCounts{{{"root", Counts::root}, {"all", Counts::all}}};
constexpr std::array<Word<MulticastWay>, 5> kMulticast{{{"auto", MulticastWay::automatic},
                                                        {"manager", MulticastWay::manager},
                                                        {"direct", MulticastWay::direct},
                                                        {"each", MulticastWay::each},
                                                        {"off", MulticastWay::off}}};
constexpr std::array<Word<bool>, 4> kChecks{
    {{"off", false}, {"calls", true}, {"0", false}, {"1", true}}};
constexpr std::array<Word<bool>, 2> kSwitch{{{"on", true}, {"off", false}}};
constexpr std::array<Word<Progress>, 3> kProgress{
    {{"auto", Progress::automatic}, {"calls", Progress::calls}, {"thread", Progress::thread}}};
constexpr std::array<Word<bool>, 2> kDrives{{{"sometimes", false}, {"always", true}}};

int slots(std::string_view text) {
  const auto value = number(text, 1, 64, "number");
  if (!is_power_of_two(value)) throw std::string("takes a power of two from 1 to 64");
  return static_cast<int>(value);
}

int packet_bytes(std::string_view text) {
  const auto value = parse_number(text);
  if (!value || (*value != 0 && (*value < 256 || *value > 4096 || !is_power_of_two(*value))))
    throw std::string("takes 256, 512, 1024, 2048 or 4096 bytes, or 0 for the port's");
  return static_cast<int>(*value);
}

// Twice the same device would be less than the list promises.
std::string device_list(std::string_view text) {
  const auto names = device_names(text);
  for (auto name = names.begin(); name != names.end(); ++name)
    if (std::find(names.begin(), name, *name) != name)
      throw fmt::format("takes a list that names each device once ({} is in it twice)", *name);
  return std::string(text);
}

int partition_key(std::string_view text) {
  const bool hexadecimal = text.starts_with("0x");
  const char* const begin = text.data() + (hexadecimal ? 2 : 0);
  int key = -1;
  const auto [end, error] =
      std::from_chars(begin, text.data() + text.size(), key, hexadecimal ? 16 : 10);
  if (error != std::errc() || end != text.data() + text.size() || key < 0 || key > 0xffff ||
      key == 0x8000)
    throw std::string("takes a partition key such as 0x8001, or 0 for the first");
  return key;
}

// Keys with and without the bit of full members are those of one partition: shown as one, as ranks
// that differ in this only agree.
std::string shown_key(int key) { return fmt::format("{:#x}", key == 0 ? 0 : key | 0x8000); }

// One line of the table: how the member is read and shown follows from its type.
#define TEXT(member, name, type, doc)                                            \
  Setting {                                                                      \
    name, type, doc, [](Configuration& c, std::string_view v) { c.member = v; }, \
        [](const Configuration& c) { return c.member; }                          \
  }
#define WORD(member, words, name, type, doc)                                                    \
  Setting {                                                                                     \
    name, type, doc, [](Configuration& c, std::string_view v) { c.member = chosen(v, words); }, \
        [](const Configuration& c) { return shown(c.member, words); }                           \
  }
#define NUMBER(member, least, most, name, type, doc)                    \
  Setting {                                                             \
    name, type, doc,                                                    \
        [](Configuration& c, std::string_view v) {                      \
          c.member = static_cast<int>(number(v, least, most, type));    \
        },                                                              \
        [](const Configuration& c) { return fmt::to_string(c.member); } \
  }
#define SIZE(member, least, most, name, doc)                                                      \
  Setting {                                                                                       \
    name, "bytes", doc,                                                                           \
        [](Configuration& c, std::string_view v) { c.member = number(v, least, most, "bytes"); }, \
        [](const Configuration& c) { return fmt::to_string(c.member); }                           \
  }
#define SLOTS(member, name, doc)                                           \
  Setting {                                                                \
    name, "power of two, 1 to 64", doc,                                    \
        [](Configuration& c, std::string_view v) { c.member = slots(v); }, \
        [](const Configuration& c) { return fmt::to_string(c.member); }    \
  }

#define KEY(member, name, doc)                                                     \
  Setting {                                                                        \
    name, "0x0001 to 0xffff, or 0", doc,                                           \
        [](Configuration& c, std::string_view v) { c.member = partition_key(v); }, \
        [](const Configuration& c) { return shown_key(c.member); }                 \
  }
#define DEVICES(member, name, doc)                                                                \
  Setting {                                                                                       \
    name, "name,…", doc, [](Configuration& c, std::string_view v) { c.member = device_list(v); }, \
        [](const Configuration& c) { return c.member; }                                           \
  }
#define PACKET(member, name, doc)                                                 \
  Setting {                                                                       \
    name, "0, 256, 512, 1024, 2048, 4096", doc,                                   \
        [](Configuration& c, std::string_view v) { c.member = packet_bytes(v); }, \
        [](const Configuration& c) { return fmt::to_string(c.member); }           \
  }

constexpr Setting same(Setting setting) {
  setting.same_on_all = true;
  return setting;
}

const Setting kSettings[] = {
    same(WORD(transport, kTransports, "transport", "auto|shm|verbs",
              "How ranks reach each other. auto: shared memory within a node, verbs between nodes. "
              "verbs: verbs within a node too.")),
    same(TEXT(algorithm, "algorithm", "collective=name(k=N,segment=SIZE);…",
              "Forces algorithms, for example allgather=bruck(k=3);bcast=chain(segment=64k). "
              "`tutti list` lists them. A forced algorithm that cannot run a call is an error, "
              "unless it is written as `prefer NAME`.")),
    same(TEXT(table, "table", "file",
              "A JSON file of rules that choose algorithms by collective, ranks, ranks per node "
              "and bytes. `tutti list --schema` prints its schema. The setting `algorithm` comes "
              "first.")),
    TEXT(
        model, "model", "name|file|measure",
        "The parameters of the machine by which algorithms are chosen where no setting names one: "
        "shm, rxe or hardware, which Tutti brings along, or a JSON file as `tutti measure` writes "
        "it. Empty: what was kept for the job's kind of wire, by `tutti measure --save` say, else "
        "what Tutti brings along. measure: what was kept; if there is nothing, rank 0 measures "
        "messages to a rank of its own node and to one of another when the job starts, which takes "
        "a fraction of a second, and keeps what it finds. Those of rank 0 count for all ranks."),
    same(
        NUMBER(calls_in_a_row, 0, 1000000, "calls_in_a_row", "number",
               "The model chooses for so many calls of a collective that follow each other without "
               "a pause. 1: the call that takes the least time by itself. More: the mean counts, "
               "and in broadcasts, other rooted collectives and scans ranks may go on to the next "
               "call while others are still in this one. 0: as the parameters of the machine say; "
               "`tutti bench` and `tutti tune` take 4 then.")),
    same(WORD(counts, kCounts, "counts", "root|all",
              "Who knows the counts of tutti_scatterv and tutti_gatherv. root: the root alone, as "
              "in MPI. all: you promise that every rank passes them; algorithms in which ranks "
              "forward the blocks of others need that.")),
    same(WORD(
        compares_calls, kChecks, "check", "off|calls",
        "calls (or 1): before each blocking call all ranks compare what they are about to call: "
        "collective, operation, types, counts and root, and MPI_IN_PLACE where MPI wants it on "
        "all ranks. If they differ, all ranks get TUTTI_ERR_CALLS_DIFFER, with what each calls. "
        "Not compared are non-blocking and persistent calls, the counts of scatterv, gatherv, "
        "alltoallv and collectives of neighbours, user-defined operations among each other, and "
        "types that a rank gives as MPI_PACKED or that are distributed arrays: those by their "
        "bytes. Each call then takes an allreduce of 40 bytes more, and waits for all ranks.")),
    same(WORD(reproducible, kSwitch, "reproducible", "on|off",
              "on: reductions combine strictly from left to right in the order of the ranks, so "
              "that the bits of a result do not depend on the algorithm.")),
    DEVICES(
        device, "device",
        "The RDMA device, or several with commas between, which the ranks of a node use by turns; "
        "each must be on some host of the job. Empty: a device of a fabric that all ranks have; "
        "hardware before software, then what has an address that is not link-local, then the "
        "fastest, then the nearest to the rank's cores; the ranks of a node use equal ones by "
        "turns."),
    NUMBER(port, 0, 255, "port", "number", "The device's port. 0: the best active one."),
    NUMBER(rails, 0, 4, "rails", "number",
           "How many ports carry a large message together, all ranks having so many. 0: each "
           "rank's share of the ports that are best for it, among the ranks of its node for which "
           "they are, too; one where packets cost CPU time."),
    NUMBER(gid_index, -1, 255, "gid_index", "number",
           "The index of the GID. -1: one of the network that all ranks have; link-local addresses "
           "last, RoCE v2 before v1, IPv4 before IPv6."),
    same(KEY(pkey, "pkey",
             "The partition key, with or without the bit of full members. 0: that of the first "
             "partition of which the port is a full member.")),
    same(NUMBER(service_level, 0, 15, "service_level", "number, 0 to 15",
                "The service level of all packets: on InfiniBand it chooses the virtual lane, on "
                "RoCE the priority (PFC) if frames have VLAN tags.")),
    same(NUMBER(traffic_class, 0, 255, "traffic_class", "number, 0 to 255",
                "The traffic class of all packets with a global header. With RoCE v2 its upper six "
                "bits are the DSCP, by which switches choose queues.")),
    NUMBER(
        hop_limit, 1, 255, "hop_limit", "number, 1 to 255",
        "One more than the routers that a packet may pass. On RoCE, most devices take that of the "
        "kernel's route instead."),
    PACKET(mtu, "mtu",
           "The largest packet, in bytes. 0: the port's. A connection uses the smaller value of "
           "its two ends."),
    WORD(arrival, kArrivals, "arrival", "auto|tail|imm|flag",
         "How a receiver learns that data has arrived over verbs. auto: tail if the device writes "
         "in order, else imm, which is always safe. Set flag or tail by hand only if you know that "
         "the device keeps order."),
    NUMBER(verbs_timeout, 0, 31, "verbs_timeout", "exponent, 0 to 31",
           "A packet that is not acknowledged is sent again after 4.096 us times two to this "
           "power. 0: 17, so that a network may be down for some seconds before its peers count as "
           "dead; 14 for a device in software."),
    NUMBER(verbs_retry, 1, 6, "verbs_retry", "number, 1 to 6",
           "How often a packet is sent again before the peer counts as dead. (7 would mean for "
           "ever on some devices.)"),
    same(WORD(
        multicast, kMulticast, "multicast", "auto|manager|direct|each|off",
        "How the datagrams of the broadcast `multicast` travel, if `algorithm` or `table` "
        "names it. manager: to a multicast group that librdmacm joins. direct: to a group "
        "joined without librdmacm, on RoCE only. auto: the first of these two that works. "
        "each: one datagram to each receiver. off: the broadcast `multicast` does not apply.")),
    NUMBER(connect_timeout_ms, 100, 600000, "connect_timeout", "milliseconds",
           "How long connecting to a peer may take before the peer counts as unreachable. Time in "
           "which this process is stopped, or over RoCE the peer's, does not count."),
    NUMBER(
        timeout_ms, 0, 2000000000, "timeout", "milliseconds",
        "How long a rank waits for another one in a collective. 0: without limit, because a "
        "slow rank is not a dead one. Time in which this process is stopped does not count. The "
        "error may come some seconds later, when nothing is on its way from or to the buffers any "
        "more."),
    NUMBER(report_after_ms, 0, 2000000000, "report_after", "milliseconds",
           "After how long a rank that waits in a collective prints, once, which call that is, for "
           "which ranks it waits, and where those are; and one that waits where ranks meet for the "
           "first time (`tutti_init`, `tutti_comm_create`), that it does. 0: never."),
    NUMBER(probe_interval_ms, 1, 60000, "probe_interval", "milliseconds",
           "How often a waiting rank asks the peers that it waits for whether they are alive."),
    WORD(registration_cache, kSwitch, "registration_cache", "on|off",
         "Whether user buffers stay registered between calls."),
    SIZE(registration_cache_bytes, 0, (1ll << 50), "registration_cache_bytes",
         "How many bytes may stay registered while they are not in use."),
    NUMBER(registration_cache_regions, 1, 1000000, "registration_cache_regions", "number",
           "How many regions may stay registered while they are not in use."),
    SIZE(scratch_bytes, 0, (1ll << 50), "scratch_bytes",
         "How many bytes of memory for intermediate results, for blocks that are received before "
         "they are combined, and for packed copies of data with gaps, the process keeps for later "
         "calls, of all its communicators together. What the call before has used is kept even if "
         "it is more, unless this is 0; what calls under way need is not counted."),
    same(SIZE(eager_limit, 0, (1 << 20), "eager_limit",
              "Over verbs, longer messages go by rendezvous, straight into the user's buffer. 0: "
              "16k, or 64k if packets cost CPU time.")),
    same(SIZE(shm_eager_limit, 1024, (1 << 20), "shm_eager_limit",
              "The same limit over shared memory; `shm_copy` says how longer messages go.")),
    same(SIZE(small_bytes, 64, 65536, "small_bytes",
              "The longest message that goes through the ring of small slots.")),
    same(SLOTS(line_slots, "line_slots", "Slots of two cache lines each, for each connection.")),
    same(SLOTS(small_slots, "small_slots",
               "Slots for messages up to `small_bytes`, for each connection.")),
    same(SLOTS(eager_slots, "eager_slots",
               "Slots for messages up to the eager limit, for each connection.")),
    same(SLOTS(ready_slots, "ready_slots",
               "Slots for ready-to-receive entries, for each connection.")),
    WORD(shm_copy, kCopies, "shm_copy", "auto|single|double",
         "How messages beyond `shm_eager_limit` are copied within a node. single: once, by the "
         "kernel (process_vm_writev, process_vm_readv), if it permits that. double: twice, through "
         "shared memory. auto: what is combined as with double, while it comes; what is only "
         "stored by the one that took less time lately, as each sender measures, for each length; "
         "but as with single where several ranks send to one, or where /dev/shm has no room. If "
         "ranks of a node differ, double goes before single, and single before auto."),
    WORD(
        shm_memory, kMemories, "shm_memory", "auto|file|memfd",
        "What the ranks of a node share. file: a file in /dev/shm. memfd: memory of its own, which "
        "no size of /dev/shm limits, if all ranks of the node can open it, as ranks of one user "
        "and one PID namespace can. auto: memfd where /dev/shm has no room for four times what "
        "all connections together can take. The first rank of a node decides."),
    NUMBER(spin, -1, 1000000000, "spin", "number",
           "How often a waiting rank polls before it gives its core away. -1: often if each rank "
           "has a core of its own, else not at all."),
    WORD(always_drives_mpi, kDrives, "drive_mpi", "sometimes|always",
         "How often a rank that waits calls MPI, so that what the program has pending there goes "
         "on. sometimes: at first often, after 20 ms every 50 us, and after a second every "
         "millisecond, since it sleeps between. always: it never sleeps; for one-sided "
         "communication, which many MPIs move only while the target calls them. Under the drop-in "
         "it is always as long as there are windows."),
    WORD(progress, kProgress, "progress", "auto|calls|thread",
         "Who takes non-blocking calls further while the program computes. calls: nobody; they go "
         "on when the rank calls Tutti. thread: a thread of Tutti's, which sleeps as long as no "
         "call was begun. auto: a thread under the drop-in, from the first non-blocking call on, "
         "since the rank may be in any function of MPI's then; else nobody. The thread polls "
         "without a pause if the ranks of the machine leave a core for "
         "each such thread, else every 50 us or less often. Calls with a user-defined operation it "
         "leaves alone, unless MPI was initialized with MPI_THREAD_MULTIPLE."),
    WORD(wire, kWires, "wire", "auto|hardware|software",
         "Whether packets cost CPU time, as with rxe and siw (software). If so, Tutti chooses "
         "algorithms with few packets rather than few rounds. auto: what the device says."),
    TEXT(node, "node", "name",
         "Replaces the host name when Tutti determines which ranks share a node. They must also "
         "share /dev/shm."),
    WORD(log, kLogs, "log", "off|warn|info",
         "What goes to tutti_options.log, or to standard error if there is none. warn: what makes "
         "this job slower than it need be, once for each node. info: also what was chosen and "
         "why. At any level, rank 0 warns of variables TUTTI_… that name no setting."),
    TEXT(trace, "trace", "folder",
         "Each rank writes what its calls did, step by step, into a file in this folder, which "
         "`tutti draw --trace` draws. Calls are counted on each communicator from 1, as in "
         "messages. "
         "Empty: nothing is recorded, at no cost."),
    NUMBER(trace_calls, 1, 1000000, "trace_calls", "number",
           "How many calls of each collective a rank records, the first ones; some 60 bytes a "
           "step."),
    same(TEXT(only, "only", "collective,…",
              "Under the drop-in: the collectives that Tutti runs, in all their forms, such as "
              "allreduce,bcast; all others go to the MPI. Empty: all.")),
    same(NUMBER(drop_in_from, 1, 1000000, "drop_in_from", "number",
                "Under the drop-in: from which call on a communicator's collectives are Tutti's. "
                "Those before go to the MPI, as to make a communicator of Tutti's takes messages, "
                "and a program may make many for one call each. Most duplicates "
                "take none: their collectives are Tutti's from the first on. So are "
                "MPI_COMM_WORLD's, and all with "
                "`reproducible` or `check`.")),
    TEXT(stats, "stats", "1|file",
         "Under the drop-in: at the end, rank 0 writes a table of its collectives to standard "
         "error: calls, bytes, time, and who ran them by which algorithm. A file: and the same as "
         "JSON into this file. In the environment only."),
};

// What else begins with TUTTI_ in an environment: variables of the tests and tools, and those by
// which modules and build systems say where an installation is.
constexpr std::string_view kOtherVariables[] = {
    "CONFIG", "CACHE",   "HOST_ENGINE", "KERNEL_SCRIPT", "STOCK_KERNEL_SCRIPT",
    "SHOW",   "BASE",    "BIN",         "DIR",           "HOME",
    "INC",    "INCLUDE", "LIB",         "PREFIX",        "ROOT",
    "VERSION"};
constexpr std::string_view kPrefix = "TUTTI_";

const Setting* find(std::string_view name) {
  const auto* found = std::find_if(std::begin(kSettings), std::end(kSettings),
                                   [&](const Setting& s) { return s.name == name; });
  return found == std::end(kSettings) ? nullptr : found;
}

// What to say about a name that no setting has.
std::string advice_on(std::string_view name, std::string (*shown)(const Setting&)) {
  std::array<std::string_view, std::size(kSettings)> names;
  std::ranges::transform(kSettings, names.begin(), &Setting::name);
  const auto near = nearest(name, names);
  return near.empty() ? "tutti(1) lists all settings"
                      : fmt::format("the nearest is {}", shown(*find(near)));
}

void apply(Configuration& configuration, const Setting& setting, std::string_view value,
           const std::string& source) {
  try {
    setting.parse(configuration, value);
  } catch (const std::string& wrong) {
    throw Error(Code::bad_configuration, fmt::format("{}: the setting `{}` {}, not '{:.200}'",
                                                     source, setting.name, wrong, value));
  }
}

void apply_line(Configuration& configuration, std::string_view line, const std::string& source) {
  const auto equals = line.find('=');
  const std::string_view name = trimmed(line.substr(0, equals));
  if (equals == std::string_view::npos)
    throw Error(Code::bad_configuration,
                fmt::format("{}: expected name = value, not '{:.200}'", source, line));
  const Setting* setting = find(name);
  if (!setting)
    throw Error(
        Code::bad_configuration,
        fmt::format("{}: there is no setting `{:.200}`; {}", source, name,
                    advice_on(name, [](const Setting& s) { return fmt::format("`{}`", s.name); })));
  apply(configuration, *setting, trimmed(line.substr(equals + 1)), source);
}

void read_lines(Configuration& configuration, const char* path) {
  std::istringstream lines(read_named_file("TUTTI_CONFIG", path));
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    const std::string_view text = trimmed(std::string_view(line).substr(0, line.find('#')));
    if (!text.empty()) apply_line(configuration, text, fmt::format("{:.200}:{}", path, number));
  }
}

void read_environment(Configuration& configuration) {
  for (char** entry = environ; entry && *entry; ++entry) {
    const std::string_view text(*entry);
    if (!text.starts_with(kPrefix)) continue;
    const auto equals = text.find('=');
    const std::string_view variable = text.substr(0, equals);
    const std::string_view name = variable.substr(kPrefix.size());
    if (equals == std::string_view::npos || equals + 1 == text.size()) continue;  // empty
    const auto* found =
        std::find_if(std::begin(kSettings), std::end(kSettings),
                     [&](const Setting& s) { return environment_name(s) == variable; });
    if (found != std::end(kSettings))
      apply(configuration, *found, text.substr(equals + 1), std::string(variable));
    else if (std::ranges::find(kOtherVariables, name) == std::end(kOtherVariables))
      configuration.warnings.push_back(
          fmt::format("the environment variable {:.200} names no setting and is ignored; {}",
                      variable, advice_on(name, environment_name)));
  }
}

}  // namespace

std::span<const Setting> settings() { return kSettings; }

std::string environment_name(const Setting& setting) {
  std::string name(kPrefix);
  for (const char c : setting.name)
    name += static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  return name;
}

std::string documentation_of(const Setting& setting) {
  return std::string(setting.documentation) +
         (setting.same_on_all ? " It must be the same on all ranks." : "");
}

Configuration load_configuration(std::span<const std::string> options) {
  Configuration configuration;
  if (const char* path = std::getenv("TUTTI_CONFIG"); path && *path)
    read_lines(configuration, path);
  read_environment(configuration);
  for (const std::string& option : options)
    apply_line(configuration, option, "tutti_options.settings");
  return configuration;
}

std::vector<std::string> device_names(std::string_view list) {
  std::vector<std::string> names;
  std::istringstream parts{std::string(list)};
  for (std::string part; std::getline(parts, part, ',');)
    if (const auto name = trimmed(part); !name.empty()) names.emplace_back(name);
  return names;
}

std::string read_named_file(std::string_view setting, const std::string& path) {
  try {
    return read_file(path);
  } catch (const Error& error) {
    throw Error(error.code, fmt::format("{}: {}", setting, error.message), kNoPeer,
                error.system_errno);
  }
}

ReadRules read_rules(const Configuration& configuration) {
  ReadRules result;
  try {
    result.rules.forced = collectives::parse_choices(configuration.algorithm);
  } catch (const Error& error) {
    throw Error(error.code, fmt::format("the setting `algorithm`: {}", error.message));
  }
  if (configuration.table.empty()) return result;
  result.table = read_named_file("table", configuration.table);
  try {
    result.rules.table = collectives::parse_table(result.table);
  } catch (const Error& error) {
    throw Error(error.code, fmt::format("the table of algorithms {:.200}: {}", configuration.table,
                                        error.message));
  }
  return result;
}

}  // namespace tutti
