// Writes drawings in the formats of other programs: GOAL, Chrome trace, Graphviz.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "models/platform/json_text.hpp"
#include "tools/draw/picture.hpp"

namespace tutti::tools {
namespace {

using collectives::Schedule;
using collectives::Step;
using collectives::StepId;
using collectives::StepKind;

// A receive that combines is two operations, of which others wait for the second.
std::string goal_of_rank(const Schedule& schedule, double reduce_per_byte, double copy_per_byte) {
  std::string text = fmt::format("rank {} {{\n", schedule.rank), requires_lines;
  const auto calc = [](const Step& step, double per_byte) {
    return std::llround(1000 * per_byte * static_cast<double>(length_of(step)));
  };
  for (StepId id = 0; id < schedule.steps.size(); ++id) {
    const Step& step = schedule.steps[id];
    std::string name = fmt::format("l{}", id + 1);
    switch (step.kind) {
      case StepKind::send:
        text += fmt::format("{}: send {}b to {} tag {}\n", name, length_of(step), step.peer,
                            step.ordinal);
        break;
      case StepKind::recv:
        text += fmt::format("{}: recv {}b from {} tag {}\n", name, length_of(step), step.peer,
                            step.ordinal);
        break;
      case StepKind::recv_reduce:
        text += fmt::format("{0}r: recv {1}b from {2} tag {3}\n{0}: calc {4}\n", name,
                            length_of(step), step.peer, step.ordinal, calc(step, reduce_per_byte));
        requires_lines += fmt::format("{0} requires {0}r\n", name);
        break;
      case StepKind::copy:
        text += fmt::format("{}: calc {}\n", name, calc(step, copy_per_byte));
        break;
      case StepKind::reduce:
        text += fmt::format("{}: calc {}\n", name, calc(step, reduce_per_byte));
        break;
    }
    for (const StepId next : schedule.successors_of(id))
      requires_lines +=
          fmt::format("l{}{} requires {}\n", next + 1,
                      schedule.steps[next].kind == StepKind::recv_reduce ? "r" : "", name);
  }
  return text + requires_lines + "}\n";
}

}  // namespace

std::string goal_of(const Drawn& what, double reduce_per_byte, double copy_per_byte) {
  std::string text = fmt::format("// {}\nnum_ranks {}\n", what.title, what.schedules.size());
  for (const Schedule& schedule : what.schedules)
    text += "\n" + goal_of_rank(schedule, reduce_per_byte, copy_per_byte);
  return text;
}

std::string chrome_of(const Chart& chart) {
  using nlohmann::json;
  json events = json::array();
  const auto event = [&](const char* phase, Rank rank, double time) -> json& {
    events.push_back({{"ph", phase}, {"pid", 0}, {"tid", rank}, {"ts", time}});
    return events.back();
  };
  for (Rank rank = 0; rank < chart.P; ++rank)
    event("M", rank, 0)
        .update({{"name", "thread_name"}, {"args", {{"name", fmt::format("rank {}", rank)}}}});
  for (const Chart::Bar& bar : chart.bars) {
    std::string name{name_of(bar.kind)};
    if (bar.peer >= 0)
      name += fmt::format(" {} {}", bar.kind == StepKind::send ? "to" : "from", bar.peer);
    event("X", bar.rank, bar.begin)
        .update({{"name", name},
                 {"cat", name_of(bar.kind)},
                 {"dur", bar.end - bar.begin},
                 {"args", {{"bytes", bar.bytes}, {"critical", bar.critical}}}});
  }
  int id = 0;
  for (const Chart::Message& message : chart.messages) {
    const json flow = {{"name", "message"}, {"cat", "message"}, {"id", ++id}};
    event("s", message.from, message.left).update(flow);
    json& arrival = event("f", message.to, message.arrived);
    arrival.update(flow);
    arrival["bp"] = "e";
  }
  return models::json_text(json{{"traceEvents", events},
                                {"displayTimeUnit", "ns"},
                                {"otherData", {{"title", chart.title}}}}) +
         "\n";
}

std::string dot_of_tree(const Drawn& what) {
  const MessageTree tree = tree_of(what);
  std::string text = fmt::format("digraph \"{}\" {{\n  node [shape=circle];\n", what.title);
  if (tree.upwards) text += "  edge [dir=back];\n";
  text += fmt::format("  {} [penwidth=2];\n", tree.root);
  for (Rank rank = 0; rank < static_cast<Rank>(tree.children.size()); ++rank) {
    int order = 0;
    for (const Rank child : tree.children[index(rank)])
      text += fmt::format("  {} -> {} [label=\"{}\"];\n", rank, child, ++order);
  }
  return text + "}\n";
}

std::string dot_of_steps(const Drawn& what) {
  std::string text = fmt::format(
      "digraph \"{}\" {{\n  rankdir=LR;\n  node [shape=box, fontsize=10];\n", what.title);
  for (const Schedule& schedule : what.schedules) {
    text += fmt::format("  subgraph cluster_{0} {{\n    label=\"rank {0}\";\n", schedule.rank);
    for (StepId id = 0; id < schedule.steps.size(); ++id) {
      const Step& step = schedule.steps[id];
      const bool join = step.kind == StepKind::copy && length_of(step) == 0;
      text += fmt::format("    r{}s{} [label=\"{}\\n{} B\"];\n", schedule.rank, id,
                          join ? "join" : name_of(step.kind), length_of(step));
    }
    for (StepId id = 0; id < schedule.steps.size(); ++id)
      for (const StepId next : schedule.successors_of(id))
        text += fmt::format("    r{0}s{1} -> r{0}s{2};\n", schedule.rank, id, next);
    text += "  }\n";
  }
  // Both ends count a message alike, so each send finds its receive.
  for (const Schedule& schedule : what.schedules)
    for (StepId id = 0; id < schedule.steps.size(); ++id) {
      const Step& send = schedule.steps[id];
      if (send.kind != StepKind::send) continue;
      const auto& steps = what.schedules[index(send.peer)].steps;
      for (StepId other = 0; other < steps.size(); ++other)
        if (collectives::receives(steps[other].kind) && steps[other].peer == schedule.rank &&
            steps[other].ordinal == send.ordinal)
          text += fmt::format("  r{}s{} -> r{}s{} [color=\"#d1245b\"];\n", schedule.rank, id,
                              send.peer, other);
    }
  return text + "}\n";
}

}  // namespace tutti::tools
