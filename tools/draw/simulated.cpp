// Makes a chart from a simulation.
#include <fmt/format.h>

#include <utility>

#include "base/error.hpp"
#include "tools/draw/picture.hpp"

namespace tutti::tools {

using collectives::StepKind;

Chart chart_of(const models::Result& result, std::vector<int> node, const std::string& note) {
  if (result.bars.size() > kMostBars)
    throw Error(Code::bad_configuration,
                fmt::format("it has {} steps, and a picture at most {}; take fewer ranks",
                            result.bars.size(), kMostBars));
  Chart chart{.note = note, .P = static_cast<int>(node.size()), .time = result.time};
  chart.node = std::move(node);
  std::vector<bool> critical(result.bars.size());
  for (const std::size_t i : result.critical_path) critical[i] = true;
  chart.bars.reserve(result.bars.size());
  for (std::size_t i = 0; i < result.bars.size(); ++i) {
    const models::Bar& bar = result.bars[i];
    const double port = bar.kind == StepKind::send ? bar.turn : 0;
    chart.bars.push_back(
        {bar.rank, bar.peer, bar.kind, bar.bytes, bar.begin, bar.busy, port, critical[i]});
    if (bar.from < 0) continue;
    const auto from = static_cast<std::size_t>(bar.from);
    const models::Bar& send = result.bars[from];
    chart.messages.push_back({send.rank, bar.rank, send.busy, bar.arrived,
                              critical[i] && critical[from] && bar.arrived == bar.begin});
  }
  return chart;
}

}  // namespace tutti::tools
