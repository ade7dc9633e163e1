// Turns the options of `tutti predict` into cases, and predicts these.
#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "collectives/algorithms/conditions.hpp"
#include "collectives/analysis/all_ranks.hpp"
#include "collectives/schedule/repeated.hpp"
#include "collectives/selection/facts.hpp"
#include "models/platform/json.hpp"
#include "models/platform/json_text.hpp"
#include "models/platform/names.hpp"
#include "models/platform/tree_times.hpp"
#include "models/simulation/steps.hpp"
#include "tools/mapping.hpp"
#include "tools/parameters.hpp"
#include "tools/predict/predict.hpp"
#include "tools/text.hpp"
#include "tools/torus.hpp"

#include <nlohmann/json.hpp>

namespace tutti::tools {
namespace {

using collectives::Choice;
using collectives::Collective;
using collectives::Problem;
using models::Platform;

// "8", "2,4" (CLI11 cuts at commas), or "2-64": times `factor` from the first to the last.
template <class Number, class Parse>
std::vector<Number> values_of(const std::vector<std::string>& texts, Number factor, Parse&& parse) {
  std::vector<Number> all;
  for (const std::string& text : texts) {
    const std::size_t dash = text.find('-', 1);
    const Number first = parse(text.substr(0, dash));
    const Number last = dash == text.npos ? first : parse(text.substr(dash + 1));
    if (first > last)
      bad_configuration(fmt::format("'{}': a range goes from the lesser to the greater", text));
    for (Number value = first; value < last; value = std::max<Number>(1, value) * factor)
      all.push_back(value);
    all.push_back(last);
  }
  return all;
}

models::Changes changes_of(const PredictOptions& options) {
  models::Changes changes;
  for (const std::string& text : options.set) {
    const std::size_t at = text.find('=');
    const auto number = parse_decimal(at == text.npos ? "" : text.substr(at + 1));
    if (at == 0 || !number)
      bad_configuration(
          fmt::format("--set '{}': write NAME=NUMBER, such as L=4.5 or between.G=0.01", text));
    changes.parameters.emplace_back(text.substr(0, at), *number);
  }
  return changes;
}

// The first published parameters of the model, for who names none; of a model of which none are
// published those that --set gives, all of them.
NamedParameters default_parameters(const std::string& model, bool set) {
  const std::string_view wanted = name_of(models::model_named(model));
  for (const auto& some : models::published())
    if (some.complete && name_of(models::parse_platform(some.json).between) == wanted)
      return parameters_named(std::string(some.name));
  if (set)
    return {.name = "--set",
            .source = {},
            .text = fmt::format(R"({{"model": "{}", "parameters": {{}}}})", wanted)};
  bad_configuration(fmt::format(
      "no paper prints parameters of {}: name some with --params, or give all of them with --set",
      model));
}

Platform platform_from(const NamedParameters& source, models::Changes changes,
                       const std::string& model) {
  changes.model = model;
  try {
    Platform platform = models::parse_platform(source.text, changes);
    if (platform.name.empty()) platform.name = source.name;
    if (platform.source.empty()) platform.source = source.source;
    return platform;
  } catch (const Error& error) {
    bad_configuration(fmt::format("{:.200}: {}", source.name, error.message));
  }
}

Platform platform_of_this_machine(const models::Changes& changes, bool several_nodes) {
  const Platform here = parameters_here(several_nodes).platform;
  return platform_from({here.name, here.source, models::json_text(models::to_json(here))}, changes,
                       "");
}

// Nothing that the papers' formulas know nothing of.
bool is_plain(const PredictOptions& options, const Platform& platform) {
  const bool shares = platform.shared_ports && may_share_nodes(options);
  return options.noise == 0 && options.late == 0 && options.eager.empty() && options.root == 0 &&
         platform.copy_per_byte == 0 && platform.adapters == 1 && !shares &&
         platform.gap_by_destinations == models::GapByDestinations{};
}

// TAU's segments, which the library below makes of a message; the simulator knows none.
Bytes cut_below(const PredictOptions& options) {
  if (options.segment.empty()) return 0;
  const auto segment = parse_size(options.segment);
  if (!segment || *segment < 1)
    bad_configuration(fmt::format("--segment '{}' is not a size", options.segment));
  return *segment;
}

void set_levels(const PredictOptions& options, const Platform& platform, models::Asked& asked) {
  using Mapping = models::Asked::Mapping;
  asked.within = &*platform.within;
  asked.per_node = options.ranks_per_node;
  asked.mapping = options.mapping == "blocks"    ? Mapping::blocks
                  : options.mapping == "in-turn" ? Mapping::in_turn
                                                 : Mapping::other;
}

}  // namespace

std::vector<int> nodes_of(const PredictOptions& options, int P) {
  return nodes_by_mapping(options.mapping, P, options.ranks_per_node);
}

models::SimulationOptions setting_of(const PredictOptions& options, int P) {
  models::SimulationOptions setting{
      .noise = options.noise, .late = options.late, .seed = options.seed};
  setting.node = nodes_of(options, P);
  setting.socket = models::sockets_of(setting.node, options.sockets);
  if (!options.eager.empty()) {
    const auto most = parse_size(options.eager);
    if (!most || *most < 0)
      bad_configuration(fmt::format("--eager '{}' is not a size", options.eager));
    setting.limits = protocols::Limits{.line = 0,
                                       .small = 0,
                                       .eager = *most,
                                       .writes = true,
                                       .fetches = false,
                                       .in_pieces = false};
  }
  return setting;
}

bool has_several_nodes(const PredictOptions& options, int P) {
  const std::vector<int> node = nodes_of(options, P);
  return *std::max_element(node.begin(), node.end()) > 0;
}

bool names_machine(const PredictOptions& options) {
  return !options.models.empty() || !options.params.empty();
}

bool may_share_nodes(const PredictOptions& options) {
  return options.ranks_per_node > 1 || is_mapping_file(options.mapping);
}

Problem problem_of(const PredictOptions& options, const Case& what) {
  Problem problem{{.collective = what.collective, .root = options.root, .bytes = what.bytes},
                  what.P};
  if (what.collective == Collective::barrier) problem.bytes = 0;
  problem.node = nodes_of(options, what.P);
  put_on_torus(problem, options.torus);
  return problem;
}

std::vector<Platform> platforms_of(const PredictOptions& options, bool several_nodes) {
  const models::Changes changes = changes_of(options);
  std::vector<Platform> all;
  std::vector<NamedParameters> sources;
  for (const std::string& name : options.params) sources.push_back(parameters_named(name));
  const bool every_model = options.models == std::vector<std::string>{"all"};
  if (!names_machine(options)) all.push_back(platform_of_this_machine(changes, several_nodes));
  if (options.models.empty())
    for (const NamedParameters& source : sources) all.push_back(platform_from(source, changes, ""));
  if (every_model && sources.empty())
    for (const auto& some : models::published())
      if (some.complete)
        all.push_back(platform_from(parameters_named(std::string(some.name)), changes, ""));
  for (const std::string& model : options.models) {
    if (every_model) break;
    must_name_no_parameters(model);
    if (sources.empty())
      all.push_back(platform_from(default_parameters(model, !options.set.empty()), changes, model));
    for (const NamedParameters& source : sources)
      all.push_back(platform_from(source, changes, model));
  }
  if (every_model)
    for (const NamedParameters& source : sources)
      for (const models::Model& model : models::models())
        try {  // those that these parameters suffice for
          all.push_back(platform_from(source, changes, std::string(name_of(model))));
        } catch (const Error&) {
        }
  if (all.empty()) bad_configuration("these parameters suffice for no model");
  for (Platform& platform : all) {
    if (options.reduce_per_byte >= 0) platform.reduce_per_byte = options.reduce_per_byte;
    if (options.copy_per_byte >= 0) platform.copy_per_byte = options.copy_per_byte;
    platform.shared_ports |= options.shared_ports;
    if (options.adapters > 0) platform.adapters = options.adapters;
    platform.between = models::congested(platform.between, options.congestion);
    require_sockets(options.sockets, platform);
  }
  return all;
}

std::vector<Collective> collectives_of(const PredictOptions& options) {
  std::vector<Collective> all;
  for (const std::string& name : options.collectives)
    all.push_back(collectives::read_collective(name));
  if (all.empty()) bad_configuration("name a collective (--collective)");
  return all;
}

std::vector<Choice> choices_of(const PredictOptions& options, Collective collective) {
  std::vector<Choice> all;
  for (const std::string& text : options.algorithms) {
    const auto found = collectives::parse_choices(fmt::format("{}={}", name_of(collective), text));
    for (const auto& [of, choice] : found) all.push_back(choice);
  }
  if (!options.algorithms.empty()) return all;
  for (const auto& algorithm : collectives::algorithms()) {
    const bool several_levels = may_share_nodes(options) && options.ranks_per_node != kAllOnOneNode;
    const bool useful = !algorithm.traits.levels || several_levels;
    if (algorithm.collective == collective && useful) all.push_back({.algorithm = &algorithm});
  }
  return all;
}

std::vector<int> ranks_of(const PredictOptions& options) {
  if (!options.torus.empty()) return {ranks_on(parse_torus(options.torus, Case::kMostRanks))};
  return values_of<int>(options.ranks, 2, [](const std::string& text) {
    const auto P = parse_number(text);
    if (!P || *P < 1 || *P > Case::kMostRanks)
      bad_configuration(
          fmt::format("'{}' is not a number of ranks from 1 to {}", text, Case::kMostRanks));
    return static_cast<int>(*P);
  });
}

std::vector<Bytes> sizes_of(const PredictOptions& options) {
  return values_of<Bytes>(options.bytes, 4, [](const std::string& text) {
    const auto size = parse_size(text);
    if (!size || *size < 0 || *size > Case::kMostBytes)
      bad_configuration(fmt::format(
          "'{}' is not a size: write bytes, such as 4096, 64k or 1MiB, from 0 to 1T", text));
    return *size;
  });
}

std::optional<std::string> why_not(const PredictOptions& options, const Case& what,
                                   double most_steps) {
  if (options.root < 0 || options.root >= what.P)
    return fmt::format("there is no root {} among {} ranks", options.root, what.P);
  const Problem problem = problem_of(options, what);
  if (auto reason = collectives::why_not(*what.choice.algorithm, problem, what.choice.parameters))
    return reason;
  const double steps = models::steps_of_all(what.P, problem.root, [&](Rank rank) {
    return what.choice.algorithm->build(problem_of_rank(problem, rank), what.choice.parameters);
  });
  if (steps <= most_steps) return {};
  return fmt::format("it has {:.0f} steps, and this model takes {:.0f}", steps, most_steps);
}

std::string to_string(const Case& what) {
  std::string text = fmt::format("{} {}, {}", name_of(what.collective),
                                 with_units(to_string(what.choice)), counted(what.P, "rank"));
  if (what.collective != Collective::barrier) text += ", " + size_text(what.bytes);
  return text;
}

Prediction predict(const PredictOptions& options, const Case& what, const Platform& platform,
                   bool record) {
  const Problem problem = problem_of(options, what);
  models::SimulationOptions setting = setting_of(options, what.P);
  setting.record = record;
  setting.links = options.details;
  Prediction made{.what = what, .platform = &platform};
  made.what.choice =
      models::with_times(what.choice, platform, collectives::facts_of_nodes(setting.node));
  const auto schedule_of = [&](Rank rank) {
    auto schedule =
        what.choice.algorithm->build(problem_of_rank(problem, rank), made.what.choice.parameters);
    if (rank == 0) made.digest = fmt::format("{:016x}", schedule.digest());
    return options.calls > 1 ? collectives::repeated(schedule, options.calls) : schedule;
  };
  made.node = setting.node;
  made.socket = setting.socket;
  made.result = models::simulate(what.P, schedule_of, platform, setting);
  if (options.calls > 1) {
    made.result.time /= options.calls;
    return made;  // the papers' formulas are of one
  }
  if (!made.socket.empty()) return made;  // and of two levels
  models::Asked asked{.P = what.P,
                      .bytes = problem.bytes,
                      .segment = what.choice.parameters.segment,
                      .k = what.choice.parameters.k,
                      .reduce_per_byte = platform.reduce_per_byte,
                      .plain = is_plain(options, platform),
                      .copy_per_byte = platform.copy_per_byte,
                      .cut_below = cut_below(options)};
  const models::Model* model = &platform.between;
  if (platform.within && may_share_nodes(options)) {
    const bool one_node = *std::max_element(made.node.begin(), made.node.end()) == 0;
    if (one_node)
      model = &*platform.within;
    else
      set_levels(options, platform, asked);
  }
  for (const models::ClosedForm& form : models::closed_forms())
    if (form.collective == what.collective && form.algorithm == what.choice.algorithm->name)
      if (const auto time = models::time_of(form, *model, asked)) {
        const double simulated = form.quantity == models::Quantity::time
                                     ? made.result.time
                                     : models::simulated(form, *model, asked);
        made.printed.push_back(
            {form, *time, simulated, models::judge(form, *model, asked, simulated, *time)});
      }
  return made;
}

}  // namespace tutti::tools
