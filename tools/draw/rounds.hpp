// Which messages of a collective can go together. Pure.
#pragma once

#include <span>
#include <vector>

#include "collectives/schedule/schedule.hpp"

namespace tutti::tools {

struct RoundMessage {
  Rank from, to;
  Bytes bytes;
};

// A round, or several that follow each other in which the same ranks send to the same ranks.
struct RoundColumn {
  int first, last;                     // from 1
  std::vector<RoundMessage> messages;  // of the first one
  Bytes least, most;                   // of all messages
};

// A message goes in the first round after those of all messages that it waits for in which its
// sender sends the receiver nothing else. So a segment goes after the one before it.
std::vector<RoundColumn> rounds_of(std::span<const collectives::Schedule> schedules);

// Makes one of those that follow each other and are alike.
void join_alike(std::vector<RoundColumn>& columns);

}  // namespace tutti::tools
