// Judges the choice in each cell against the simulator, and prints the cells that lose.
#include "tools/verify_choices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "models/decision/shipped.hpp"
#include "models/platform/json_text.hpp"
#include "models/judgement.hpp"
#include "models/platform/names.hpp"
#include "tools/mapping.hpp"
#include "tools/parameters.hpp"
#include "tools/progress_bar.hpp"
#include "tools/text.hpp"

namespace tutti::tools {
namespace {

using collectives::Collective;
using models::Judgement;

constexpr double kWorthSaying = 1.1, kTooMuch = 1.25;
// Blocks for each rank of all ranks: a rank's memory has a limit.
constexpr Bytes kMostInAll = Bytes{64} << 20;

NamedMapping mapping_named(const std::string& name) {
  const auto found = named_mapping(name);
  if (!found)
    throw Error(
        Code::bad_configuration,
        fmt::format("--mapping '{}': there are blocks, in-turn, shuffled and shuffled:SEED", name));
  return *found;
}

std::string name_of_layout(const models::Cell& cell) { return to_string({cell.layout, cell.seed}); }

Bytes size_of(const std::string& text) {
  const auto bytes = parse_size(text);
  if (!bytes || *bytes < 0)
    throw Error(Code::bad_configuration, fmt::format("'{}' is not a size, such as 64k", text));
  return *bytes;
}

bool has_block_for_each(Collective collective) {
  return collective != Collective::barrier && collective != Collective::bcast &&
         collective != Collective::reduce && collective != Collective::allreduce &&
         collective != Collective::scan && collective != Collective::exscan;
}

std::vector<models::Cell> cells_of(const ChoicesOptions& options) {
  std::vector<models::Cell> all;
  for (const std::string& name : options.layouts) {
    const auto [layout, seed] = mapping_named(name);
    for (std::size_t c = 0; c < collectives::kCollectives; ++c) {
      const auto collective = static_cast<Collective>(c);
      if (options.collective && *options.collective != collective) continue;
      for (const int nodes : options.nodes)
        for (const int each : options.ranks_per_node)
          for (const std::string& size : options.sizes) {
            const long long P = static_cast<long long>(nodes) * each;
            if (P < 2 || P > kMostRanksJudged) continue;
            const models::Cell cell{collective, nodes, each,           size_of(size),
                                    layout,     seed,  options.sockets};
            const bool once = collective == Collective::barrier && &size != &options.sizes.front();
            const bool much = has_block_for_each(collective) && cell.bytes > kMostInAll / P;
            // One node, or one rank on each, is laid out in one way only.
            const bool same = name != options.layouts.front() && (nodes == 1 || each == 1);
            if (!once && !much && !same) all.push_back(cell);
          }
    }
  }
  return all;
}

std::vector<std::string> parameters_of(const ChoicesOptions& options) {
  std::vector<std::string> all;
  for (const std::string& name : options.params) {
    if (name != "all") {
      all.push_back(name);
      continue;
    }
    for (const auto& some : models::shipped_platforms()) all.push_back(some.name);
    for (const auto& some : models::published())
      if (some.complete) all.emplace_back(some.name);
  }
  return all;
}

nlohmann::json to_json(const Judgement::Played& played) {
  return {{"algorithm", collectives::to_string(played.choice)},
          {"estimate_us", played.estimate},
          {"simulated_us", played.simulated}};
}

std::string shown(const Judgement::Played& played) {
  return fmt::format("{} {} us ({})", collectives::to_string(played.choice),
                     four_digits(played.simulated), four_digits(played.estimate));
}

nlohmann::json to_json(const std::string& params, const models::Cell& cell,
                       const Judgement& judgement) {
  nlohmann::json left_out = nlohmann::json::array();
  for (const collectives::Choice& choice : judgement.left_out)
    left_out.push_back(collectives::to_string(choice));
  return {{"params", params},
          {"layout", name_of_layout(cell)},
          {"collective", collectives::name_of(cell.collective)},
          {"nodes", cell.nodes},
          {"ranks_per_node", cell.ranks_per_node},
          {"bytes", cell.bytes},
          {"excess", judgement.excess()},
          {"chosen", to_json(judgement.chosen)},
          {"best", to_json(judgement.best)},
          {"simulated", judgement.played},
          {"left_out", std::move(left_out)}};
}

void print(const std::string& params, const models::Cell& cell, const Judgement& judgement) {
  fmt::print("{:>6} x  {}, {} x {} ranks, {}, {}, {}: {}; best {}\n",
             four_digits(judgement.excess()), collectives::name_of(cell.collective), cell.nodes,
             cell.ranks_per_node, name_of_layout(cell), counted(cell.bytes, "byte"), params,
             shown(judgement.chosen), shown(judgement.best));
}

// For some cells, how many times as long their choices take as the best.
class Tally {
 public:
  void add(const Judgement& judgement) {
    excesses_.push_back(judgement.excess());
    left_out_ += judgement.left_out.size();
    simulated_ += judgement.played;
  }
  void print(const std::string& where) {
    std::sort(excesses_.begin(), excesses_.end());
    const auto above = [&](double limit) {
      return excesses_.end() - std::upper_bound(excesses_.begin(), excesses_.end(), limit);
    };
    fmt::print(
        "{} on {}: choice / best, by the simulator (estimates in brackets): median {:.2f}, "
        "worst {:.2f}; above {} in {}, above {} in {}\n",
        counted(static_cast<long long>(excesses_.size()), "cell"), where,
        excesses_[excesses_.size() / 2], excesses_.back(), kWorthSaying, above(kWorthSaying),
        kTooMuch, above(kTooMuch));
    if (left_out_ > 0)
      fmt::print(
          "  {} of {} candidates were not simulated, as all ranks together have more than "
          "{:.0f} steps: --json names them\n",
          left_out_, left_out_ + simulated_, models::JudgeOptions{}.most_steps);
  }

 private:
  std::vector<double> excesses_;
  std::size_t left_out_ = 0, simulated_ = 0;
};

}  // namespace

int verify_choices(const ChoicesOptions& options) {
  const std::vector<std::string> parameters = parameters_of(options);
  std::vector<models::Platform> platforms;
  platforms.reserve(parameters.size());
  for (const std::string& name : parameters)
    platforms.push_back(platform_named(name, models::wire_of(true, false)));
  for (const models::Platform& platform : platforms) require_sockets(options.sockets, platform);
  const std::vector<models::Cell> cells = cells_of(options);
  if (cells.empty())
    throw Error(
        Code::bad_configuration,
        fmt::format("there is nothing to judge: no cell has 2 to {} ranks", kMostRanksJudged));
  ProgressBar bar("simulating");
  nlohmann::json out = nlohmann::json::array();
  std::vector<std::pair<std::string, Tally>> tallies;
  double worst = 0;
  std::size_t done = 0;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    tallies.emplace_back(parameters[i], Tally{});
    for (const models::Cell& cell : cells) {
      bar.show(done++, cells.size() * parameters.size());
      const Judgement judgement =
          models::judge(cell, platforms[i], {.all_parameters = options.all_parameters});
      tallies.back().second.add(judgement);
      worst = std::max(worst, judgement.excess());
      if (options.json)
        out.push_back(to_json(parameters[i], cell, judgement));
      else if (judgement.excess() > kWorthSaying)
        print(parameters[i], cell, judgement);
    }
  }
  if (options.json)
    fmt::print("{}\n", models::json_text(out, 2));
  else
    for (auto& [name, tally] : tallies) tally.print(name);
  return worst > kTooMuch ? 1 : 0;
}

}  // namespace tutti::tools
