// `tutti bench`: what is to be measured, as its command line says it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "tools/bench/bench.hpp"
#include "tools/command_line.hpp"
#include "tools/commands.hpp"
#include "tools/passed_over.hpp"

namespace tutti::tools {
namespace {

// Choices by name, until all options are read.
struct Words {
  std::string side = type_sides().front(), form{kCallForms.front()}, v_form;
};

void add_points(const Command& command, BenchOptions* options) {
  const std::vector<std::string> names = collectives_to_measure();
  std::vector<std::string> allowed = names;
  allowed.emplace_back("all");
  command
      .collectives(
          options->collectives,
          fmt::format("{}, or all (default: barrier,bcast,allgather,allreduce; with --type all "
                      "that move data)",
                      fmt::join(names, ", ")))
      .one_of(allowed);
  command
      .option("-m,--bytes", options->sizes,
              "sizes in bytes, such as 8,1k,64k,1M (default: times four from --min to --max)")
      .comma_separated();
  command.older_name("--sizes", options->sizes);
  command.option("--min", options->least, "smallest size").show_default();
  command.option("--max", options->most, "largest size").show_default();
  command.option("--root", options->root, "root of the rooted collectives").show_default();
}

void add_effort(const Command& command, BenchOptions* options) {
  command
      .option("--repetitions", options->repetitions, "batches of calls for each library and point")
      .show_default()
      .between(5, 10000);
  command.option("--time-limit", options->seconds, "seconds at most for each library and point")
      .show_default()
      .between(0.001, 3600.0);
  command
      .option("--first", options->first,
              "time this many first calls on fresh connections, and later batches of as many")
      .between(1, 1'000'000);
  command.flag("--check,!--no-check", options->check, "check results before timing (default)");
  command.flag("!--no-mpi", options->with_mpi, "leave the surrounding MPI out");
}

void add_buffers_and_forms(const Command& command, BenchOptions* options, Words* words) {
  const Option type = command.option(
      "--type", options->type.constructor,
      fmt::format("buffers of a derived datatype: {}; a third column has the time without gaps",
                  fmt::join(type_constructors(), ", ")));
  type.one_of(type_constructors());
  command.option("--piece", options->type.piece, "bytes between two gaps of --type")
      .show_default()
      .between(1, 1 << 20)
      .only_with(type);
  command
      .option("--type-side", words->side,
              fmt::format("where the datatype is: {}", fmt::join(type_sides(), ", ")))
      .show_default()
      .one_of(type_sides())
      .only_with(type);
  command
      .option("--form", words->form,
              fmt::format("which form of the calls: {}; a third column has the blocking one",
                          fmt::join(kCallForms, ", ")))
      .show_default()
      .one_of({kCallForms.begin(), kCallForms.end()});
  command
      .option("--v-forms", words->v_form,
              fmt::format("scatterv, gatherv, allgatherv, alltoallv instead, with blocks that are "
                          "{} (the last two: the last rank's first)",
                          fmt::join(v_forms(), ", ")))
      .one_of(v_forms());
}

void add_ways_to_time(const Command& command, BenchOptions* options) {
  command.flag(
      "--overlap", options->overlap,
      "how much of a non-blocking call is hidden behind a computation as long as the call: "
      "without a call meanwhile, and with some tests (TUTTI_PROGRESS=thread: by a thread)");
  command.flag("--cold", options->cold,
               "calls are timed one by one, and each has fresh buffers, at other addresses");
  command
      .option("--late", options->late,
              "calls are timed one by one, from when a rank arrives that comes late by so many "
              "times what a call takes; the ranks do so in turn")
      .between(0.0, 1000.0);
}

void take(const Words& words, BenchOptions* options) {
  const auto place = [](const auto& names, const std::string& name) {
    return std::ranges::find(names, name) - names.begin();
  };
  options->form = static_cast<CallForm>(place(kCallForms, words.form));
  if (!words.v_form.empty())
    options->v_form = static_cast<VForm>(place(v_forms(), words.v_form) + 1);
  options->type.side = static_cast<TypeSide>(place(type_sides(), words.side));
}

}  // namespace

void add_bench(CommandLine& line) {
  const auto options = std::make_shared<BenchOptions>();
  const auto words = std::make_shared<Words>();
  const Command command = line.command("bench",
                                       "under mpiexec: Tutti and the surrounding MPI, in turn in "
                                       "one run, each result checked before it is timed");
  add_points(command, options.get());
  add_effort(command, options.get());
  add_buffers_and_forms(command, options.get(), words.get());
  add_ways_to_time(command, options.get());
  command.flag("--raw", options->raw,
               "also plain RDMA writes between ranks 0 and 1, as a floor to judge by");
  command.flag(
      "--kernels", options->kernels,
      "operations instead of collectives: each on each type, here and by MPI_Reduce_local");
  command.option("--json", options->json, "write everything to this file");
  command.option(kPictureFile, options->svg, "draw a picture into this file").picture();
  command.footer(
      "Example:\n  mpiexec -n 2 tutti bench --collective allgather --max 64k --svg allgather.svg");
  command.runs([command, options, words] {
    if (!options->sizes.empty())
      refuse_given(command, {"--min", "--max"}, "sizes by default, not with --bytes");
    take(*words, options.get());
    return run_bench(*options);
  });
}

}  // namespace tutti::tools
