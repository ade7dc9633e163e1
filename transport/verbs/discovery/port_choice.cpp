// Settles on the ports of this rank with all others, and gives the reason.
#include "transport/verbs/discovery/port_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/hash.hpp"
#include "transport/verbs/discovery/survey.hpp"

namespace tutti::transport::verbs {
namespace {

constexpr std::size_t kMostChecked = 64;  // names of a list: the bits of Offer::found

// The devices that are named and not there.
std::vector<std::string> missing_of(std::vector<std::string> devices,
                                    std::span<const Candidate> all) {
  std::erase_if(devices, [&](const std::string& device) {
    return std::ranges::find(all, device, &Candidate::device) != all.end();
  });
  return devices;
}

}  // namespace

PortChoice::PortChoice(const DeviceSettings& settings)
    : PortChoice(settings, candidates(settings.other.gid_index)) {}

PortChoice::PortChoice(DeviceSettings settings, std::vector<Candidate> all)
    : settings_(std::move(settings)),
      missing_(missing_of(settings_.devices, all)),
      named_(named(std::move(all), settings_.devices, settings_.other.port)),
      usable_(ranked(named_, in_order())) {}

Offer PortChoice::offer() const {
  Offer offer = offer_of(usable_, settings_.rails, in_order(), settings_.node);
  if (!in_order()) return offer;
  Hash list;
  for (std::size_t i = 0; i < settings_.devices.size(); ++i) {
    list.add(settings_.devices[i]);
    if (i < kMostChecked && std::ranges::find(missing_, settings_.devices[i]) == missing_.end())
      offer.found |= std::uint64_t{1} << i;
  }
  offer.list = list.value();
  return offer;
}

void PortChoice::check_list(std::span<const Offer> offers, std::size_t mine) const {
  const std::uint64_t found = found_anywhere(offers, mine);
  if (found == 0) return;
  std::string nowhere;
  for (std::size_t i = 0; i < std::min(settings_.devices.size(), kMostChecked); ++i)
    if ((found >> i & 1) == 0)
      nowhere += fmt::format("{}{}", nowhere.empty() ? "" : ", ", settings_.devices[i]);
  if (!nowhere.empty())
    throw Error(Code::bad_configuration,
                fmt::format("the setting `device` names {}, which no host with that setting has; "
                            "`tutti info` lists the devices of a host",
                            nowhere));
}

std::vector<DeviceChoice> PortChoice::settle(std::span<const Fabric> rails,
                                             std::span<const Offer> node) const {
  if (named_.empty()) {
    DeviceChoice choice = settings_.other;
    if (in_order()) choice.device = settings_.devices.front();
    return {choice};
  }
  if (usable_.empty()) throw_unusable();
  std::vector<DeviceChoice> choices;
  choices.reserve(rails.size());
  for (const std::size_t place :
       share(usable_, rails, node, settings_.other.local_rank, in_order())) {
    DeviceChoice& choice = choices.emplace_back(settings_.other);
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
