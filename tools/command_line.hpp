// The command line of the program: commands, and what each takes. CLI11 reads it, which only
// command_line.cpp includes, as its headers take the compiler longer than any command does.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace tutti::tools {

// Properties of an option, set once it is there. Each function returns the option itself.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}
  const Option& required() const;
  const Option& comma_separated() const;
  const Option& show_default() const;  // in the help; the variable's value at this time
  const Option& one_of(const std::vector<std::string>& words) const;
  // Refuses the names of files that programs would take for other pictures than SVG.
  const Option& picture() const;
  const Option& between(int least, int most) const;
  const Option& between(double least, double most) const;
  const Option& not_negative() const;
  // Refuses this option where the other one is not given, or is.
  const Option& only_with(const Option& other) const;
  const Option& never_with(const Option& other) const;

 private:
  CLI::Option* option_;
};

// The variables must live until the command has run. `names`: "-P,--ranks", or without dashes the
// name of a positional argument. An option that takes several values has commas between them, or
// comes several times.
class Command {
 public:
  using Run = std::function<int()>;  // returns the exit status

  Command(CLI::App* app, Run* run) : app_(app), run_(run) {}
  Option option(const std::string& names, std::string& into, const std::string& text) const;
  Option option(const std::string& names, int& into, const std::string& text) const;
  Option option(const std::string& names, long long& into, const std::string& text) const;
  Option option(const std::string& names, std::uint64_t& into, const std::string& text) const;
  // A decimal number; NaN and infinity are refused.
  Option option(const std::string& names, double& into, const std::string& text) const;
  Option option(const std::string& names, std::vector<int>& into, const std::string& text) const;
  Option option(const std::string& names, std::vector<std::string>& into,
                const std::string& text) const;
  // The value may be left out: then it is empty. `value`: how the help calls it.
  Option option(const std::string& names, std::optional<std::string>& into, const std::string& text,
                const std::string& value) const;
  // The collective that the command is about, or several: its words, or --collective, alike in all
  // commands. One collective that is named twice is the same both times.
  Option collective(std::string& into, const std::string& text) const;
  Option collectives(std::vector<std::string>& into, const std::string& text) const;
  // An older name of an option: it works, and no help has it.
  Option older_name(const std::string& name, std::string& into) const;
  Option older_name(const std::string& name, std::vector<std::string>& into) const;  // with commas
  // "!--no-x" sets it to false.
  Option flag(const std::string& names, bool& into, const std::string& text) const;
  // Whether the command line gives this option, by any of its names: "--root".
  bool has(const std::string& name) const;
  void footer(const std::string& text) const;  // at the end of its help
  void runs(Run run) const;                    // if the command line names this command

 private:
  CLI::App* app_;
  Run* run_;
};

// The option that names the file for a picture, alike in all commands.
inline constexpr const char* kPictureFile = "-o,--output,--svg";

// The command line cannot be read, and why.
struct BadUsage : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class CommandLine {
 public:
  CommandLine(const std::string& program, const std::string& text, const std::string& version,
              const std::string& footer);
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;
  ~CommandLine();
  Command command(const std::string& name, const std::string& text);
  // Runs the command that the arguments name. Returns the exit status. Throws BadUsage: they cannot
  // be read; and what the command throws.
  int run(int argc, char** argv);

 private:
  void must_be_a_command(const std::string& word) const;
  // A message about arguments that the command does not take; empty: there are no such arguments.
  std::string unknown_arguments(std::span<char* const> words) const;

  std::unique_ptr<CLI::App> app_;
  Command::Run run_;
};

}  // namespace tutti::tools
