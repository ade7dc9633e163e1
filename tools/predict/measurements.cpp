// Reads rows of the bench from JSON.
#include "tools/predict/measurements.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "models/platform/json_text.hpp"

namespace tutti::tools {
namespace {

using nlohmann::json;

MeasuredCase parse_row(const json& row, int ranks) {
  const auto named = row.at("collective").get<std::string>();
  const auto collective = collectives::collective_named(named);
  if (!collective) bad_configuration(fmt::format("there is no collective '{:.200}'", named));
  const json& tutti = row.at("tutti");
  MeasuredCase one{{*collective, {}, ranks, row.at("bytes").get<Bytes>()},
                   row.at("algorithm").get<std::string>(),
                   row.value("digest", ""),
                   tutti.at("median_us").get<double>(),
                   tutti.value("calls", 1)};
  if (one.what.bytes < 0 || one.what.bytes > Case::kMostBytes)
    bad_configuration("bytes are out of range");
  if (!(one.time >= 0)) bad_configuration("tutti.median_us is out of range");
  const auto choices =
      collectives::parse_choices(fmt::format("{}={:.1000}", name_of(*collective), one.algorithm));
  one.what.choice = choices.at(*collective);
  return one;
}

}  // namespace

Measurements parse_measurements(std::string_view text) {
  std::string where = "the file";
  try {
    const json all = models::parse_json(text);
    where = "ranks or nodes";
    Measurements found{all.at("ranks").get<int>(), all.at("nodes").get<int>(), {}};
    if (found.ranks < 1 || found.ranks > Case::kMostRanks || found.nodes < 1 ||
        found.nodes > found.ranks)
      bad_configuration("out of range");
    where = "rows";
    const json& rows = all.at("rows");
    for (std::size_t i = 0; i < rows.size(); ++i) {
      where = fmt::format("rows[{}]", i);
      found.rows.push_back(parse_row(rows.at(i), found.ranks));
    }
    return found;
  } catch (const json::exception& error) {
    bad_configuration(
        fmt::format("{}: not what `tutti bench --json` writes: {:.200}", where, error.what()));
  } catch (const Error& error) {
    throw Error(error.code, fmt::format("{}: {}", where, error.message));
  }
}

}  // namespace tutti::tools
