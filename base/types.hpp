// The words every part of Tutti shares: ranks, byte counts, ordinals.
// Pure definitions: no I/O, no system headers, usable from any folder.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tutti {

using Bytes =
    std::int64_t;  // a length or an offset in bytes; signed, so that differences are honest
using Rank = std::int32_t;      // a rank within one communicator
using Ordinal = std::uint32_t;  // counts the messages of one schedule from one rank to another,
                                // from 0; the upper bits say of what call
using CommunicatorId = std::uint32_t;
using CollectiveNumber =
    std::uint32_t;  // counts the collectives called on one communicator, from 0

// Numbers wrap: the earlier call is the one from which the other is less than 2^31 ahead.
constexpr bool is_earlier(CollectiveNumber a, CollectiveNumber b) {
  return static_cast<std::int32_t>(a - b) < 0;
}

inline constexpr std::size_t kCacheLine = 64;

// A schedule has fewer steps than 2^20. The bits of an ordinal above these bear a mark of the call,
// so that ranks that make different calls notice it.
inline constexpr int kOrdinalBits = 20;

// The name of a message between two ranks: each side computes it alone.
struct MessageName {
  CommunicatorId communicator = 0;
  CollectiveNumber collective = 0;
  Ordinal ordinal = 0;
  constexpr std::uint32_t mark() const { return ordinal >> kOrdinalBits; }
  constexpr bool of_same_call(const MessageName& other) const {
    return communicator == other.communicator && collective == other.collective;
  }
  friend bool operator==(const MessageName&, const MessageName&) = default;
};

}  // namespace tutti
