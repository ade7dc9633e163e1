// Turns the options of `tutti tune` into points, candidates and oracles.
#include "tools/tune/points.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "collectives/algorithms/catalogue.hpp"
#include "models/platform/json.hpp"
#include "tools/mapping.hpp"
#include "tools/parameters.hpp"

namespace tutti::tools {
namespace {

using collectives::Collective;

template <class Value>
std::vector<Value> ascending(std::vector<Value> values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

}  // namespace

std::vector<Oracle> oracles_of(const TuneOptions& options) {
  // In a job calls are measured in a row, unless they are to be single ones. A prediction without a
  // job is of a single call.
  const int calls = options.calls > 0               ? options.calls
                    : options.method == "predicted" ? 1
                                                    : models::kCallsLikeMany;
  if (!options.models.empty() && options.params.empty())
    bad_configuration("--model takes the parameters that --params names, and it names none");
  std::ranges::for_each(options.models, must_name_no_parameters);
  std::vector<Oracle> all;
  for (const std::string& name : options.params) {
    const NamedParameters parameters = parameters_named(name);
    const auto add = [&](const models::Predictor& predictor) {
      const auto* const platform = std::get_if<models::Platform>(&predictor);
      if (platform) require_sockets(options.sockets, *platform);
      if (!platform && options.sockets > 1) bad_configuration("tau-lop knows of no sockets");
      all.push_back(oracle_of(predictor, calls, options.sockets));
      if (!parameters.source.empty()) all.back().label += ", " + parameters.name;
    };
    try {
      for (const std::string& model : options.models) {
        models::Changes changes;
        changes.model = model;
        add(models::parse_platform(parameters.text, changes));
      }
      if (options.models.empty())
        for (const models::Predictor& one : models::parse_predictors(parameters.text)) add(one);
    } catch (const Error& error) {
      bad_configuration(fmt::format("{:.200}: {}", name, error.message));
    }
  }
  if (all.empty() && options.method == "predicted")
    all.push_back(oracle_here(calls, options.sockets));
  return all;
}

Wanted wanted_of(const TuneOptions& options, const std::vector<Collective>& collectives) {
  Wanted wanted;
  for (const std::string& text : options.segments) {
    const auto size = parse_size(text);
    if (!size || *size < 0)
      bad_configuration(fmt::format("--segment '{}' is not a size; 0: messages are not cut", text));
    wanted.segments.push_back(*size);
  }
  for (const std::string& list : options.algorithms) {
    int open = 0;
    std::string one;
    for (const char c : list + ",") {
      open += c == '(' ? 1 : c == ')' ? -1 : 0;
      if (c != ',' || open > 0) {
        one += c;
        continue;
      }
      if (!trimmed(one).empty()) wanted.algorithms.emplace_back(trimmed(one));
      one.clear();
    }
  }
  for (const std::string& text : wanted.algorithms) {
    // Some of the collectives must have it; if there is only one, what is wrong is said as ever.
    const auto has = [&](Collective one) {
      return collectives::find(one, std::string_view(text).substr(0, text.find('('))) != nullptr;
    };
    if (collectives.size() > 1 && std::none_of(collectives.begin(), collectives.end(), has))
      throw Error(Code::unknown_algorithm,
                  fmt::format("--algorithm: none of the collectives has '{:.100}'", text));
    for (const Collective one : collectives)
      if (collectives.size() == 1 || has(one))
        collectives::parse_choices(fmt::format("{}={}", name_of(one), text));
  }
  return wanted;
}

std::vector<Collective> collectives_of(const TuneOptions& options) {
  std::vector<Collective> all;
  for (const std::string& name : options.collectives) {
    if (name == "all")
      for (const std::string_view each : collectives::names_of_collectives()) {
        const Collective collective = *collectives::collective_named(each);
        if (!is_of_neighbours(collective)) all.push_back(collective);
      }
    else
      all.push_back(collectives::read_collective(name));
  }
  return ascending(std::move(all));
}

std::vector<Bytes> sizes_of(const TuneOptions& options) {
  std::vector<Bytes> all;
  for (const std::string& text : options.sizes) {
    const auto size = parse_size(text);
    if (!size || *size < 1 || *size > 1 << 30)
      bad_configuration(fmt::format("'{}' is not a size from 1 to 1G", text));
    all.push_back(*size);
  }
  return ascending(std::move(all));
}

std::vector<int> ranks_of(const TuneOptions& options, int most) {
  std::vector<int> all;
  for (const std::string& text : options.ranks) {
    const auto P = parse_number(text);
    if (!P || *P < 2 || *P > most)
      bad_configuration(fmt::format("'{}' is not a number of ranks from 2 to {}", text, most));
    all.push_back(static_cast<int>(*P));
  }
  if (all.empty()) all.push_back(most);
  return ascending(std::move(all));
}

std::vector<int> nodes_in_order(const std::function<int(Rank)>& node_of, int P) {
  std::vector<int> node;
  node.reserve(index(P));
  std::map<int, int> numbers;
  for (Rank rank = 0; rank < P; ++rank)
    node.push_back(
        numbers.try_emplace(node_of(rank), static_cast<int>(numbers.size())).first->second);
  return node;
}

std::vector<Completion> completions_of(const std::vector<Oracle>& oracles) {
  std::vector<Completion> all;
  for (const Oracle& oracle : oracles)
    if (oracle.completed) all.push_back(oracle.completed);
  return all;
}

std::vector<Point> points_of(const TuneOptions& options, const std::vector<int>& ranks,
                             const NodesOf& nodes_of, bool datagrams,
                             std::span<const Completion> completions) {
  std::vector<Point> points;
  const Wanted wanted = wanted_of(options, collectives_of(options));
  for (const Collective collective : collectives_of(options))
    for (const int P : ranks) {
      const auto node = nodes_of(P);
      std::map<int, int> on;
      int most = 0;
      for (const int one : node) most = std::max(most, ++on[one]);
      for (const Bytes bytes :
           collective == Collective::barrier ? std::vector<Bytes>{0} : sizes_of(options))
        points.push_back({collective, P, most, bytes,
                          candidates_for(collective, node, bytes, datagrams, wanted, completions)});
    }
  return points;
}

}  // namespace tutti::tools
