// The transports that this build has, in the order of preference. A new one is a folder under
// transport/ and an entry here.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include "src/setup/configuration.hpp"
#include "src/news/connections.hpp"
#include "transport/bootstrap.hpp"
#include "transport/machine.hpp"
#include "transport/placement.hpp"
#include "transport/shm/transport.hpp"
#include "transport/transport.hpp"
#include "transport/verbs/discovery/port_choice.hpp"
#include "transport/verbs/transport.hpp"

namespace tutti {

// Facts for a transport that opens. Outlives it.
struct TransportContext {
  const Configuration& configuration;
  const transport::Placement& placement;
  Log log;                             // may be called at any time; never null
  Log warn = [](std::string_view) {};  // for faults that the user should mend
  transport::Machine* machine = nullptr;
};

struct TransportKind {
  // From facts that are equal on all ranks: all open it, or none.
  std::function<bool(const TransportContext&)> wanted;
  // Collective: all ranks may exchange what they need to agree on, here and in set_peers(), up to
  // which the bootstrap lives. Throws Error.
  std::function<std::unique_ptr<transport::Transport>(const TransportContext&,
                                                      transport::Bootstrap&)>
      open;
  // Where it is not wanted: warns of wrong settings for it nevertheless. Null: it has no settings.
  void (*check_unused)(const TransportContext&) = nullptr;
};
std::span<const TransportKind> transport_kinds();

// The shape that both ends of a connection have, from settings that must be equal on all ranks.
transport::InboxShape inbox_shape(const Configuration& configuration, Bytes eager_limit);
// Options of a transport from the settings; its opener adds the rest.
transport::shm::Options shm_options(const Configuration& configuration);
transport::verbs::Options verbs_options(const Configuration& configuration);
// Requirements that the settings have of devices. `local_rank`: this rank's number on its node.
transport::verbs::DeviceSettings device_settings(const Configuration& configuration, int node,
                                                 int local_rank);
// Whether packets cost CPU time, by the setting `wire`, or else if the device is one in `software`.
bool costly_packets(const Configuration& configuration, bool software);
// `costly`: packets cost CPU time on any rank of the job.
Bytes verbs_eager_limit(const Configuration& configuration, bool costly);

}  // namespace tutti
