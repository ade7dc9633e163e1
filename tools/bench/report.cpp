// The bench's table and its JSON.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "models/platform/json_text.hpp"
#include "tools/bench/bench.hpp"
#include "tools/text.hpp"

namespace tutti::tools {

std::string column_text(double us) {
  return us < 10     ? fmt::format("{:.3f}", us)
         : us < 1000 ? fmt::format("{:.1f}", us)
                     : fmt::format("{:.0f}", us);
}

namespace {

nlohmann::json json_of(const Timing& t) {
  nlohmann::json j = {{"median_us", t.median},
                      {"low_us", t.low},
                      {"high_us", t.high},
                      {"repetitions", t.repetitions},
                      {"calls", t.calls}};
  if (t.warm_up_ms > 0) {
    j["warm_up_ms"] = t.warm_up_ms;
    j["steady"] = t.steady;
  }
  if (t.packets) j["packets_per_operation"] = *t.packets;
  if (t.bytes) j["bytes_per_operation"] = *t.bytes;
  return j;
}

nlohmann::json json_of(const FirstCalls& first) {
  nlohmann::json j = {{"calls_us", first.each}, {"batch_us", first.batch.median}};
  if (first.batch.packets) j["packets_per_operation"] = *first.batch.packets;
  if (first.batch.bytes) j["bytes_per_operation"] = *first.batch.bytes;
  return j;
}

models::Median median_of(const Timing& t) { return {t.median, t.low, t.high, t.repetitions, 0}; }

bool undecided(const Timing& a, const Timing& b) {
  return models::undecided(median_of(a), median_of(b));
}
// Behind a ratio.
const char* mark(const Timing& a, const Timing& b) { return undecided(a, b) ? "~" : " "; }

// Not even the first digit of a barrier's median is sure.
bool unsteady(const BenchSetting& s) { return median_of(s.barrier).width() > 1; }

std::string side_text(TypeSide side) {
  return side == TypeSide::both ? "on both sides"
                                : "on the side of the " +
                                      std::string(side == TypeSide::send ? "senders" : "receivers");
}

}  // namespace

std::string place_of(const BenchSetting& s) {
  return fmt::format("{} on {}", counted(s.ranks, "rank"), counted(s.nodes, "node"));
}

void print_header(const BenchSetting& s) {
  fmt::print("Tutti and {}, in turn in one run\n", s.mpi);
  if (const std::string line = busy_line(s.hosts); !line.empty()) fmt::print("  {}\n", line);
  if (unsteady(s))
    fmt::print("  unsteady: a barrier took {} us [{}, {}] before anything else was measured\n",
               column_text(s.barrier.median), column_text(s.barrier.low),
               column_text(s.barrier.high));
  if (s.ranks == 1)
    fmt::print(
        "  one rank alone sends no message: start several, as by mpiexec -n 4 tutti bench\n");
  fmt::print("  {}, connections: {}{}{}\n", place_of(s), s.transports, s.device.empty() ? "" : "; ",
             s.device);
  if (!s.type.constructor.empty())
    fmt::print("  buffers of the datatype {}, pieces of {} bytes, {}{}\n", s.type.constructor,
               s.type.piece, side_text(s.type.side),
               s.first > 0 ? "" : "; plain: Tutti without gaps");
  if (s.form != CallForm::blocking)
    fmt::print("  {} calls of both; plain: Tutti's blocking call{}\n",
               kCallForms[static_cast<std::size_t>(s.form)],
               s.form == CallForm::persistent && !kMpiPrepares
                   ? "; this MPI has no persistent collectives, and begins each call anew"
                   : "");
  if (s.cold) fmt::print("  each call has fresh buffers, and is timed by itself\n");
  if (s.late > 0)
    fmt::print(
        "  one rank, in turn, comes late by {} times what a call takes; times are from its "
        "arrival\n"
        "  on, each call by itself\n",
        s.late);
  if (s.v_form != VForm::none) fmt::print("  v-forms, blocks: {}\n", name_of(s.v_form));
  fmt::print("  start-up of the slowest rank: tutti_init {:.1f} ms, tutti_comm_create {:.2f} ms\n",
             s.init_ms, s.create_ms);
  if (s.first > 0)
    fmt::print(
        "  times: microseconds a call, maximum over ranks; later: median of batches of {}\n"
        "  [95 % confidence interval]; for each row Tutti starts anew and the MPI gets a new\n"
        "  communicator; every result checked after it is timed\n",
        counted(s.first, "call"));
  else
    fmt::print(
        "  times: microseconds a call, maximum over ranks, median of repetitions [95 %\n"
        "  confidence interval]; every result checked before it is timed; ~: the two intervals\n"
        "  overlap, or one is wider than its median, so neither counts as faster\n");
}

void print_row(const BenchRow& r, bool first) {
  const bool counted = r.tutti.packets.has_value();
  if (first) {
    fmt::print("\n{}\n{:>9}  {:>9} {:>21}  {:>9} {:>21}  {:>9} ", r.collective, "size", "Tutti us",
               "[95 %]", "MPI us", "[95 %]", "MPI/Tutti");
    if (r.plain) fmt::print("  {:>9} {:>21}  {:>11} ", "plain us", "[95 %]", "Tutti/plain");
    if (counted) fmt::print("  {:>9} {:>9} {:>9} {:>9}", "pkt/op", "MPI's", "B/op", "MPI's");
    fmt::print("  algorithm, digest\n");
  }
  const auto interval = [](const Timing& t) {
    return fmt::format("[{}, {}]", column_text(t.low), column_text(t.high));
  };
  fmt::print("{:>9}  {:>9} {:>21}  ", r.collective == "barrier" ? "-" : size_text(r.bytes),
             column_text(r.tutti.median), interval(r.tutti));
  if (r.mpi)
    fmt::print("{:>9} {:>21}  {:>8.2f}x{}", column_text(r.mpi->median), interval(*r.mpi),
               r.mpi->median / r.tutti.median, mark(r.tutti, *r.mpi));
  else
    fmt::print("{:>9} {:>21}  {:>9} ", "-", "", "-");
  if (r.plain)
    fmt::print("  {:>9} {:>21}  {:>10.2f}x{}", column_text(r.plain->median), interval(*r.plain),
               r.tutti.median / r.plain->median, mark(r.tutti, *r.plain));
  if (counted) {
    const auto number = [](const std::optional<double>& v) {
      return v ? fmt::format("{:.1f}", *v) : std::string("-");
    };
    fmt::print("  {:>9} {:>9} {:>9} {:>9}", number(r.tutti.packets),
               number(r.mpi ? r.mpi->packets : std::nullopt),
               fmt::format("{:.0f}", r.tutti.bytes.value_or(0)),
               r.mpi && r.mpi->bytes ? fmt::format("{:.0f}", *r.mpi->bytes) : "-");
  }
  fmt::print("  {} {}\n", r.algorithm, r.digest.substr(0, 8));
  std::fflush(stdout);
}

void print_first_row(const BenchRow& r, bool first) {
  const bool with_packets = r.tutti.packets.has_value();
  const int calls = r.tutti.calls;
  if (first) {
    fmt::print(
        "\n{}, the first {} on fresh connections\n{:>9}  {:<5} {:>9} {:>9} {:>9}  {:>9} {:>21}",
        r.collective, counted(calls, "call"), "size", "", "call 1", "call 2",
        fmt::format("1 to {}", calls), "later us", "[95 %]");
    fmt::print("  {:>11}", "first/later");
    if (with_packets) fmt::print("  {:>9} {:>9}", "pkt/op", "later");
    fmt::print("  algorithm, digest\n");
  }
  const auto line = [&](const std::string& size, const char* who, const FirstCalls& begun,
                        const Timing& later, const std::string& how) {
    fmt::print("{:>9}  {:<5} {:>9} {:>9} {:>9}  {:>9} {:>21}  {:>10.2f}x", size, who,
               column_text(begun.each.front()),
               begun.each.size() > 1 ? column_text(begun.each[1]) : "-",
               column_text(begun.batch.median), column_text(later.median),
               fmt::format("[{}, {}]", column_text(later.low), column_text(later.high)),
               begun.batch.median / later.median);
    if (with_packets)
      fmt::print("  {:>9.1f} {:>9.1f}", begun.batch.packets.value_or(0), later.packets.value_or(0));
    fmt::print("{}\n", how);
  };
  line(r.collective == "barrier" ? "-" : size_text(r.bytes), "Tutti", *r.first, r.tutti,
       fmt::format("  {} {}", r.algorithm, r.digest.substr(0, 8)));
  if (r.mpi) line("", "MPI", *r.mpi_first, *r.mpi, "");
  std::fflush(stdout);
}

models::Tally tally_of(const std::vector<BenchRow>& rows) {
  models::Tally tally;
  for (const BenchRow& row : rows)
    if (row.mpi) tally.add(median_of(row.tutti), median_of(*row.mpi));
  return tally;
}

void print_tally(const models::Tally& tally, const char* where) {
  const int known = tally.less() + tally.greater();
  if (known + tally.unknown() == 0) return;
  fmt::print("\n{}Tutti is faster in {}, the MPI in {}; in {} it is undecided (~)", where,
             counted(tally.less(), "row"), tally.greater(), tally.unknown());
  if (const auto ratio = tally.ratio())
    fmt::print("; MPI/Tutti {:.2f}, geometric mean of the other {}", *ratio, known);
  fmt::print("\n");
}

void print_warm_up(const std::vector<BenchRow>& rows) {
  double all = 0, most = 0;
  int unsteady_times = 0, times = 0;
  std::string slowest;
  for (const BenchRow& row : rows) {
    const auto add = [&](const Timing& t, const char* who) {
      all += t.warm_up_ms;
      ++times;
      unsteady_times += t.steady ? 0 : 1;
      if (t.warm_up_ms <= most) return;
      most = t.warm_up_ms;
      slowest = fmt::format("{}{} by {}", row.collective,
                            row.bytes == 0 ? "" : " of " + size_text(row.bytes), who);
    };
    add(row.tutti, "Tutti");
    if (row.mpi) add(*row.mpi, "the MPI");
    if (row.plain) add(*row.plain, "Tutti, plain");
  }
  fmt::print("\nwarm-up until times were steady: {:.0f} ms, at most {:.0f} ms ({})", all, most,
             slowest);
  if (unsteady_times > 0)
    fmt::print("; {} of {} still fell after half of --time-limit", unsteady_times, times);
  fmt::print("\n");
}

void print_first_calls(const std::vector<BenchRow>& rows) {
  double later = 0, mpi_later = 0, mpi = 0;  // logarithms
  int with_mpi = 0;
  for (const BenchRow& row : rows) {
    later += std::log(row.first->batch.median / row.tutti.median);
    if (!row.mpi) continue;
    ++with_mpi;
    mpi_later += std::log(row.mpi_first->batch.median / row.mpi->median);
    mpi += std::log(row.mpi_first->batch.median / row.first->batch.median);
  }
  fmt::print("\nfirst calls take {:.2f} times as long as later ones",
             std::exp(later / static_cast<double>(rows.size())));
  if (with_mpi > 0)
    fmt::print(", the MPI's {:.2f} times; among first calls MPI/Tutti {:.2f}",
               std::exp(mpi_later / with_mpi), std::exp(mpi / with_mpi));
  fmt::print("; geometric means of all {}, as first calls happen once and have no interval\n",
             counted(static_cast<long long>(rows.size()), "row"));
}

void print_memory(const BenchSetting& s) {
  fmt::print("\nmemory of the rank that has most: {} of addresses, {}{} of together {}\n",
             counted(s.address_bytes, "byte"), counted(s.connections, "connection"),
             s.grown > 0 ? fmt::format(" ({} of them grown)", s.grown) : "",
             counted(s.connection_bytes, "byte"));
}

void print_raw(const RawRow& raw, const BenchSetting& s, const std::vector<BenchRow>& rows) {
  constexpr double kMiB = 1 << 20;
  fmt::print(
      "\nthe bare wire, ranks 0 and 1, verbs alone: 8 bytes one way {} us [{}, {}]; 1 MiB with 16 "
      "in flight {} us, {:.0f} MB/s\n",
      column_text(raw.write.median), column_text(raw.write.low), column_text(raw.write.high),
      column_text(raw.stream.median), kMiB / raw.stream.median);
  if (s.ranks != 2) return;
  for (const BenchRow& r : rows) {
    if (r.collective == "barrier")
      fmt::print("  a barrier takes {:.2f} raw writes of 8 bytes\n",
                 r.tutti.median / raw.write.median);
    // Among two ranks these send their bytes once each way over the device, which carries one at a
    // time; the others send them once.
    const bool both_ways = r.collective == "allgather" || r.collective == "alltoall" ||
                           r.collective == "allreduce" || r.collective == "reduce_scatter";
    if (r.bytes == 1 << 20)
      fmt::print("  {} of 1 MiB: {:.1f} % of the raw bandwidth\n", r.collective,
                 100 * raw.stream.median * (both_ways ? 2 : 1) / r.tutti.median);
  }
}

void write_json(const std::string& path, const BenchSetting& s, const std::vector<BenchRow>& rows,
                const std::optional<RawRow>& raw) {
  nlohmann::json all = {{"ranks", s.ranks},
                        {"nodes", s.nodes},
                        {"mpi", s.mpi},
                        {"transports", s.transports},
                        {"device", s.device},
                        {"init_ms", s.init_ms},
                        {"comm_create_ms", s.create_ms},
                        {"connections", s.connections},
                        {"grown_connections", s.grown},
                        {"connection_bytes", s.connection_bytes},
                        {"address_bytes", s.address_bytes},
                        {"hosts", nlohmann::json::array()},
                        {"barrier_before", json_of(s.barrier)},
                        {"unsteady", unsteady(s)},
                        {"rows", nlohmann::json::array()}};
  if (s.first > 0) all["first"] = s.first;
  for (const Host& host : s.hosts) all["hosts"].push_back(json_of(host));
  if (s.cold) all["cold"] = true;
  if (s.late > 0) all["late"] = s.late;
  if (s.v_form != VForm::none) all["v_form"] = name_of(s.v_form);
  if (s.form != CallForm::blocking) all["form"] = kCallForms[static_cast<std::size_t>(s.form)];
  if (!s.type.constructor.empty())
    all["type"] = {{"constructor", s.type.constructor},
                   {"piece", s.type.piece},
                   {"side", type_sides()[static_cast<std::size_t>(s.type.side)]}};
  for (const BenchRow& r : rows) {
    nlohmann::json row = {{"collective", r.collective},
                          {"bytes", r.bytes},
                          {"algorithm", r.algorithm},
                          {"digest", r.digest},
                          {"tutti", json_of(r.tutti)}};
    if (r.mpi) {
      row["mpi"] = json_of(*r.mpi);
      row["ratio"] = r.mpi->median / r.tutti.median;
      row["undecided"] = undecided(r.tutti, *r.mpi);
    }
    if (r.plain) row["plain"] = json_of(*r.plain);
    if (r.first) row["tutti_first"] = json_of(*r.first);
    if (r.mpi_first) row["mpi_first"] = json_of(*r.mpi_first);
    all["rows"].push_back(row);
  }
  const models::Tally tally = tally_of(rows);
  all["tally"] = {{"tutti_faster", tally.less()},
                  {"mpi_faster", tally.greater()},
                  {"undecided", tally.unknown()}};
  if (const auto ratio = tally.ratio()) all["tally"]["mean_ratio"] = *ratio;
  if (raw)
    all["raw"] = {{"write_8", json_of(raw->write)},
                  {"write_1M_16_in_flight", json_of(raw->stream)}};
  write_file(path, models::json_text(all, 2) + "\n");
}

}  // namespace tutti::tools
