// Settling on a port, and telling why.
#include "transport/verbs/choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "transport/verbs/survey.hpp"

namespace tutti::transport::verbs {

PortChoice::PortChoice(DeviceWish wish) : PortChoice(wish, candidates(wish.other.gid_index)) {}

PortChoice::PortChoice(DeviceWish wish, std::vector<Candidate> all)
    : wish_(std::move(wish)),
      named_(named(std::move(all), wish_.devices, wish_.other.port)),
      usable_(ranked(named_, in_order())) {}

DeviceChoice PortChoice::settle(const std::optional<Fabric>& fabric) const {
  DeviceChoice choice = wish_.other;
  if (!usable_.empty()) {
    const std::size_t mine =
        share(usable_, fabric.value_or(usable_.front().fabric), choice.local_rank, in_order());
    choice.device = usable_[mine].device;
    choice.port = usable_[mine].port;
    choice.why = reason(usable_, mine, in_order());
  } else if (!named_.empty()) {
    choice.device = named_.front().device;
  } else if (in_order()) {
    choice.device = wish_.devices.front();
  }
  return choice;
}

std::vector<PortChoice::Verdict> PortChoice::verdicts(const DeviceChoice& settled) const {
  std::vector<Verdict> verdicts;
  verdicts.reserve(named_.size());
  for (const Candidate& candidate : named_) {
    const bool chosen = !settled.why.empty() && candidate.device == settled.device &&
                        candidate.port == settled.port;
    verdicts.push_back({candidate, chosen                      ? "chosen: " + settled.why
                                   : candidate.problem.empty() ? "not taken"
                                                               : "left out: " + candidate.problem});
  }
  return verdicts;
}

}  // namespace tutti::transport::verbs
