// Writes recorded calls as lines of JSON.
#include "src/job/trace.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/no_size_signal.hpp"
#include "models/platform/json_text.hpp"
#include "src/news/agreement.hpp"
#include "src/job/plan.hpp"
#include "transport/placement.hpp"

namespace tutti {
namespace {

constexpr int kFormat = 1;

// Equal on ranks whose steady clocks show the same: on one running kernel, but for time namespaces.
std::string clock_name() {
  std::string boot = "unknown", offsets, line;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  for (std::ifstream file("/proc/self/timens_offsets"); std::getline(file, line);)
    if (line.starts_with("monotonic"))
      for (const char c : line)
        if (c != ' ' && c != '\t') offsets += c;
  return boot + (offsets == "monotonic00" ? "" : offsets);
}

std::string host_name() {
  char name[256]{};
  gethostname(name, sizeof name - 1);
  return name;
}

[[noreturn]] void bad(std::string_view why, int error) {
  throw Error(Code::bad_configuration, fmt::format("the setting `trace`: {}", why), kNoPeer, error);
}
[[noreturn]] void cannot_write(const std::string& path) {
  const int error = errno;
  bad(fmt::format("cannot write {:.200}: {}", path, std::strerror(error)), error);
}

File begun_at(const std::string& path) try { return begin_file(path); } catch (const Error& error) {
  bad(error.message, error.system_errno);
}

}  // namespace

void check_trace(const std::string& folder) {
  struct stat status;
  if (stat(folder.c_str(), &status) == 0) {
    errno = ENOTDIR;
    if (!S_ISDIR(status.st_mode) || access(folder.c_str(), W_OK | X_OK) != 0) cannot_write(folder);
    return;
  }
  if (errno != ENOENT) cannot_write(folder);
  const std::size_t end = folder.find_last_not_of('/');
  const auto parent = std::filesystem::path(folder.substr(0, end + 1)).parent_path();
  if (access(parent.empty() ? "." : parent.c_str(), W_OK | X_OK) != 0) cannot_write(folder);
}

Trace::Trace(const std::string& folder, int most_calls, const transport::Placement& placement)
    : most_(most_calls) {
  if (mkdir(folder.c_str(), 0777) != 0 && errno != EEXIST) cannot_write(folder);
  const std::string path = fmt::format("{}/rank-{}.jsonl", folder, placement.rank());
  file_ = begun_at(path);
  const nlohmann::json head = {
      {"tutti_trace", kFormat},    {"rank", placement.rank()},
      {"ranks", placement.size()}, {"node", placement.node_of(placement.rank())},
      {"host", host_name()},       {"clock", clock_name()}};
  const std::string line = models::json_text(head) + '\n';
  const NoSizeSignal no_signal;
  if (std::fputs(line.c_str(), file_.get()) < 0 || std::fflush(file_.get()) != 0) {
    const int error = errno;
    file_.reset();  // which tries to write once more
    errno = error;
    cannot_write(path);
  }
}

Trace::~Trace() {
  const NoSizeSignal no_signal;
  if (!broken_) std::fprintf(file_.get(), "{\"calls\":%d}\n", written_);
  file_.reset();
}

std::unique_ptr<TracedCall> Trace::begin(const Plan& plan, Running& running) {
  int& begun = begun_[static_cast<std::size_t>(plan.task().collective)];
  if (begun == most_) return nullptr;
  ++begun;
  const std::size_t steps = plan.program().schedule().steps.size();
  auto call = std::make_unique<TracedCall>(TracedCall{plan, 0, {}});
  call->times.resize(steps);
  running.record(call->times.data());
  call->begin = steady_nanoseconds();
  return call;
}

void Trace::end(const TracedCall& call, const Agreement& agreement,
                CollectiveNumber number) noexcept try {
  const std::int64_t end = steady_nanoseconds();
  const collectives::Problem& problem = call.plan.problem();
  const collectives::Schedule& schedule = call.plan.program().schedule();
  fmt::memory_buffer line;
  const auto out = std::back_inserter(line);
  // Other communicators with other first members may have the same id.
  fmt::format_to(out,
                 R"({{"communicator":{},"first":{},"number":{},"rank":{},"ranks":{},)"
                 R"("collective":"{}","algorithm":"{}","root":{},"bytes":{},"element":{},)"
                 R"("digest":"{:016x}","begin":{},"end":{},"steps":[)",
                 agreement.members().id(), agreement.members().world_ranks().front(),
                 agreement.count().of(number), problem.rank, problem.P,
                 collectives::name_of(problem.collective), to_string(call.plan.choice()),
                 problem.root, problem.bytes, problem.element, schedule.digest(), call.begin, end);
  for (std::size_t id = 0; id < schedule.steps.size(); ++id) {
    const collectives::Step& step = schedule.steps[id];
    const collectives::StepTimes& times = call.times[id];
    if (times.end == 0) continue;  // a broadcast by datagrams
    fmt::format_to(out, R"({}["{}",{},{},{},{},{}])",
                   line.data()[line.size() - 1] == '[' ? "" : ",", name_of(step.kind), step.peer,
                   length_of(step), step.ordinal, times.begin, times.end);
  }
  fmt::format_to(out, "]}}\n");
  const NoSizeSignal no_signal;
  if (std::fwrite(line.data(), 1, line.size(), file_.get()) != line.size()) broken_ = true;
  ++written_;
} catch (const std::exception&) {
  broken_ = true;
}

}  // namespace tutti
