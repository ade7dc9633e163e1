// Reads the devices' counters before and after a run.
#include "tools/bench/traffic.hpp"

#include <mpi.h>
#include <unistd.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "models/platform/json_text.hpp"
#include "tools/bench/bench.hpp"

namespace tutti::tools {
namespace {

Traffic read_counters(tutti_comm comm) {
  usleep(
      20'000);  // the kernel answers with what it has read before for 10 ms (hw_counters/lifespan)
  const auto facts = models::parse_json(describe(comm));
  struct Entry {
    char where[320];
    double packets, bytes;
    int present;
  } mine{};
  if (facts.contains("counters") && facts["counters"].contains("sent_pkts")) {
    char host[256] = {};
    gethostname(host, sizeof host - 1);
    std::snprintf(mine.where, sizeof mine.where, "%s/%s", host,
                  facts["device"]["name"].get<std::string>().c_str());
    mine.packets = facts["counters"]["sent_pkts"].get<double>();
    mine.bytes = facts["counters"].value("sent_bytes", 0.0);
    mine.present = 1;
  }
  int P = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &P);
  std::vector<Entry> all(static_cast<std::size_t>(P));
  MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE, MPI_COMM_WORLD);
  Traffic sum;
  std::set<std::string> seen;
  for (const Entry& e : all)
    if (e.present && seen.insert(e.where).second)
      sum = {sum.packets + e.packets, sum.bytes + e.bytes, true};
  return sum;
}

Traffic difference(const Traffic& a, const Traffic& b) {
  return {a.packets - b.packets, a.bytes - b.bytes, a.known};
}

Traffic during(const std::function<void()>& run, tutti_comm comm) {
  MPI_Barrier(MPI_COMM_WORLD);
  const Traffic before = read_counters(comm);
  run();
  MPI_Barrier(MPI_COMM_WORLD);
  return difference(read_counters(comm), before);
}

}  // namespace

Traffic traffic_of(const std::function<void()>& run, const std::function<void()>& empty,
                   tutti_comm comm) {
  const Traffic counting = during(empty, comm);
  if (!counting.known) return counting;
  return difference(during(run, comm), counting);
}

}  // namespace tutti::tools
