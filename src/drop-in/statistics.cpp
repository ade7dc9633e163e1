// Counts calls, and writes the table of `stats` in MPI_Finalize.
#include "src/drop-in/statistics.hpp"

#include <dlfcn.h>
#include <execinfo.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/auxv.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <vector>

#include "models/platform/json_text.hpp"

namespace tutti::drop_in {
namespace {

struct Sum {
  std::uint64_t calls = 0, bytes = 0;
  double seconds = 0;
  void add(MPI_Count more, double time) noexcept {
    ++calls;
    bytes += static_cast<std::uint64_t>(std::max<MPI_Count>(more, 0));
    seconds += time;
  }
};

struct Counted {
  Sum tutti;
  std::map<std::string_view, Sum> mpi;  // by why it went there
};

constexpr std::array<std::string_view, TUTTI_COLLECTIVES> kNames{
#define TUTTI_NAME(name) TUTTI_TEXT(MPI_##name),
    TUTTI_CAUGHT(TUTTI_NAME)
#undef TUTTI_NAME
};

std::mutex g_lock;
std::array<Counted, TUTTI_COLLECTIVES>& g_calls = *new std::array<Counted, TUTTI_COLLECTIVES>;
auto& g_algorithms = *new std::map<std::string, std::set<std::string>>;  // by collective

// The name of the blocking form with plain counts, in lower case and without MPI_ or MPIX_.
std::string blocking_form(std::string_view call) {
  std::string name(call.substr(call.find('_') + 1));
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (name.starts_with("i")) name.erase(0, 1);  // no blocking form begins with it
  for (const std::string_view end : {"_c", "_init"})
    if (name.ends_with(end)) name.resize(name.size() - end.size());
  return name;
}

// Tutti's name of the collective: one for its forms of equal and of other blocks.
std::string collective_of(std::string_view call) {
  std::string name = blocking_form(call);
  for (const std::string_view end : {"_block", "v", "w"})
    if (name.ends_with(end)) name.resize(name.size() - end.size());
  return name;
}

const void* library_of(const void* address) noexcept {
  Dl_info info;
  return dladdr(address, &info) ? info.dli_fbase : nullptr;
}

// The libtutti that the program itself calls; null if it calls none, or has it in its own file
// (of which `tutti run` warns: which of the file's functions are Tutti's cannot be told).
const void* programs_tutti() noexcept {
  static const void* const library = [] {
    const void* const found = library_of(dlsym(RTLD_DEFAULT, "tutti_init"));
    const auto entry = reinterpret_cast<const void*>(getauxval(AT_ENTRY));
    return found == library_of(entry) ? nullptr : found;
  }();
  return library;
}

// Whether the program's Tutti has made the call: it exchanges addresses by MPI.
bool is_of_programs_tutti() noexcept {
  if (!programs_tutti()) return false;
  std::array<void*, 12> callers{};
  const int depth = backtrace(callers.data(), static_cast<int>(callers.size()));
  return std::any_of(callers.begin(), callers.begin() + depth,
                     [](const void* caller) { return library_of(caller) == programs_tutti(); });
}

std::map<std::string, std::uint64_t> calls_passed(const tutti_passed* passed) {
  std::map<std::string, std::uint64_t> all;
  for (; passed->name; ++passed) {
    const std::string_view name = passed->name;
    if (*passed->calls > 0)
      all[std::string(name.substr(name.starts_with("P") ? 1 : 0))] += *passed->calls;
  }
  return all;
}

std::vector<std::string> algorithms_of(std::string_view call) {
  const auto found = g_algorithms.find(collective_of(call));
  if (found == g_algorithms.end()) return {};
  return {found->second.begin(), found->second.end()};
}

using Row = std::array<std::string, 5>;

// A column is as wide as its longest cell.
std::string table_of(const std::vector<Row>& rows) {
  std::array<std::size_t, 4> wide{};
  for (const Row& row : rows)
    for (std::size_t i = 0; i < wide.size(); ++i) wide[i] = std::max(wide[i], row[i].size());
  std::string text;
  for (const auto& [name, calls, bytes, seconds, by] : rows)
    text += fmt::format("tutti: {:<{}}  {:>{}}  {:>{}}  {:>{}}  {}\n", name, wide[0], calls,
                        wide[1], bytes, wide[2], seconds, wide[3], by);
  return text;
}

}  // namespace

Calls calls_of(std::string_view name) {
  const auto same = [](char small, char any) {
    return small == std::tolower(static_cast<unsigned char>(any));
  };
  Calls calls;
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    const std::string own = blocking_form(kNames[i]);
    calls[i] = std::equal(own.begin(), own.end(), name.begin(), name.end(), same);
  }
  return calls;
}

Watch::~Watch() {
  const std::chrono::duration<double> time = Clock::now() - begin_;
  if (is_of_programs_tutti()) return;
  const std::string_view why = comm_.why_not ? comm_.why_not : "switched off";
  const std::lock_guard lock(g_lock);
  Counted& counted = g_calls[static_cast<std::size_t>(call_)];
  try {
    (taken_ ? counted.tutti : counted.mpi[why]).add(bytes_, time.count());
  } catch (const std::bad_alloc&) {
    // One call less in the table.
  }
}

void note_algorithms(tutti_comm comm) noexcept {
  try {
    std::size_t size = 0;
    if (tutti_describe(comm, nullptr, 0, &size) != TUTTI_SUCCESS) return;
    std::string text(size + 1, '\0');
    if (tutti_describe(comm, text.data(), text.size(), &size) != TUTTI_SUCCESS) return;
    text.resize(size);
    const auto all = nlohmann::json::parse(text)["communicator"]["collectives"];
    const std::lock_guard lock(g_lock);
    for (const auto& [name, one] : all.items()) g_algorithms[name].insert(one["algorithm"]);
  } catch (const std::exception&) {
    // The table does not name them.
  }
}

std::string statistics_table(const tutti_passed* passed) {
  const std::lock_guard lock(g_lock);
  std::vector<Row> rows{{"collectives of rank 0", "calls", "bytes", "seconds", "run by"}};
  const auto add = [&](std::string_view name, const Sum& sum, std::string by) {
    rows.push_back({std::string(name), fmt::to_string(sum.calls), fmt::to_string(sum.bytes),
                    fmt::format("{:.4f}", sum.seconds), std::move(by)});
  };
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (g_calls[i].tutti.calls > 0)
      add(kNames[i], g_calls[i].tutti,
          fmt::format("Tutti: {}", fmt::join(algorithms_of(kNames[i]), ", ")));
    for (const auto& [why, sum] : g_calls[i].mpi)
      add(kNames[i], sum, fmt::format("the MPI: {}", why));
  }
  for (const auto& [name, calls] : calls_passed(passed))
    rows.push_back({name, fmt::to_string(calls), "", "", "the MPI: none that Tutti takes"});
  return table_of(rows);
}

std::string statistics_json(const tutti_passed* passed) {
  const std::lock_guard lock(g_lock);
  const auto object = [](const Sum& sum) {
    return nlohmann::json{{"calls", sum.calls}, {"bytes", sum.bytes}, {"seconds", sum.seconds}};
  };
  nlohmann::json all = nlohmann::json::object();
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    const Counted& counted = g_calls[i];
    if (counted.tutti.calls == 0 && counted.mpi.empty()) continue;
    nlohmann::json& one = all[std::string(kNames[i])];
    one["tutti"] = object(counted.tutti);
    one["tutti"]["algorithms"] = algorithms_of(kNames[i]);
    for (const auto& [why, sum] : counted.mpi) one["mpi"][std::string(why)] = object(sum);
  }
  for (const auto& [name, calls] : calls_passed(passed))
    all[name]["mpi"]["passed on"]["calls"] = calls;
  return models::json_text(all);
}

}  // namespace tutti::drop_in
