// Reading the parameters of a machine, and sharing what was made of them.
#include "src/job/selection.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "models/decision/shipped.hpp"
#include "models/json.hpp"
#include "models/kept.hpp"

namespace tutti {
namespace {

using Warn = std::function<void(std::string_view)>;

models::Platform usual_platform(std::string_view wire, const Warn& warn) {
  try {
    if (auto kept = models::read_kept(wire, models::this_machine()))
      return models::completed(*std::move(kept), wire);
  } catch (const Error& error) {
    warn(fmt::format("{}; the shipped parameters are taken", error.message));
  }
  return *models::find_shipped(wire);
}

models::Platform platform_of(const Configuration& configuration, std::string_view wire,
                             const Warn& warn) {
  const std::string& name = configuration.model;
  if (name.empty()) return usual_platform(wire, warn);
  if (const auto* const shipped = models::find_shipped(name)) return *shipped;
  std::string text;
  try {
    text = read_named_file("model", name);
  } catch (const Error& error) {
    std::vector<std::string_view> names;
    for (const auto& some : models::shipped_platforms()) names.push_back(some.name);
    throw Error(error.code,
                fmt::format("{}; what needs no file is {}", error.message, fmt::join(names, ", ")));
  }
  try {
    models::Platform platform = models::completed(models::parse_platform(text), wire);
    if (platform.name.empty()) platform.name = name;
    if (!platform.origin.machine.cpu.empty())
      if (const auto why = models::why_foreign(platform, models::this_machine(), wire))
        warn(fmt::format("the parameters of the setting `model`, {}: {}", name, *why));
    return platform;
  } catch (const Error& error) {
    throw Error(error.code, fmt::format("model: the file {}: {}", name, error.message));
  }
}

}  // namespace

models::Platform agree_on_platform(const Configuration& configuration, std::string_view wire,
                                   transport::Bootstrap& bootstrap, const Warn& warn) {
  std::string text;  // the parameters, or why there are none
  std::uint64_t failed = 0;
  if (bootstrap.rank() == 0) try {
      text = models::to_json(platform_of(configuration, wire, warn))
                 .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    } catch (const Error& error) {
      text = error.message;
      failed = 1;
    }
  std::uint64_t said[] = {failed, text.size()};
  bootstrap.broadcast(said, sizeof said);
  text.resize(said[1]);
  bootstrap.broadcast(text.data(), text.size());
  if (said[0] != 0)
    throw Error(Code::bad_configuration, bootstrap.rank() == 0 ? text : "on rank 0: " + text);
  return models::parse_platform(text);  // rank 0, too: all have read the same digits
}

std::shared_ptr<models::Decisions> Selection::decisions_for(const collectives::Facts& facts) {
  std::erase_if(made_, [](const auto& made) { return made.expired(); });
  for (const auto& made : made_)
    if (auto known = made.lock(); known && known->facts() == facts) return known;
  auto decisions = std::make_shared<models::Decisions>(platform_, facts);
  made_.push_back(decisions);
  return decisions;
}

collectives::Choice Selection::choose(const collectives::Problem& problem,
                                      models::Decisions& decisions) const {
  if (const auto by_hand = collectives::choose(problem, decisions.facts(), rules_)) return *by_hand;
  return decisions.select(problem);
}

}  // namespace tutti
