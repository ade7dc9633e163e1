// `tutti run`: starts an MPI program that does not know Tutti, with the drop-in preloaded.
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>

#include "base/error.hpp"
#include "base/nearest.hpp"
#include "base/text.hpp"
#include "src/drop-in/names.hpp"
#include "tools/command_line.hpp"
#include "tools/commands.hpp"
#include "tools/program_file.hpp"

namespace tutti::tools {
namespace {

namespace fs = std::filesystem;

struct RunOptions {
  int ranks = 0;
  std::optional<std::string> stats;
  std::string mpi, only, launcher;
  std::vector<std::string> program;
};

[[noreturn]] void cannot(const std::string& why) { throw Error(Code::bad_configuration, why); }

// As long as the words live.
std::vector<char*> arguments_for_exec(const std::vector<std::string>& words) {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  return arguments;
}

// The standard output of a command; its standard error goes nowhere. No shell reads
// its words.
std::string output_of(const std::vector<std::string>& words) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) cannot(fmt::format("no pipe: {}", std::strerror(errno)));
  const pid_t child = fork();
  if (child < 0) cannot(fmt::format("no process: {}", std::strerror(errno)));
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    if (const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC); nowhere >= 0)
      dup2(nowhere, STDERR_FILENO);
    close(ends[0]);
    execvp(words[0].c_str(), arguments_for_exec(words).data());
    _exit(127);
  }
  close(ends[1]);
  std::string text;
  std::array<char, 4096> some;
  for (ssize_t got = 0; (got = read(ends[0], some.data(), some.size())) > 0;)
    text.append(some.data(), static_cast<std::size_t>(got));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return text;
}

// mpich or openmpi, by the libraries that a file needs; empty: neither.
std::string family_of(const fs::path& file) {
  const std::string libraries = output_of({"ldd", file.string()});
  if (libraries.find("libmpich.so") != std::string::npos ||
      libraries.find("libmpi.so.12") != std::string::npos)
    return "mpich";
  if (libraries.find("libmpi.so.40") != std::string::npos) return "openmpi";
  return "";
}

// A program in Python has no MPI before it loads mpi4py.
std::string family_of_mpi4py(const std::string& python) {
  std::string file =
      output_of({python, "-c",
                 "import mpi4py.rc; mpi4py.rc.initialize = False; from mpi4py import MPI; "
                 "print(MPI.__file__)"});
  while (!file.empty() && file.back() == '\n') file.pop_back();
  return file.empty() ? "" : family_of(file);
}

// The drop-in for the program's MPI, or why the program runs without.
struct Preload {
  std::string family;  // mpich or openmpi; empty: unknown
  fs::path library;    // empty: none
  std::string why_none;
};

// Beside the program, in a build, or in the folder for libraries.
Preload preload_of(const std::string& family) {
  std::array<char, PATH_MAX> self{};
  if (readlink("/proc/self/exe", self.data(), self.size() - 1) < 0)
    cannot("the path of tutti cannot be read");
  const fs::path folder = fs::path(self.data()).parent_path();
  const std::string name = fmt::format("libtutti-mpi-{}.so", family);
  const fs::path installed = (folder / ".." / TUTTI_LIBDIR).lexically_normal();
  for (const fs::path& candidate : {folder / ".." / name, installed / name})
    if (fs::exists(candidate)) return {family, fs::canonical(candidate), {}};
  return {family,
          {},
          fmt::format("its MPI is {0}, and there is no {1} in {2}; start the program with the "
                      "tutti of a build for {0} (-Dmpi={0}), or install that build's package",
                      family, name, installed.string())};
}

Preload preload_for(const RunOptions& options, const ProgramFile& program) {
  if (!options.mpi.empty()) return preload_of(options.mpi);
  const std::string path = program.path.string();
  if (program.kind == ProgramFile::fixed)
    return {{},
            {},
            fmt::format("{} is linked statically: nothing can be preloaded into it; if it starts "
                        "programs that are not, name their MPI with --mpi",
                        path)};
  std::string family = program.kind == ProgramFile::script ? "" : family_of(program.path);
  const std::string python = program.kind == ProgramFile::script ? program.interpreter : path;
  if (family.empty() && fs::path(python).filename().string().starts_with("python"))
    family = family_of_mpi4py(python);
  if (!family.empty()) return preload_of(family);
  const std::string why =
      program.kind == ProgramFile::script
          ? fmt::format("is a script for {}, which needs no MPI library", program.interpreter)
          : "needs no MPI library that Tutti knows";
  return {
      {},
      {},
      fmt::format("{} {}; if it loads one later, or starts a program that does, name it with --mpi",
                  path, why)};
}

// The collectives that --only lists; a misspelt one would be run by the MPI without a word.
void check_names(std::string_view list) {
  if (const std::string why = drop_in::why_no_list(list); !why.empty()) cannot("--only: " + why);
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  while (!(text = trimmed(text)).empty()) {
    const auto end = std::min(text.find(' '), text.size());
    words.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return words;
}

// Variables for the ranks alone.
std::vector<std::string> settings_for(const RunOptions& options, const Preload& preload) {
  std::vector<std::string> settings;
  if (preload.library.empty()) return settings;
  const char* const other = std::getenv("LD_PRELOAD");
  settings.push_back(fmt::format("LD_PRELOAD={}{}", preload.library.string(),
                                 other && *other ? fmt::format(":{}", other) : ""));
  if (options.stats)
    settings.push_back(
        fmt::format("TUTTI_STATS={}", options.stats->empty() ? "1" : *options.stats));
  if (!options.only.empty()) settings.push_back(fmt::format("TUTTI_ONLY={}", options.only));
  return settings;
}

// The words that start the job. env(1) sets variables: launchers have options of their own for
// that, all of them different. A program of an unknown MPI is started by that of this Tutti.
std::vector<std::string> command_for(const RunOptions& options, const Preload& preload) {
  std::vector<std::string> words = words_of(options.launcher);
  if (words.empty()) {
    words = {fmt::format("mpiexec.{}", preload.family.empty() ? TUTTI_MPI_FAMILY : preload.family)};
    if (find_program(words[0]).empty()) words = {"mpiexec"};
  }
  if (options.ranks > 0) words.insert(words.end(), {"-n", std::to_string(options.ranks)});
  if (const auto settings = settings_for(options, preload); !settings.empty()) {
    words.emplace_back("env");
    words.insert(words.end(), settings.begin(), settings.end());
    if (options.program.front().find('=') != std::string::npos)  // env would set that variable
      words.insert(words.end(), {"sh", "-c", R"(exec "$0" "$@")"});
  }
  words.insert(words.end(), options.program.begin(), options.program.end());
  return words;
}

bool wants_statistics(const RunOptions& options) {
  const char* const setting = std::getenv("TUTTI_STATS");
  const std::string_view stats = options.stats ? "1" : setting ? setting : "";
  return !stats.empty() && stats != "0";
}

// The drop-in knows calls of the program's Tutti by the library that they come from.
void warn_of_static_tutti(const ProgramFile& program) {
  if (program.holds_tutti)
    fmt::print(stderr,
               "tutti: warning: {} is linked to a static Tutti: the statistics count the MPI calls "
               "by which that one exchanges addresses as the program's, and its collectives not at "
               "all; linked to libtutti.so, they count neither\n",
               program.path.string());
}

int run(const RunOptions& options) {
  check_names(options.only);
  const ProgramFile program = program_file(options.program.front());
  const Preload preload = preload_for(options, program);
  if (preload.library.empty())
    fmt::print(stderr, "tutti: the program runs without Tutti: {}\n", preload.why_none);
  else if (wants_statistics(options))
    warn_of_static_tutti(program);
  const auto words = command_for(options, preload);
  execvp(words[0].c_str(), arguments_for_exec(words).data());
  cannot(fmt::format("cannot start {}: {}", words[0], std::strerror(errno)));
}

}  // namespace

void add_run(CommandLine& line) {
  auto options = std::make_shared<RunOptions>();
  const Command command = line.command("run", "run an MPI program with Tutti's collectives");
  command.option("-n,--ranks", options->ranks, "ranks of the job").between(1, INT_MAX);
  command.option("--stats", options->stats,
                 "at the end, print what rank 0 has called; a file: write it there as JSON, too",
                 "FILE");
  command.option("--only", options->only, "the collectives that Tutti runs: allreduce,bcast,…");
  command.option("--mpi", options->mpi, "the program's MPI, if its libraries do not show it")
      .one_of({"mpich", "openmpi"});
  command.option(
      "--launcher", options->launcher,
      "the program that starts jobs, and options of its own, instead of that MPI's mpiexec: "
      "\"srun --mpi=pmix\"");
  command.option("program", options->program, "the program and its arguments, after --").required();
  command.footer("Example: tutti run --stats -n 4 -- ./program its arguments");
  command.runs([options] { return run(*options); });
}

}  // namespace tutti::tools
