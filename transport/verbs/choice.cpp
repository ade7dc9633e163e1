// Settling on ports, and telling why.
#include "transport/verbs/choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "transport/verbs/survey.hpp"

namespace tutti::transport::verbs {
namespace {

// The devices that are named and not there.
std::vector<std::string> missing_of(std::vector<std::string> devices,
                                    std::span<const Candidate> all) {
  std::erase_if(devices, [&](const std::string& device) {
    return std::ranges::find(all, device, &Candidate::device) != all.end();
  });
  return devices;
}

}  // namespace

PortChoice::PortChoice(const DeviceWish& wish)
    : PortChoice(wish, candidates(wish.other.gid_index)) {}

PortChoice::PortChoice(DeviceWish wish, std::vector<Candidate> all)
    : wish_(std::move(wish)),
      missing_(missing_of(wish_.devices, all)),
      named_(named(std::move(all), wish_.devices, wish_.other.port)),
      usable_(ranked(named_, in_order())) {}

Offer PortChoice::offer() const {
  const int rails =
      wish_.rails != 0 ? wish_.rails : rails_of_a_rank(usable_, wish_.ranks_of_node, in_order());
  return offer_of(usable_, rails, in_order());
}

std::vector<DeviceChoice> PortChoice::settle(std::span<const Fabric> rails,
                                             std::span<const Offer> node) const {
  if (named_.empty()) {
    DeviceChoice choice = wish_.other;
    if (in_order()) choice.device = wish_.devices.front();
    return {choice};
  }
  if (usable_.empty()) throw_unusable();
  std::vector<DeviceChoice> choices;
  choices.reserve(rails.size());
  for (const std::size_t place : share(usable_, rails, node, wish_.other.local_rank, in_order())) {
    DeviceChoice& choice = choices.emplace_back(wish_.other);
    choice.device = usable_[place].device;
    choice.port = usable_[place].port;
    choice.gid_index = usable_[place].gid_index;
    choice.why = reason(usable_, place, in_order());
  }
  return choices;
}

void PortChoice::throw_unusable() const {
  std::string problems;
  Code code = Code::no_device;
  for (const Candidate& candidate : named_) {
    problems +=
        fmt::format("{}{}: {}", problems.empty() ? "" : "; ", candidate.device, candidate.problem);
    if (code == Code::no_device) code = candidate.code;  // the others can be mended
  }
  throw Error(code,
              fmt::format("there is no usable port ({}); bring a link up (ip link set … up; ibstat "
                          "or `rdma link` shows it), give its network device an address (ip addr "
                          "add …), or set TUTTI_DEVICE, TUTTI_PORT and TUTTI_GID_INDEX; `tutti "
                          "info` lists what there is",
                          problems));
}

std::vector<PortChoice::Verdict> PortChoice::verdicts(std::span<const DeviceChoice> settled) const {
  std::vector<Verdict> verdicts;
  verdicts.reserve(named_.size());
  for (const Candidate& candidate : named_) {
    if (!verdicts.empty() && same_port(verdicts.back().candidate, candidate)) continue;
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
