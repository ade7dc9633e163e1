// Statements from coarse to fine, as HPM §2 orders them: asymptotic class, dominant terms with
// their constants, bounds over mappings of ranks to nodes, all parts, and the ranges of sizes.
// Pure.
#include "models/decision/explanation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "models/decision/growth.hpp"
#include "models/decision/sketches.hpp"

namespace tutti::models {
namespace {

using namespace collectives;
using nlohmann::json;

json counts(const Count& count) { return {{"within", count.near}, {"between", count.far}}; }

json parts(const Estimate::Parts& p) {
  return {{"start_up", p.start_up}, {"bytes", p.bytes}, {"compute", p.compute},
          {"queueing", p.queueing}, {"cores", p.cores}, {"turns", p.wakes}};
}

// Members that all candidates have, and those of candidates that apply.
json candidate_to_json(const Candidate& one) {
  json all = {{"algorithm", to_string(one.choice)}};
  if (!one.excluded.empty()) {
    all["excluded"] = one.excluded;
    return all;
  }
  const Estimate& e = one.estimate;
  all.update({{"time", e.time},
              {"set_up", e.set_up},
              {"latency", e.latency},
              {"interval", e.interval},
              {"parts", parts(e.parts)},
              {"rounds", e.rounds},
              {"messages", counts(e.messages)},
              {"bytes", counts(e.bytes)},
              {"bytes_leaving_node", e.leaving},
              {"peers", e.peers},
              {"memory", e.memory}});
  if (one.excess > 1) all["times_over_limit"] = one.excess;
  return all;
}

// "log P + m P": the number of messages of one byte each, or of one segment, on the critical path,
// and what each further byte of the call adds to the bytes there.
std::string class_of(Choice choice, const Decisions& decisions,
                     const std::shared_ptr<const Stencil>& stencil) {
  // Times that shape a tree change the constants only: these make each message a round. It is
  // searched for as if ranks shared no node, and for as many ranks as grow here.
  const bool searched = choice.algorithm->traits.times;
  if (searched) choice.parameters.times = {.L = 1, .g = 1, .G = 0};
  const int most_on_node = searched ? 1 : 1 << 10;
  constexpr Bytes kLong = Bytes{1} << 33;
  std::array<double, 3> messages{}, bytes{};
  for (std::size_t i = 0; i < kGrowing.size(); ++i) {
    Facts facts = decisions.facts();
    const bool one_node = facts.nodes == 1;
    facts.max_ranks_per_node =
        one_node ? kGrowing[i] : std::min(facts.max_ranks_per_node, most_on_node);
    facts.nodes = one_node ? 1 : kGrowing[i];
    facts.P = facts.nodes * facts.max_ranks_per_node;
    const auto at = [&](Bytes m) {
      return estimate_of(choice, m, decisions.platform(), facts, stencil);
    };
    messages[i] = at(1).messages.both();
    bytes[i] = (at(2 * kLong).bytes.both() - at(kLong).bytes.both()) / kLong;
  }
  const std::string_view times = growth(bytes);
  if (choice.algorithm->collective == Collective::barrier) return std::string(growth(messages));
  return fmt::format("{} + m{}", growth(messages), times == "1" ? "" : fmt::format(" {}", times));
}

// The best and the worst of: neighbours on a node, ranks dealt out to the nodes in turn, every rank
// on a node of its own, all on one.
std::pair<double, double> over_mappings(const Choice& choice, Bytes bytes,
                                        const Decisions& decisions,
                                        const std::shared_ptr<const Stencil>& stencil) {
  const Facts& here = decisions.facts();
  std::vector<Facts> mappings(4, here);
  mappings[1].in_order = !here.in_order;
  mappings[1].in_turn = here.in_order;
  mappings[2].nodes = here.P, mappings[2].max_ranks_per_node = 1;
  mappings[3].nodes = 1, mappings[3].max_ranks_per_node = here.P;
  std::pair<double, double> range{1e300, 0};
  for (const Facts& facts : mappings) {
    if (choice.algorithm->traits.nodes && facts.nodes != here.nodes) continue;
    const double time = estimate_of(choice, bytes, decisions.platform(), facts, stencil).latency;
    range = {std::min(range.first, time), std::max(range.second, time)};
  }
  return range;
}

json statement(const Choice& choice, Bytes bytes, const Decisions& decisions,
               const std::shared_ptr<const Stencil>& stencil) {
  const auto time = [&](Bytes m) {
    return estimate_of(choice, m, decisions.platform(), decisions.facts(), stencil).latency;
  };
  const bool barrier = choice.algorithm->collective == Collective::barrier;
  const Bytes more = std::max<Bytes>(bytes, 8);
  const double slope = barrier ? 0 : (time(2 * more) - time(more)) / static_cast<double>(more);
  const auto [least, most] = over_mappings(choice, bytes, decisions, stencil);
  const Estimate exact =
      estimate_of(choice, bytes, decisions.platform(), decisions.facts(), stencil);
  return {{"class", class_of(choice, decisions, stencil)},
          {"latency", exact.latency},
          {"parts", parts(exact.parts)},
          {"constant", time(bytes) - slope * static_cast<double>(bytes)},
          {"per_byte", slope},
          {"least_over_mappings", least},
          {"most_over_mappings", most}};
}

}  // namespace

json explanation(Decisions& decisions, const Problem& problem, const Choice& choice) {
  const Facts& facts = decisions.facts();
  const Platform& platform = decisions.platform();
  const Budget budget = platform.budget.value_or(Budget{});
  const Bytes bytes = problem.collective == Collective::barrier ? 0 : typical_bytes(problem);
  json candidates = json::array(), ranges = json::array();
  for (const Candidate& one : decisions.candidates(problem))
    candidates.push_back(candidate_to_json(one));
  for (const Decisions::Interval& one : decisions.table(problem))
    ranges.push_back({{"from", one.from}, {"algorithm", to_string(one.choice)}});
  json all = {{"collective", name_of(problem.collective)},
              {"bytes", bytes},
              {"ranks", facts.P},
              {"nodes", facts.nodes},
              {"ranks_per_node", facts.max_ranks_per_node},
              {"software_wire", facts.software_wire},
              {"oversubscribed", facts.oversubscribed},
              {"cores", facts.cores},
              {"model", {{"name", platform.name}, {"source", platform.source}}},
              {"connecting",
               {{"time", budget.connect},
                {"calls", budget.uses},
                {"bytes", budget.connection},
                {"memory_limit", budget.memory}}},
              {"algorithm", to_string(choice)},
              {"reason", choice.reason},
              {"ranges", ranges},
              {"candidates", candidates}};
  if (can_estimate(choice, facts))
    all["statement"] = statement(choice, bytes, decisions, stencil_of(problem));
  else
    all["no_estimate"] = why_no_sketch(*choice.algorithm);
  return all;
}

}  // namespace tutti::models
