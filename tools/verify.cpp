// `tutti verify`: runs the proof matrix and says what it proved.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "collectives/analysis/proof.hpp"
#include "collectives/selection/choices.hpp"
#include "models/platform/json_text.hpp"
#include "tools/command_line.hpp"
#include "tools/commands.hpp"
#include "tools/mapping.hpp"
#include "tools/parameters.hpp"
#include "tools/progress_bar.hpp"
#include "tools/text.hpp"
#include "tools/verify_choices.hpp"
#include "tools/verify_interleaved.hpp"

namespace tutti::tools {
namespace {

using collectives::Collective;
using collectives::ProofRow;

std::optional<Collective> collective_or_all(const std::string& name) {
  if (name.empty()) return std::nullopt;
  return collectives::read_collective(name);
}

int print(const std::vector<ProofRow>& rows, bool json) {
  std::size_t cases = 0, violations = 0;
  nlohmann::json out = nlohmann::json::array();
  if (!json)
    fmt::print("{:<14} {:<26} {:>7} {:>8} {:>7}  {}\n", "collective", "algorithm", "proved",
               "skipped", "CPU s", "varied");
  for (const ProofRow& row : rows) {
    cases += row.cases;
    violations += row.violations;
    if (json)
      out.push_back({{"collective", name_of(row.collective)},
                     {"algorithm", row.algorithm},
                     {"parameters", row.parameters},
                     {"cases", row.cases},
                     {"skipped", row.skipped},
                     {"P", row.P},
                     {"violations", row.violations},
                     {"first_violation", row.first_violation},
                     {"seconds", row.seconds}});
    else
      fmt::print("{:<14} {:<26} {:>7} {:>8} {:>7.2f}  {}\n", name_of(row.collective), row.algorithm,
                 row.cases - row.violations, row.skipped, row.seconds, row.parameters);
  }
  if (json) {
    fmt::print("{}\n", models::json_text(out, 2));
    return violations != 0;
  }
  for (const ProofRow& row : rows)
    if (row.violations != 0)
      fmt::print("\n{} {}: {} violations; the first:\n  {}\n", name_of(row.collective),
                 row.algorithm, row.violations, row.first_violation);
  if (!rows.empty()) fmt::print("\nP = {}\n", ranges_text(rows.front().P));
  fmt::print(
      "{} cases: in each, every rank's result is right, every message meets its receive, nothing "
      "deadlocks (rendezvous; eager with one "
      "credit), and no two unordered steps touch the same "
      "bytes: {}\n",
      cases, violations == 0 ? "proved" : fmt::format("VIOLATED in {}", violations));
  return violations != 0;
}

struct VerifyArguments {
  std::string collective, algorithm;
  std::vector<int> P;
  int threads = 0;
  bool json = false, quick = false, choices = false, interleaved = false;
  ChoicesOptions choice;
};

int verify(VerifyArguments arguments) {
  if (arguments.choices) {
    arguments.choice.collective = collective_or_all(arguments.collective);
    arguments.choice.json = arguments.json;
    return verify_choices(arguments.choice);
  }
  if (arguments.interleaved) {
    collectives::InterleavedOptions interleaved;
    interleaved.collective = collective_or_all(arguments.collective);
    interleaved.algorithm = arguments.algorithm;
    interleaved.P = arguments.P;
    interleaved.quick = arguments.quick;
    interleaved.threads = arguments.threads;
    return verify_interleaved(std::move(interleaved), arguments.json);
  }
  collectives::ProofOptions options;
  options.collective = collective_or_all(arguments.collective);
  options.algorithm = arguments.algorithm;
  options.P = arguments.P;
  if (arguments.quick)
    for (int P = 1; P <= 33; P += P < 17 ? 1 : 16) options.P.push_back(P);
  options.threads = arguments.threads;
  ProgressBar bar("proving");
  options.progress = [&](std::size_t done, std::size_t total) { bar.show(done, total); };
  const auto rows = collectives::prove(options);
  if (rows.empty())
    throw Error(Code::unknown_algorithm,
                fmt::format("there is no algorithm '{}' here; `tutti list` names them",
                            arguments.algorithm));
  return print(rows, arguments.json);
}

// The options of --choices, which mean nothing without it.
void add_choices(const Command& command, const Option& choices, ChoicesOptions& choice) {
  command
      .option("--params", choice.params,
              fmt::format("with --choices: {}; several, or all of Tutti's own and the papers'",
                          kParametersAre))
      .comma_separated()
      .show_default()
      .only_with(choices);
  command
      .option("--nodes", choice.nodes,
              fmt::format("with --choices: numbers of nodes, for up to {} ranks in all",
                          kMostRanksJudged))
      .comma_separated()
      .between(1, 4096)
      .show_default()
      .only_with(choices);
  command.option("--ppn", choice.ranks_per_node, "with --choices: ranks of each node")
      .comma_separated()
      .between(1, 1024)
      .show_default()
      .only_with(choices);
  command.option("-m,--bytes", choice.sizes, "with --choices: sizes of a message or of a block")
      .comma_separated()
      .show_default()
      .only_with(choices);
  command
      .option("--mapping", choice.layouts,
              "with --choices: which ranks share a node: blocks, in-turn, shuffled, "
              "shuffled:SEED")
      .comma_separated()
      .show_default()
      .only_with(choices);
  command.older_name("--layout", choice.layouts).only_with(choices);
  command
      .flag("--all-parameters", choice.all_parameters,
            "with --choices: algorithms with all parameters that Tutti tries, not only the best")
      .only_with(choices);
  command.option("--sockets", choice.sockets, std::string("with --choices: ") + kSocketsAre)
      .between(1, 1 << 10)
      .show_default()
      .only_with(choices);
}

}  // namespace

void add_verify(CommandLine& line) {
  auto arguments = std::make_shared<VerifyArguments>();
  const Command command = line.command("verify",
                                       "prove every algorithm: for each P, root, parameter and "
                                       "size, by following where each byte comes from");
  command.collective(arguments->collective, "only this collective");
  const Option choices =
      command.flag("--choices", arguments->choices,
                   "instead of proofs: hold what is chosen against the simulator, and print each "
                   "cell where another candidate is faster");
  command.option("--algorithm", arguments->algorithm, "only the algorithm of this name")
      .never_with(choices);
  command
      .option("-P,--ranks", arguments->P,
              "only these P (default: 1-33, 64, 127, 128, 129, 257, 1000)")
      .comma_separated()
      .between(1, 4096)
      .never_with(choices);
  command.option("--threads", arguments->threads, "threads (default: one for each core)")
      .between(0, 1024)
      .never_with(choices);
  command
      .flag("--quick", arguments->quick,
            "P up to 17 and 33 only; with --interleaved up to 4, and some of all pairs")
      .never_with(choices);
  command.flag("--json", arguments->json, "rows as JSON");
  command
      .flag("--interleaved", arguments->interleaved,
            "two and three calls under way at once, in every order of progress, over channels "
            "of one slot and one credit; P up to 8")
      .never_with(choices);
  add_choices(command, choices, arguments->choice);
  command.footer(
      "Examples:\n"
      "  tutti verify --quick                        every algorithm, for few P\n"
      "  tutti verify --algorithm bruck              one, for every P, root and parameter\n"
      "  tutti verify --interleaved --quick          several calls at once, some seconds\n"
      "  tutti verify --choices --collective bcast   what is chosen, against the best candidate");
  command.runs([arguments] { return verify(std::move(*arguments)); });
}

}  // namespace tutti::tools
