// Taking the buffers of failed calls back from members and adapters. The calls have abandoned their
// transfers (protocols/abandoned.hpp); the members know of the failure, or hear of it meanwhile.
#pragma once

#include <chrono>
#include <mutex>

#include "src/news/member_channels.hpp"

namespace tutti {

// How long members get to hear of a failure, and to withdraw from buffers.
inline constexpr std::chrono::milliseconds kSpreadTimeout{300};

// Waits a little for members that may still write into these buffers, and ends their right to;
// waits for the adapter that still sends from them, and breaks the connection off if that takes
// long. After it the buffers are the caller's again. Returns at once if there is nothing to wait
// for. `lock` is held by the caller, and free in waits that may be long; null: one thread only.
void reclaim_buffers(const MemberChannels& channels, std::mutex* lock) noexcept;

}  // namespace tutti
