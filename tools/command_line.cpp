// Declares commands and options to CLI11, and words its errors.
#include "tools/command_line.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <span>
#include <sstream>
#include <string_view>
#include <sys/ioctl.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "base/nearest.hpp"
#include "base/text.hpp"
#include "tools/first_rank.hpp"
#include "tools/text.hpp"

namespace tutti::tools {
namespace {

// CLI11 reads "nan" and "inf" as numbers, and its bounds let NaN pass: no comparison is true of it.
std::string why_no_decimal(const std::string& text) {
  return parse_decimal(text) ? std::string() : "'" + text + "' is not a decimal number";
}

// Columns of a help: those of the terminal, if it is narrower than a page.
std::size_t columns_of_help() {
  constexpr std::size_t kPage = 100, kLeast = 60;
  winsize terminal{};
  if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &terminal) != 0) return kPage;
  return std::clamp<std::size_t>(terminal.ws_col, kLeast, kPage);
}

// CLI11 ends no lines by itself.
class Wrapped : public CLI::Formatter {
 public:
  std::string make_description(const CLI::App* app) const override {
    return paragraph(app->get_description(), 0, 0, columns_);
  }
  std::string make_option(const CLI::Option* option, bool positional) const override {
    if (positional && !option->get_lnames().empty())
      return entry(option->get_name(true, false),
                   fmt::format("the same as --{}", option->get_lnames().front()));
    return entry(without_values(make_option_name(option, positional)) + make_option_opts(option),
                 make_option_desc(option));
  }
  // Without the other options that it needs or excludes: descriptions say so. "TEXT,..." where
  // several values have commas between them.
  std::string make_option_opts(const CLI::Option* option) const override {
    std::string text = CLI::Formatter::make_option_opts(option);
    for (const char* others : {" Needs: ", " Excludes: "})
      text.resize(std::min(text.size(), text.find(others)));
    constexpr std::string_view kSeveral = " ...";
    const auto several = text.rfind(kSeveral);
    if (!option->get_lnames().empty() && several != text.npos)
      text.replace(several, kSeveral.size(), option->get_delimiter() == ',' ? ",..." : "");
    return text;
  }
  std::string make_subcommand(const CLI::App* command) const override {
    return entry(command->get_display_name(), command->get_description());
  }

 private:
  // CLI11 names the value of a flag that switches off: "--no-mpi{false}".
  static std::string without_values(std::string names) {
    for (std::size_t at; (at = names.find("{false}")) != std::string::npos;) names.erase(at, 7);
    return names;
  }
  // The description begins in its column, on a line of its own behind a long name.
  std::string entry(const std::string& name, const std::string& description) const {
    const std::size_t begin = get_column_width();
    const std::string names = paragraph(name, 6, 2, columns_);
    const std::string text = paragraph(description, begin, begin, columns_);
    if (letters_of(names) > begin) return names + text;
    return names.substr(0, names.size() - 1) +
           text.substr(std::min(text.size(), letters_of(names) - 1));
  }

  const std::size_t columns_ = columns_of_help();
};

// By its words, and by the option.
constexpr const char* kCollective = "collective,--collective";

// Why no collective has such a name: the second value of "-m 8 64k" comes here.
std::string why_no_collective(const std::string& text) {
  if (text.empty() || text[0] < '0' || text[0] > '9') return {};
  return fmt::format(
      "'{:.200}' is not a collective; commas separate the values of an option: 8,64k", text);
}

// The names of a command's options, as a user writes them, without those that no help has.
std::vector<std::string> names_of_options(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_group().empty()) continue;
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

// A message about "-np 4", as launchers have it, where -n takes a number: CLI11 takes "p" for it.
// Empty: there is no such word before "--".
std::string about_letters(const CLI::App& command, std::span<char* const> words) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  for (const std::string_view word : words) {
    if (word == "--") break;
    const bool letters = word.size() > 2 && word[0] == '-' && word[1] != '-' &&
                         word.find_first_not_of(kLetters, 1) == word.npos;
    for (const CLI::Option* option : command.get_options())
      for (const std::string& name : option->get_snames())
        if (letters && word.substr(1, 1) == name && option->get_type_name().starts_with("INT"))
          return fmt::format("there is no option {:.200}; did you mean -{}?", word, name);
  }
  return {};
}

// A message about a command line that has an argument which the command does not take; empty: each
// is taken. The value of an option that there is not may have been taken for something else, so
// options are named first.
std::string about_unknown_arguments(const CLI::App& command) {
  std::vector<std::string> left = command.remaining();
  left.erase(std::ranges::find(left, "--"), left.end());  // behind it stand no options
  const auto option =
      std::ranges::find_if(left, [](std::string_view word) { return word.starts_with('-'); });
  if (left.empty()) return {};
  if (option == left.end())
    return fmt::format("'{:.200}' was not expected: names of options begin with --", left.front());
  const std::string name = option->substr(0, option->find('='));
  const std::vector<std::string> names = names_of_options(command);
  const std::string_view near = nearest(name, names);
  std::string text = fmt::format("there is no option {:.200}", name);
  if (!near.empty()) text += fmt::format("; did you mean {}?", near);
  for (const CLI::Option* positional : command.get_options())
    if (positional->get_positional() && positional->get_lnames().empty() &&
        positional->get_items_expected_max() > 1)
      text += fmt::format("{} Arguments of the {} come after --", near.empty() ? "." : "",
                          positional->get_name());
  return text;
}

}  // namespace

const Option& Option::required() const {
  option_->required();
  return *this;
}
const Option& Option::comma_separated() const {
  option_->delimiter(',');
  return *this;
}
const Option& Option::show_default() const {
  option_->capture_default_str();
  return *this;
}
const Option& Option::one_of(const std::vector<std::string>& words) const {
  const auto why_none = [words](const std::string& text) {
    return std::ranges::find(words, text) != words.end() ? "" : no_such("value", text, words);
  };
  option_->check(CLI::Validator(why_none, fmt::format("{{{}}}", fmt::join(words, ","))));
  return *this;
}
const Option& Option::picture() const {
  const auto why_none = [](const std::string& file) -> std::string {
    for (const std::string_view other : {".png", ".jpg", ".jpeg", ".gif", ".pdf", ".eps"})
      if (file.ends_with(other))
        return fmt::format(
            "the picture is SVG: name its file .svg, and make {:.200} of it with "
            "rsvg-convert or Inkscape",
            file);
    return {};
  };
  option_->check(CLI::Validator(why_none, ""));
  return *this;
}
const Option& Option::between(int least, int most) const {
  const auto why_none = [least, most](const std::string& text) -> std::string {
    const auto value = parse_number(text);
    if (value && *value >= least && *value <= most) return {};
    return fmt::format("'{:.200}' is not a whole number from {} to {}", text, least, most);
  };
  option_->check(CLI::Validator(why_none, CLI::Range(least, most).get_description()));
  return *this;
}
const Option& Option::between(double least, double most) const {
  const auto why_none = [least, most](const std::string& text) -> std::string {
    const auto value = parse_decimal(text);
    if (value && *value >= least && *value <= most) return {};
    return fmt::format("'{:.200}' is not a number from {} to {}", text, least, most);
  };
  option_->check(CLI::Validator(why_none, CLI::Range(least, most).get_description()));
  return *this;
}
const Option& Option::not_negative() const {
  const auto why_none = [](const std::string& text) -> std::string {
    const auto value = parse_decimal(text);
    return value && *value >= 0 ? "" : fmt::format("'{:.200}' is not a number of 0 or more", text);
  };
  option_->check(CLI::Validator(why_none, CLI::NonNegativeNumber.get_description()));
  return *this;
}
const Option& Option::only_with(const Option& other) const {
  option_->needs(other.option_);
  return *this;
}
const Option& Option::never_with(const Option& other) const {
  option_->excludes(other.option_);
  return *this;
}

Option Command::option(const std::string& names, std::string& into, const std::string& text) const {
  return Option(app_->add_option(names, into, text));
}
Option Command::option(const std::string& names, int& into, const std::string& text) const {
  return Option(app_->add_option(names, into, text));
}
Option Command::option(const std::string& names, long long& into, const std::string& text) const {
  return Option(app_->add_option(names, into, text));
}
Option Command::option(const std::string& names, std::uint64_t& into,
                       const std::string& text) const {
  return Option(app_->add_option(names, into, text));
}
Option Command::option(const std::string& names, double& into, const std::string& text) const {
  return Option(app_->add_option(names, into, text)->check(why_no_decimal));
}
Option Command::option(const std::string& names, std::vector<int>& into,
                       const std::string& text) const {
  return Option(app_->add_option(names, into, text)->allow_extra_args(!names.starts_with('-')));
}
Option Command::option(const std::string& names, std::vector<std::string>& into,
                       const std::string& text) const {
  return Option(app_->add_option(names, into, text)->allow_extra_args(!names.starts_with('-')));
}
Option Command::option(const std::string& names, std::optional<std::string>& into,
                       const std::string& text, const std::string& value) const {
  const auto keep = [&into](const std::string& given) { into = given; };
  CLI::Option* const option = app_->add_option_function<std::string>(names, keep, text);
  return Option(option->expected(0, 1)->type_name("[" + value + "]"));
}

Option Command::collective(std::string& into, const std::string& text) const {
  const auto why_another = [first = std::make_shared<std::string>()](const std::string& given) {
    if (first->empty()) *first = given;
    return given == *first ? std::string()
                           : fmt::format("name one, not both {:.200} and {:.200}", *first, given);
  };
  CLI::Option* const option = app_->add_option(kCollective, into, text);
  option->multi_option_policy(CLI::MultiOptionPolicy::TakeFirst);
  return Option(option->check(why_another)->check(why_no_collective));
}
Option Command::collectives(std::vector<std::string>& into, const std::string& text) const {
  CLI::Option* const option = app_->add_option(kCollective, into, text);
  return Option(option->delimiter(',')->check(why_no_collective));
}

Option Command::older_name(const std::string& name, std::string& into) const {
  return Option(app_->add_option(name, into)->group(""));
}
Option Command::older_name(const std::string& name, std::vector<std::string>& into) const {
  CLI::Option* const option = app_->add_option(name, into)->delimiter(',');
  return Option(option->allow_extra_args(false)->group(""));
}
Option Command::flag(const std::string& names, bool& into, const std::string& text) const {
  return Option(app_->add_flag(names, into, text));
}
bool Command::has(const std::string& name) const { return app_->count(name) > 0; }
void Command::footer(const std::string& text) const { app_->footer(text); }
void Command::runs(Run run) const {
  app_->callback([into = run_, run = std::move(run)] { *into = run; });
}

CommandLine::CommandLine(const std::string& program, const std::string& text,
                         const std::string& version, const std::string& footer)
    : app_(std::make_unique<CLI::App>(text, program)) {
  app_->set_version_flag("--version", version);
  app_->formatter(std::make_shared<Wrapped>());  // of the commands, too
  app_->require_subcommand(1);
  app_->footer(footer);
}
CommandLine::~CommandLine() = default;

Command CommandLine::command(const std::string& name, const std::string& text) {
  CLI::App* const added = app_->add_subcommand(name, text);
  added->footer("");  // CLI11 gives it the program's
  return {added, &run_};
}

void CommandLine::must_be_a_command(const std::string& word) const {
  std::vector<std::string> names;
  for (const CLI::App* command : app_->get_subcommands({})) names.push_back(command->get_name());
  if (word.starts_with('-') || std::ranges::find(names, word) != names.end()) return;
  throw CLI::ParseError(no_such("command", word, names), CLI::ExitCodes::BaseClass);
}

std::string CommandLine::unknown_arguments(std::span<char* const> words) const {
  const auto commands = app_->get_subcommands();  // that the command line names
  const CLI::App& command = commands.empty() ? *app_ : *commands.front();
  const std::string unknown = about_unknown_arguments(command);
  return unknown.empty() ? about_letters(command, words) : unknown;
}

int CommandLine::run(int argc, char** argv) {
  try {
    if (argc > 1) must_be_a_command(argv[1]);
    app_->parse(argc, argv);
  } catch (const CLI::ParseError& error) {  // --help and --version come this way, too
    if (error.get_exit_code() == 0) return is_first_rank() ? app_->exit(error) : 0;
    const std::string unknown = unknown_arguments({argv, argv + argc});
    std::ostringstream text;
    app_->exit(unknown.empty() ? error : CLI::ParseError(unknown, CLI::ExitCodes::BaseClass), text,
               text);
    // CLI11 does not name an option that no help has.
    const std::string what =
        (text.str().starts_with(' ') ? "an option's older name" : "") + text.str();
    throw BadUsage(what.substr(0, what.find_last_not_of('\n') + 1));
  }
  return run_();
}

}  // namespace tutti::tools
