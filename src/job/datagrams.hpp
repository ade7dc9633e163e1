// Datagrams to all ranks of the job, for broadcasts that use them: one multicast group, joined by
// all ranks when Tutti starts, or by none. Knows the device, the bootstrap and the setting; knows
// no communicator and no schedule.
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "protocols/mailbox.hpp"
#include "src/job/configuration.hpp"
#include "transport/bootstrap.hpp"
#include "transport/verbs/multicast.hpp"

namespace tutti {

class JobDatagrams {
 public:
  // Collective over `bootstrap`. Where one rank cannot join, none does, and all go on without: then
  // mailbox() is null, and `log` has heard why. `device` must outlive this object.
  JobDatagrams(const transport::verbs::Device& device, MulticastWay way,
               transport::Bootstrap& bootstrap, const std::function<void(std::string_view)>& log);

  protocols::Mailbox* mailbox() noexcept { return mailbox_.get(); }
  nlohmann::json describe() const;  // an object with one member, "multicast"

 private:
  std::unique_ptr<transport::verbs::Multicast> datagrams_;
  std::unique_ptr<protocols::Mailbox> mailbox_;
};

}  // namespace tutti
