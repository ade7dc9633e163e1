// Which device and port this rank uses: from the settings, from what the machine has, and from what
// all ranks can reach each other by.
//
// Set-up regime. Every rank makes a PortChoice, all exchange their offers, and each settles on the
// fabric that they have in common.
#pragma once

#include <optional>
#include <vector>

#include "transport/verbs/candidates.hpp"
#include "transport/verbs/device.hpp"

namespace tutti::transport::verbs {

struct DeviceWish {
  std::vector<std::string> devices;  // those that may be used; empty: all
  DeviceChoice other;                // port, GID, partition and traffic, as set
};

class PortChoice {
 public:
  // Looks at all devices of the machine; a device that cannot be read is a candidate with a
  // problem.
  explicit PortChoice(DeviceWish wish);
  PortChoice(DeviceWish wish, std::vector<Candidate> all);

  Offer offer() const { return offer_of(usable_); }
  // `fabric`: as agreed; nullopt: that of the best port. If no port is usable, the one whose
  // failure to open says most.
  DeviceChoice settle(const std::optional<Fabric>& fabric) const;
  // All ports that the wish names, with what became of each.
  struct Verdict {
    Candidate candidate;
    std::string words;
  };
  std::vector<Verdict> verdicts(const DeviceChoice& settled) const;

 private:
  bool in_order() const noexcept { return !wish_.devices.empty(); }

  const DeviceWish wish_;
  const std::vector<Candidate> named_, usable_;
};

}  // namespace tutti::transport::verbs
