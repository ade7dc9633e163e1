// Reading the parameters of a machine, and sharing what was made of them.
#include "src/job/selection.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "models/decision/explanation.hpp"
#include "models/decision/shipped.hpp"
#include "models/platform/json.hpp"
#include "models/platform/json_text.hpp"
#include "models/platform/names.hpp"
#include "models/platform/saved.hpp"
#include "models/platform/tree_times.hpp"

namespace tutti {
namespace {

using Warn = std::function<void(std::string_view)>;

constexpr std::string_view kMeasure = "measure";

// Rank 0's word to the others.
struct Said {
  enum Kind : std::uint64_t { shipped, to_measure, parameters, failed };
  Kind kind = failed;
  std::string text;    // the name of a shipped platform; JSON; or why there is none
  std::string from{};  // of PlatformHere; stays here
};
Said as_parameters(const models::Platform& platform, std::string from) {
  return {Said::parameters, models::json_text(models::to_json(platform)), std::move(from)};
}

// `otherwise`: what there is if nothing that was kept can be taken.
Said kept_platform(std::string_view wire, const Warn& warn, Said::Kind otherwise) {
  const std::string file = models::saved_file(wire);
  bool rejected = false;
  try {
    const models::Machine machine = models::this_machine();
    if (auto kept = models::read_saved(wire, machine)) {
      // Messages within nodes may have been measured by themselves.
      if (!kept->within && wire != "shm")
        if (auto shm = models::read_saved("shm", machine)) kept->within = std::move(shm->between);
      return as_parameters(models::completed(*std::move(kept), wire),
                           fmt::format("kept for this user in {}", file));
    }
  } catch (const Error& error) {
    rejected = true;
    warn(fmt::format("{}; {}", error.message,
                     otherwise == Said::to_measure ? "it is measured anew"
                                                   : "the shipped parameters are taken"));
  }
  const std::string where = file.empty() ? "XDG_CONFIG_HOME and HOME name no folder for others"
                            : rejected   ? fmt::format("those in {} cannot be used", file)
                                         : fmt::format("none are in {}", file);
  return {otherwise, std::string(wire), fmt::format("Tutti's own for {}: {}", wire, where)};
}

// A sentence for who takes this setting for one of the options of `tutti`; else empty.
std::string about_options(const std::string& name) {
  if (models::is_model(name))
    return fmt::format(
        "; {0} is a cost model, as --model of tutti's commands names one: this setting takes "
        "parameters, as their option --params",
        name);
  if (const auto* const known = models::find_published(name); known && known->complete)
    return fmt::format(
        "; {0} are a paper's parameters: `tutti predict --params {0} --show-params` prints a file "
        "of them",
        name);
  return {};
}

std::string read_model(const std::string& path) try {
  return read_named_file("the setting `model`", path);
} catch (const Error& error) {
  std::vector<std::string_view> names;
  for (const auto& some : models::shipped_platforms()) names.push_back(some.name);
  names.push_back(kMeasure);
  throw Error(error.code, fmt::format("{}; names that need no file: {}{}", error.message,
                                      fmt::join(names, ", "), about_options(path)));
}

models::Platform platform_in(const std::string& path) {
  const std::string text = read_model(path);
  try {
    models::Platform platform = models::parse_platform(text);
    if (platform.name.empty()) platform.name = path;
    return platform;
  } catch (const Error& error) {
    throw Error(error.code,
                fmt::format("the setting `model`: the file {:.200}: {}", path, error.message));
  }
}

bool names_a_file(const std::string& model) {
  return !model.empty() && model != kMeasure && !models::find_shipped(model);
}

Said platform_of(const Configuration& configuration, std::string_view wire, const Warn& warn) {
  const std::string& name = configuration.model;
  if (name.empty()) return kept_platform(wire, warn, Said::shipped);
  if (name == kMeasure) return kept_platform(wire, warn, Said::to_measure);
  if (!names_a_file(name))
    return {Said::shipped, name, "Tutti's own: the setting `model` names them"};
  const models::Platform platform = models::completed(platform_in(name), wire);
  if (!platform.origin.machine.cpu.empty())
    if (const auto why = models::why_foreign(platform, models::this_machine(), wire))
      warn(fmt::format("the parameters of the setting `model`, {:.200}: {}", name, *why));
  return as_parameters(platform,
                       fmt::format("of the file {}, which the setting `model` names", name));
}

AgreedPlatform agreed_platform(const Said& said) {
  switch (said.kind) {
    // Without JSON, whose values cannot be destroyed where memory is short: the usual start.
    case Said::shipped: return {*models::find_shipped(said.text)};
    case Said::to_measure: return {*models::find_shipped(said.text), true};
    // Rank 0, too: all have read the same digits.
    case Said::parameters: return {models::parse_platform(said.text)};
    default: throw Error(Code::bad_configuration, said.text);
  }
}

AgreedPlatform spread(Said said, transport::Bootstrap& bootstrap) {
  std::uint64_t head[] = {said.kind, said.text.size()};
  bootstrap.broadcast(head, sizeof head);
  said.text.resize(head[1]);
  bootstrap.broadcast(said.text.data(), said.text.size());
  said.kind = static_cast<Said::Kind>(head[0]);
  if (said.kind == Said::failed && bootstrap.rank() != 0) said.text = "on rank 0: " + said.text;
  return agreed_platform(said);
}

}  // namespace

void check_model(const Configuration& configuration) {
  if (names_a_file(configuration.model)) platform_in(configuration.model);
}

PlatformHere platform_here(const Configuration& configuration, std::string_view wire,
                           const Warn& warn) {
  Said said = platform_of(configuration, wire, warn);
  AgreedPlatform found = agreed_platform(said);
  return {std::move(found.platform), found.to_measure, std::move(said.from)};
}

AgreedPlatform agree_on_platform(const Configuration& configuration, std::string_view wire,
                                 transport::Bootstrap& bootstrap, const Warn& warn) {
  Said said;
  if (bootstrap.rank() == 0) try {
      said = platform_of(configuration, wire, warn);
    } catch (const Error& error) {
      said.text = error.message;
    }
  return spread(std::move(said), bootstrap);
}

models::Platform spread_platform(const models::Platform* mine, std::string_view wire,
                                 transport::Bootstrap& bootstrap) {
  Said said{Said::shipped, std::string(wire), {}};
  if (mine) said = as_parameters(models::completed(*mine, wire), {});
  return spread(std::move(said), bootstrap).platform;
}

models::Platform for_program(models::Platform machine, const Configuration& configuration) {
  if (configuration.calls_in_a_row == 0) return machine;
  if (!machine.budget) machine.budget.emplace();
  machine.budget->calls = configuration.calls_in_a_row;
  return machine;
}

collectives::Task explained_task(collectives::Collective collective, Bytes bytes,
                                 const Configuration& configuration) {
  const bool ordered = configuration.reproducible && collectives::reduces(collective);
  return {.collective = collective, .bytes = bytes, .commutative = !ordered, .left_fold = ordered};
}

std::shared_ptr<models::Decisions> Selection::decisions_for(const collectives::Facts& facts) {
  auto known =
      std::ranges::find_if(made_, [&](const auto& made) { return made->facts() == facts; });
  if (known == made_.end()) {
    drop_unused();
    known = made_.insert(made_.end(), std::make_shared<models::Decisions>(platform_, facts));
  }
  std::rotate(known, known + 1, made_.end());
  return made_.back();
}

// Leaves room for one more. A program that makes and frees communicators in a loop would pay for
// their tables each time.
void Selection::drop_unused() noexcept {
  const auto is_unused = [](const auto& made) { return made.use_count() == 1; };
  for (auto unused = std::ranges::count_if(made_, is_unused);
       unused >= static_cast<std::ptrdiff_t>(kMostUnused); --unused)
    made_.erase(std::ranges::find_if(made_, is_unused));
}

collectives::Choice Selection::choose(const collectives::Problem& problem,
                                      models::Decisions& decisions) const {
  if (const auto by_hand = collectives::choose(problem, decisions.facts(), rules_))
    return models::with_times(*by_hand, platform_, decisions.facts());
  return decisions.select(problem);
}

nlohmann::json Selection::explain(const collectives::Problem& problem,
                                  models::Decisions& decisions) const {
  return models::explanation(decisions, problem, choose(problem, decisions));
}

}  // namespace tutti
