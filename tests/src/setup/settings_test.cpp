// Each setting arrives at what it sets.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "src/job/engine.hpp"

using namespace tutti;

namespace {

// Options that the parts of the library get, as one text. `oversubscribed` and the like have the
// values for which the settings count.
std::string told(const Configuration& c) {
  std::ostringstream text;
  const auto note = [&](const auto&... values) { ((text << values << ' '), ...); };
  const auto device = device_settings(c, 0, 0);
  note(fmt::to_string(fmt::join(device.devices, ",")), device.rails, device.other.port,
       device.other.gid_index, device.other.pkey, device.other.traffic.service_level,
       device.other.traffic.traffic_class, device.other.traffic.hop_limit);
  const auto verbs = verbs_options(c);
  note(verbs.mtu, static_cast<int>(verbs.link.arrival), verbs.link.timeout, verbs.link.retry_count,
       verbs.connect_timeout.count());
  const auto shm = shm_options(c);
  note(static_cast<int>(shm.copy), static_cast<int>(shm.memory));
  for (const Bytes limit : {verbs_eager_limit(c, costly_packets(c, false)), c.shm_eager_limit})
    for (const auto& ring : inbox_shape(c, limit).rings) note(ring.slot_bytes, ring.slots);
  const auto cache = cache_options(c);
  note(cache.enabled, cache.max_bytes, cache.max_regions);
  const auto waiting = waiting_settings(c, true);
  note(waiting.spin, waiting.probe_interval.count(), waiting.timeout.count(),
       waiting.report_after.count(), waiting.drives_always);
  return text.str();
}

// A value other than the default's of each setting that is told to a part.
const std::map<std::string_view, std::string_view> kOthers{
    {"device", "rxe7"},
    {"port", "2"},
    {"rails", "3"},
    {"gid_index", "4"},
    {"pkey", "0x8007"},
    {"service_level", "5"},
    {"traffic_class", "32"},
    {"hop_limit", "9"},
    {"mtu", "512"},
    {"arrival", "flag"},
    {"verbs_timeout", "11"},
    {"verbs_retry", "2"},
    {"connect_timeout", "1234"},
    {"timeout", "4321"},
    {"report_after", "765"},
    {"probe_interval", "17"},
    {"registration_cache", "off"},
    {"registration_cache_bytes", "12345"},
    {"registration_cache_regions", "77"},
    {"eager_limit", "3000"},
    {"shm_eager_limit", "5000"},
    {"small_bytes", "500"},
    {"line_slots", "2"},
    {"small_slots", "4"},
    {"eager_slots", "8"},
    {"ready_slots", "2"},
    {"shm_copy", "double"},
    {"shm_memory", "file"},
    {"spin", "7"},
    {"drive_mpi", "always"},
    {"wire", "software"},
};

// Jobs show what these do, since they concern no part alone; tests/mpi/table.py and its programs,
// tests/rdma/table.py and tests/drop-in/meson.build name them.
const std::set<std::string_view> kShownByJobs{
    "transport",    "algorithm",   "table",        "model",         "counts", "check",
    "reproducible", "multicast",   "node",         "log",           "trace",  "only",
    "progress",     "trace_calls", "drop_in_from", "scratch_bytes", "stats",  "calls_in_a_row",
};

}  // namespace

TEST_CASE("each setting arrives at what it sets", "[configuration]") {
  const std::string usual = told(load_configuration({}));
  std::set<std::string> seen{usual};
  for (const auto& [name, value] : kOthers) {
    INFO(name << "=" << value);
    const std::string other =
        told(load_configuration(std::vector{fmt::format("{}={}", name, value)}));
    CHECK(other != usual);
    CHECK(seen.insert(other).second);  // two settings never do the same
  }
}

TEST_CASE("no setting is missing here", "[configuration]") {
  for (const Setting& setting : settings()) {
    INFO(setting.name);
    CHECK(kOthers.contains(setting.name) != kShownByJobs.contains(setting.name));
  }
  CHECK(settings().size() == kOthers.size() + kShownByJobs.size());
}
