// Datagrams to all ranks of the job, for broadcasts that use them: one multicast group, joined by
// all ranks when Tutti starts, or by none. Knows the device, the bootstrap and the setting; knows
// no communicator and no schedule.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <span>

#include "protocols/mailbox.hpp"
#include "src/setup/transports.hpp"
#include "transport/bootstrap.hpp"
#include "transport/verbs/datagrams/multicast.hpp"

namespace tutti {

class JobDatagrams {
 public:
  // Collective over `bootstrap`. Null where nobody wants datagrams (`wanted`, on any rank), or
  // where no transport has a device for them.
  static std::unique_ptr<JobDatagrams> open(
      bool wanted, const TransportContext& context,
      std::span<const std::unique_ptr<transport::Transport>> transports,
      transport::Bootstrap& bootstrap);
  // Collective over `bootstrap`. Where one rank cannot join, none does, and all go on without: then
  // mailbox() is null, and `log` has heard why. `device` must outlive this object.
  JobDatagrams(const transport::verbs::Device& device, MulticastWay way,
               transport::Bootstrap& bootstrap, const Log& log);

  protocols::Mailbox* mailbox() noexcept { return mailbox_.get(); }
  nlohmann::json describe() const;  // an object with one member, "multicast"

 private:
  std::unique_ptr<transport::verbs::Multicast> datagrams_;
  std::unique_ptr<protocols::Mailbox> mailbox_;
};

}  // namespace tutti
