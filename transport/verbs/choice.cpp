// Settling on ports, and telling why.
#include "transport/verbs/choice.hpp"

#include <algorithm>
#include <utility>

#include "transport/verbs/survey.hpp"

namespace tutti::transport::verbs {

PortChoice::PortChoice(const DeviceWish& wish)
    : PortChoice(wish, candidates(wish.other.gid_index)) {}

PortChoice::PortChoice(DeviceWish wish, std::vector<Candidate> all)
    : wish_(std::move(wish)),
      named_(named(std::move(all), wish_.devices, wish_.other.port)),
      usable_(ranked(named_, in_order())) {}

Offer PortChoice::offer() const {
  const int rails =
      wish_.rails != 0 ? wish_.rails : rails_of_a_rank(usable_, wish_.ranks_of_node, in_order());
  return offer_of(usable_, rails, in_order());
}

std::vector<DeviceChoice> PortChoice::settle(std::span<const Fabric> rails) const {
  if (usable_.empty()) {
    DeviceChoice choice = wish_.other;
    if (!named_.empty())
      choice.device = named_.front().device;
    else if (in_order())
      choice.device = wish_.devices.front();
    return {choice};
  }
  if (rails.empty()) rails = {&usable_.front().fabric, 1};
  std::vector<DeviceChoice> choices;
  choices.reserve(rails.size());
  for (const std::size_t place : share(usable_, rails, wish_.other.local_rank, in_order())) {
    DeviceChoice& choice = choices.emplace_back(wish_.other);
    choice.device = usable_[place].device;
    choice.port = usable_[place].port;
    choice.why = reason(usable_, place, in_order());
  }
  return choices;
}

std::vector<PortChoice::Verdict> PortChoice::verdicts(std::span<const DeviceChoice> settled) const {
  std::vector<Verdict> verdicts;
  verdicts.reserve(named_.size());
  for (const Candidate& candidate : named_) {
    const auto chosen = std::ranges::find_if(settled, [&](const DeviceChoice& choice) {
      return !choice.why.empty() && candidate.device == choice.device &&
             candidate.port == choice.port;
    });
    verdicts.push_back({candidate, chosen != settled.end()     ? "chosen: " + chosen->why
                                   : candidate.problem.empty() ? "not taken"
                                                               : "left out: " + candidate.problem});
  }
  return verdicts;
}

}  // namespace tutti::transport::verbs
