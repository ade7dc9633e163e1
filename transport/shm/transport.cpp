// Finding the segment of this node, and connecting to the ranks that share it.
#include "transport/shm/transport.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/error.hpp"
#include "transport/named_file.hpp"
#include "transport/shm/link.hpp"

namespace tutti::transport::shm {

ShmTransport::ShmTransport(const Options& options, const Placement& placement,
                           const InboxShape& shape, Meet meet)
    : options_(options), placement_(placement), shape_(shape), meet_(std::move(meet)) {}

ShmTransport::~ShmTransport() {
  if (options_.machine) options_.machine->share_by(nullptr);
}

Address ShmTransport::address() const {
  Address address;
  std::memcpy(address.bytes.data(), &token_, sizeof token_);
  return address;
}

int ShmTransport::local_rank(int world_rank) const noexcept {
  const auto ranks = placement_.node_ranks();
  return static_cast<int>(std::ranges::lower_bound(ranks, world_rank) - ranks.begin());
}

void ShmTransport::set_peers(std::span<const Address> addresses) {
  const auto ranks = placement_.node_ranks();
  my_local_rank_ = local_rank(placement_.rank());
  links_.resize(ranks.size());
  if (ranks.size() < 2) return Segment::stand_by(meet_);
  std::uint64_t first_token;
  std::memcpy(&first_token, addresses[static_cast<std::size_t>(ranks.front())].bytes.data(),
              sizeof first_token);
  segment_ = std::make_unique<Segment>(fmt::format("{}{:016x}", kSegmentName, first_token),
                                       my_local_rank_, static_cast<int>(ranks.size()), shape_,
                                       options_.copy, meet_, options_.memory);
  if (options_.machine)
    options_.machine->share_by([this](const std::function<Machine::Words()>& find_out) {
      return segment_->board().ask(find_out);
    });
  options_.log(fmt::format("shared memory within the node: {}", memory()));
  options_.log(fmt::format("copies within the node: {} ({})", name_of(segment_->copy()),
                           segment_->reason()));
}

Link& ShmTransport::connect(int peer) {
  const int local = local_rank(peer);
  auto& link = links_[static_cast<std::size_t>(local)];
  if (!link) {
    segment_->connect(local);
    link = std::make_unique<ShmLink>(shape_, peer, *segment_, my_local_rank_, local,
                                     placement_.oversubscribed());
    segment_->note_call(local, my_local_rank_);
  }
  return *link;
}

// Most peers that connect are ones to which this rank has connected by itself. Where there is no
// memory, the next look tries again.
Link* ShmTransport::accepted() noexcept {
  if (!segment_) return nullptr;
  for (std::size_t local = 0; local < links_.size(); ++local) {
    if (links_[local] || !segment_->has_called(my_local_rank_, static_cast<int>(local))) continue;
    try {
      return &connect(placement_.node_ranks()[local]);
    } catch (const std::exception&) {
      return nullptr;
    }
  }
  return nullptr;
}

bool ShmTransport::leave_notice(const Notice& notice) noexcept {
  return segment_ && segment_->members().leave_notice(notice);
}

void ShmTransport::send_disconnect() noexcept {
  if (segment_) segment_->members()[my_local_rank_].disconnected = 1;
}

std::string_view ShmTransport::memory() const noexcept {
  return segment_->anonymous() ? "memfd" : "a file in /dev/shm";
}

nlohmann::json ShmTransport::describe() const {
  std::size_t held = 0;
  for (const auto& link : links_)
    if (link) held += bytes_per_connection() + static_cast<const ShmLink&>(*link).allocated_bytes();
  nlohmann::json facts = {
      {"ranks", placement_.node_ranks().size()},
      {"segment_bytes", segment_ ? segment_->bytes_taken() : 0},
      {"most_bytes_per_connection", segment_ ? segment_->most_bytes_per_pair() : 0},
      {"memory", segment_ ? memory() : ""},
      {"copy", segment_ ? name_of(segment_->copy()) : ""},
      {"why", segment_ ? segment_->reason() : ""}};
  if (segment_ && options_.machine) describe_processors(facts);
  return {{"connection_bytes", held}, {"shm", facts}};
}

// The numbers of ranks bound to this rank's socket and to its last-level cache, with this rank; 0:
// this rank is bound to several.
void ShmTransport::describe_processors(nlohmann::json& facts) const {
  const Processors& processors = options_.machine->processors();
  std::vector<ThreadList> bindings{bound_threads()};
  for (int local = 0; local < segment_->members().size(); ++local)
    if (local != my_local_rank_) bindings.push_back(segment_->members().bound_threads(local));
  facts["ranks_on_socket"] = processors.sharing(processors.package(), bindings);
  facts["ranks_on_cache"] = processors.sharing(processors.last_cache(), bindings);
  facts["processors"] =
      processors.problem().empty() ? "as hwloc tells" : "one level, as " + processors.problem();
}

}  // namespace tutti::transport::shm
