// `tutti list`: the algorithms, with what they cost, counted in their schedules.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "collectives/applicability.hpp"
#include "collectives/costs.hpp"
#include "collectives/selection/rules.hpp"
#include "tools/commands.hpp"

namespace tutti::tools {
namespace {

using collectives::Algorithm;
using collectives::Collective;

std::string parameters_of(const Algorithm& a) {
  std::string text;
  const auto add = [&](const char* parameter) { text += fmt::format("{}{}", text.empty() ? "" : ",", parameter); };
  if (a.has_k) add("k=1");
  if (a.has_segment) add("segment=0");
  if (a.has_levels) add("within=NAME,across=NAME");
  return text.empty() ? text : "(" + text + ")";
}

void print_one(const Algorithm& a) {
  const auto costs = collectives::formulas(a, {});
  fmt::print("{} {}{}\n", name_of(a.collective), a.name, parameters_of(a));
  fmt::print("    {}  [{}]\n", a.summary, a.paper);
  const auto conditions = collectives::conditions_of(a);
  fmt::print("    applies {}{}\n", conditions.empty() ? "always" : "if ", fmt::join(conditions, "; "));
  fmt::print("    rounds {}; messages {}", costs.rounds, costs.messages);
  if (a.collective != Collective::barrier) fmt::print("; most sent by a rank {}; scratch {}", costs.sent, costs.scratch);
  if (a.has_k) {
    const auto three = collectives::formulas(a, {.k = 3, .segment = 0});
    fmt::print("\n    k=3: rounds {}; messages {}", three.rounds, three.messages);
    if (a.collective != Collective::barrier) fmt::print("; most sent by a rank {}; scratch {}", three.sent, three.scratch);
  }
  fmt::print("\n");
}

}  // namespace

void add_list(CLI::App& app, Run* run) {
  struct Arguments {
    std::string collective;
    bool json = false, schema = false;
  };
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("list", "every algorithm: parameters, where it applies, the paper, and what it costs");
  command->add_option("--collective", arguments->collective, "only this collective");
  command->add_flag("--json", arguments->json, "as JSON");
  command->add_flag("--schema", arguments->schema, "the JSON schema of a table of algorithms (setting `table`)");
  command->footer(
      "Costs are counted in the schedules for P = 2 to 33 and named by the function of P that gives the same numbers. m: bytes of a rank's "
      "block\n"
      "(scatter, gather, allgather, alltoall, reduce_scatter), else of the message. A round is a message that waits for another.\n"
      "Force an algorithm with TUTTI_ALGORITHM=\"allgather=bruck(k=3);bcast=chain(segment=64k)\".");
  command->callback([arguments, run] {
    *run = [arguments] {
      if (arguments->schema) {
        fmt::print("{}", collectives::table_schema());
        return 0;
      }
      if (!arguments->collective.empty() && !collectives::collective_named(arguments->collective))
        throw Error(Code::bad_configuration, fmt::format("there is no collective '{}'", arguments->collective));
      nlohmann::json all = nlohmann::json::array();
      for (const Algorithm& a : collectives::algorithms()) {
        if (!arguments->collective.empty() && arguments->collective != name_of(a.collective)) continue;
        if (!arguments->json) {
          print_one(a);
          continue;
        }
        const auto costs = collectives::formulas(a, {});
        const auto conditions = collectives::conditions_of(a);
        all.push_back({{"collective", name_of(a.collective)},
                       {"algorithm", a.name},
                       {"summary", a.summary},
                       {"paper", a.paper},
                       {"limits", fmt::format("{}", fmt::join(conditions, "; "))},
                       {"conditions", conditions},
                       {"k", a.has_k},
                       {"segment", a.has_segment},
                       {"levels", a.has_levels},
                       {"rounds", costs.rounds},
                       {"messages", costs.messages},
                       {"sent", costs.sent},
                       {"scratch", costs.scratch}});
      }
      if (arguments->json) fmt::print("{}\n", all.dump(2));
      return 0;
    };
  });
}

}  // namespace tutti::tools
