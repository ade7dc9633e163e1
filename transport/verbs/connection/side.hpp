// Side: one of the two connections of a link, with its receives and its writer; and what all links
// of a rank share. A link begins with a small side; the larger one, which has the lanes, too, is
// made when the link proves hot (handshake_growth.cpp).
//
// Constructors: set-up regime, they throw as Connection.
#pragma once

#include <functional>
#include <optional>

#include "transport/verbs/connection/lane.hpp"
#include "transport/verbs/connection/shared_receives.hpp"

namespace tutti::transport::verbs {

struct LinkContext {
  const Device& device;
  CompletionQueues& queues;
  SharedReceives& shared;
  Rails& rails;  // the devices beyond the first
  Registrar& registrar;
  const LinkOptions& options;
  const InboxShape& shape;
  // A link wants a larger connection, or a datagram is to be sent for it. Not null.
  std::function<void()> wants_larger, has_datagram;
};

struct Side {
  Side(LinkContext& context, Link& link, bool large);
  Side(const Side&) = delete;
  Side& operator=(const Side&) = delete;
  // One of the receives was used up. false: the device takes no more.
  bool replace_receive() noexcept {
    return receives ? receives->replace_one() : shared.replace_one();
  }
  // Completions that it can have under way, but for those of shared receives.
  static int completions(const LinkContext& context, bool large) noexcept;

  SharedReceives& shared;
  Connection connection;
  std::optional<Receives> receives;  // its own, if it does not share
  Writer writer;
};

struct LargeSide : Side {
  LargeSide(LinkContext& context, Link& link);
  // Writers and counts by rail.
  Writer& writer_of(std::size_t rail) noexcept {
    return rail == 0 ? writer : lanes[rail - 1].writer();
  }
  const Writer& writer_of(std::size_t rail) const noexcept {
    return rail == 0 ? writer : lanes[rail - 1].writer();
  }
  // The last ticket of which all is complete, counted from 1 by this side.
  std::uint64_t completed() noexcept;
  // See Link. The ticket is not complete.
  bool reads(std::uint64_t ticket) const noexcept;
  bool idle() noexcept;
  // Writer::most_at_once(), by any rail.
  std::size_t most_at_once() const noexcept;

  std::deque<Lane> lanes;          // by rail, without the first
  std::unique_ptr<Shares> shares;  // if there are lanes
};

}  // namespace tutti::transport::verbs
