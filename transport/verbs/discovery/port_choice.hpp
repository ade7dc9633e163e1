// Which ports this rank uses: from the settings, from what the machine has, and from what all ranks
// can reach each other by.
//
// Set-up regime. Every rank makes a PortChoice, all exchange their offers, and each settles on
// ports of the fabrics that they have in common.
#pragma once

#include <vector>

#include "transport/verbs/discovery/ports.hpp"
#include "transport/verbs/device/device.hpp"

namespace tutti::transport::verbs {

struct DeviceSettings {
  std::vector<std::string> devices;  // those that may be used; empty: all
  int rails = 0;       // ports for a large message; 0: this rank's share of those near it
  int node = 0;        // on which this rank runs
  DeviceChoice other;  // port, GID, partition and traffic, as set
};

class PortChoice {
 public:
  // Looks at all devices of the machine; a device that cannot be read is a candidate with a
  // problem.
  explicit PortChoice(const DeviceSettings& settings);
  PortChoice(DeviceSettings settings, std::vector<Candidate> all);

  Offer offer() const;
  // Throws Error{bad_configuration} if the settings name a device that no host has, of the ranks
  // whose settings name the same devices, and others that are there. (If none is there, opening the
  // first one says so.) Ranks that name the same devices all throw, or none. `offers`: of all
  // ranks.
  void check_list(std::span<const Offer> offers, std::size_t mine) const;
  // One port for each rail; `rails` as common_rails() gives them. `node`: what the ranks of this
  // node offer, by local rank. If there is no port that the settings name, a device whose failure
  // to open says why. Throws Error{no_device | port_down | unreachable | bad_configuration} if none
  // of them is usable.
  std::vector<DeviceChoice> settle(std::span<const Fabric> rails,
                                   std::span<const Offer> node) const;
  // The devices that the settings name and that this host does not have.
  const std::vector<std::string>& missing() const noexcept { return missing_; }
  // All ports that the settings name, with what became of each.
  struct Verdict {
    Candidate candidate;
    std::string words;
  };
  std::vector<Verdict> verdicts(std::span<const DeviceChoice> settled) const;

 private:
  bool in_order() const noexcept { return !settings_.devices.empty(); }
  [[noreturn]] void throw_unusable() const;

  const DeviceSettings settings_;
  const std::vector<std::string> missing_;
  const std::vector<Candidate> named_, usable_;
};

}  // namespace tutti::transport::verbs
