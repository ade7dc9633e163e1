// Cells of shapes and sizes, one by one.
#include "tools/verify_choices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/text.hpp"
#include "models/decision/shipped.hpp"
#include "models/json_text.hpp"
#include "models/judgement.hpp"
#include "tools/parameters.hpp"
#include "tools/progress_bar.hpp"
#include "tools/text.hpp"

namespace tutti::tools {
namespace {

using collectives::Collective;
using models::Cell;
using models::Judgement;

constexpr double kWorthSaying = 1.1, kTooMuch = 1.25;
// Blocks for each rank of all ranks: a rank's memory has a limit.
constexpr Bytes kMostInAll = Bytes{64} << 20;

models::Layout layout_named(const std::string& name) {
  if (name == "blocks") return models::Layout::blocks;
  if (name == "in-turn") return models::Layout::in_turn;
  if (name == "shuffled") return models::Layout::shuffled;
  throw Error(Code::bad_configuration,
              fmt::format("'{}' is no layout of ranks: blocks, in-turn or shuffled", name));
}

Bytes size_of(const std::string& text) {
  const auto bytes = parse_size(text);
  if (!bytes || *bytes < 0)
    throw Error(Code::bad_configuration, fmt::format("'{}' is no size, such as 64k", text));
  return *bytes;
}

bool has_block_for_each(Collective collective) {
  return collective != Collective::barrier && collective != Collective::bcast &&
         collective != Collective::reduce && collective != Collective::allreduce &&
         collective != Collective::scan && collective != Collective::exscan;
}

std::vector<Cell> cells_of(const ChoicesOptions& options) {
  std::vector<Cell> all;
  for (std::size_t c = 0; c < collectives::kCollectives; ++c) {
    const auto collective = static_cast<Collective>(c);
    if (options.collective && *options.collective != collective) continue;
    for (const int nodes : options.nodes)
      for (const int each : options.ranks_per_node)
        for (const std::string& size : options.sizes) {
          const Cell cell{collective, nodes, each, size_of(size), layout_named(options.layout)};
          const bool once = collective == Collective::barrier && &size != &options.sizes.front();
          const bool much = has_block_for_each(collective) && cell.bytes > kMostInAll / cell.P();
          if (cell.P() > 1 && !once && !much) all.push_back(cell);
        }
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

}  // namespace

int verify_choices(const ChoicesOptions& options) {
  const models::Platform platform = platform_named(options.params, models::wire_of(true, false));
  const std::vector<Cell> cells = cells_of(options);
  ProgressBar bar("simulating");
  nlohmann::json out = nlohmann::json::array();
  std::vector<double> excesses;
  std::size_t done = 0;
  for (const Cell& cell : cells) {
    bar.show(done++, cells.size());
    const Judgement judgement = models::judge(cell, platform);
    excesses.push_back(judgement.excess());
    if (options.json)
      out.push_back({{"collective", name_of(cell.collective)},
                     {"nodes", cell.nodes},
                     {"ranks_per_node", cell.ranks_per_node},
                     {"bytes", cell.bytes},
                     {"excess", judgement.excess()},
                     {"chosen", to_json(judgement.chosen)},
                     {"best", to_json(judgement.best)}});
    else if (judgement.excess() > kWorthSaying)
      fmt::print("{:>6} x  {}, {} x {} ranks, {}: {}; best {}\n", four_digits(judgement.excess()),
                 name_of(cell.collective), cell.nodes, cell.ranks_per_node,
                 counted(cell.bytes, "byte"), shown(judgement.chosen), shown(judgement.best));
  }
  if (excesses.empty())
    throw Error(Code::bad_configuration, "nothing was asked for: no cell has two ranks");
  std::sort(excesses.begin(), excesses.end());
  const auto above = [&](double limit) {
    return excesses.end() - std::upper_bound(excesses.begin(), excesses.end(), limit);
  };
  if (options.json)
    fmt::print("{}\n", models::json_text(out, 2));
  else
    fmt::print(
        "{} on {}: choice / best, by the simulator (estimates in brackets): median {:.2f}, "
        "worst {:.2f}; above {} in {}, above {} in {}\n",
        counted(static_cast<long long>(excesses.size()), "cell"), options.params,
        excesses[excesses.size() / 2], excesses.back(), kWorthSaying, above(kWorthSaying), kTooMuch,
        above(kTooMuch));
  return excesses.back() > kTooMuch ? 1 : 0;
}

}  // namespace tutti::tools
