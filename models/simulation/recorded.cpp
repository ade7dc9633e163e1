// Reads and checks the file of one rank's recorded calls.
#include "models/simulation/recorded.hpp"

#include <fmt/format.h>

#include <array>
#include <limits>

#include "models/platform/json_text.hpp"
#include "models/platform/json_values.hpp"

namespace tutti::models {
namespace {

using collectives::StepKind;
using nlohmann::json;
using values::wrong;

constexpr int kTraceFormat = 1;  // of src/job/trace.cpp

std::int64_t whole(const json& value, std::int64_t least, std::int64_t most,
                   const std::string& where) {
  const bool fits = value.is_number_integer() &&
                    (!value.is_number_unsigned() ||
                     value.get<std::uint64_t>() <= std::numeric_limits<std::int64_t>::max()) &&
                    value.get<std::int64_t>() >= least && value.get<std::int64_t>() <= most;
  values::expect(fits, where, fmt::format("a whole number from {} to {}", least, most), value);
  return value.get<std::int64_t>();
}

const json& member(const json& object, const char* key, const std::string& where) {
  if (!object.contains(key)) wrong(where, fmt::format("there is no '{}'", key));
  return object[key];
}
std::int64_t time(const json& object, const char* key, std::int64_t least,
                  const std::string& where) {
  return whole(member(object, key, where), least, kMostTime, values::inside(where, key));
}
template <class Number>
Number number(const json& object, const char* key, std::int64_t least, const std::string& where) {
  const auto most = std::min<std::uint64_t>(std::numeric_limits<Number>::max(),
                                            std::numeric_limits<std::int64_t>::max());
  return static_cast<Number>(whole(member(object, key, where), least,
                                   static_cast<std::int64_t>(most), values::inside(where, key)));
}
std::string text(const json& object, const char* key, const std::string& where) {
  const json& value = member(object, key, where);
  values::expect(value.is_string(), values::inside(where, key), "a text", value);
  return value.get<std::string>();
}

constexpr std::array kKinds{StepKind::send, StepKind::recv, StepKind::recv_reduce, StepKind::copy,
                            StepKind::reduce};

RecordedStep step_of(const json& value, int P, const std::string& where) {
  values::expect(value.is_array() && value.size() == 6 && value[0].is_string(), where,
                 "[kind, peer, bytes, ordinal, begin, end]", value);
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  RecordedStep step{};
  bool known = false;
  for (const StepKind kind : kKinds)
    if (value[0].get<std::string>() == name_of(kind)) {
      step.kind = kind;
      known = true;
    }
  if (!known) wrong(where, "there is no such kind of step");
  step.peer = static_cast<Rank>(
      whole(value[1], collectives::is_message(step.kind) ? 0 : -1, P - 1, where + "[1]"));
  step.bytes = whole(value[2], 0, kMost, where + "[2]");
  step.ordinal =
      static_cast<Ordinal>(whole(value[3], 0, std::numeric_limits<Ordinal>::max(), where + "[3]"));
  step.begin = whole(value[4], 0, kMostTime, where + "[4]");
  step.end = whole(value[5], step.begin, kMostTime, where + "[5]");
  return step;
}

// `ranks`: of the job.
RecordedCall call_of(const json& line, int ranks, const std::string& where) {
  RecordedCall call;
  call.name = {number<CommunicatorId>(line, "communicator", 0, where),
               number<int>(line, "first", 0, where),
               number<CollectiveNumber>(line, "number", 0, where)};
  call.P = number<int>(line, "ranks", 1, where);
  call.rank = number<Rank>(line, "rank", 0, where);
  call.root = number<Rank>(line, "root", 0, where);
  if (call.rank >= call.P || call.root >= call.P)
    wrong(where, fmt::format("there is no such rank among {}", call.P));
  if (call.P > ranks)
    wrong(where, fmt::format("a call of {} ranks cannot be in a job of {}", call.P, ranks));
  const std::string collective = text(line, "collective", where);
  const auto found = collectives::collective_named(collective);
  if (!found) wrong(where, fmt::format("there is no collective '{:.50}'", collective));
  call.collective = *found;
  call.algorithm = text(line, "algorithm", where);
  call.bytes = number<Bytes>(line, "bytes", 0, where);
  call.element = number<Bytes>(line, "element", 1, where);
  call.digest = text(line, "digest", where);
  call.begin = time(line, "begin", 0, where);
  call.end = time(line, "end", call.begin, where);
  const json& steps = member(line, "steps", where);
  values::expect(steps.is_array(), values::inside(where, "steps"), "an array", steps);
  call.steps.reserve(steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i)
    call.steps.push_back(step_of(steps[i], call.P, fmt::format("{}.steps[{}]", where, i)));
  return call;
}

Recorded head_of(const json& line, const std::string& where) {
  if (!line.is_object() || !line.contains("tutti_trace"))
    wrong(where, "this is not a file that the setting `trace` has written");
  if (line["tutti_trace"] != kTraceFormat)
    wrong(where, fmt::format("this program reads format {}; record again", kTraceFormat));
  Recorded head;
  head.ranks = number<int>(line, "ranks", 1, where);
  head.rank = number<int>(line, "rank", 0, where);
  if (head.rank >= head.ranks)
    wrong(where, fmt::format("there is no rank {} among {}", head.rank, head.ranks));
  head.node = number<int>(line, "node", 0, where);
  head.host = text(line, "host", where);
  head.clock = text(line, "clock", where);
  return head;
}

}  // namespace

Recorded parse_recorded(std::string_view all) {
  Recorded recorded;
  bool ended = false;
  int count = 0;
  while (!all.empty()) {
    const std::string where = fmt::format("line {}", ++count);
    const std::size_t length = all.find('\n');
    if (length == all.npos) wrong(where, "it is cut off: the job was killed while it wrote");
    json line;
    try {
      line = parse_json(all.substr(0, length));
    } catch (const json::exception& error) {
      wrong(where, fmt::format("not JSON: {:.200}", error.what()));
    }
    all.remove_prefix(length + 1);
    if (ended) wrong(where, "there is more after the last line");
    if (count == 1) {
      recorded = head_of(line, where);
      continue;
    }
    values::must_be_object(line, where);
    if (line.contains("calls")) {
      ended = true;
      if (number<std::size_t>(line, "calls", 0, where) != recorded.calls.size())
        wrong(where, fmt::format("{} calls should be above, and there are {}",
                                 json_text(line["calls"]), recorded.calls.size()));
    } else {
      recorded.calls.push_back(call_of(line, recorded.ranks, where));
    }
  }
  if (count == 0) wrong("line 1", "the file is empty");
  if (!ended)
    wrong(fmt::format("line {}", count + 1),
          "the last line is missing: the job goes on, or ended without tutti_finalize");
  return recorded;
}

}  // namespace tutti::models
