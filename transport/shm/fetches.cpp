// Compares the times of both ways to copy a long message, and tries the other one now and then.
#include "transport/shm/fetches.hpp"

#include <algorithm>

namespace tutti::transport::shm {

double time_in_pieces(const StorePolicy::Times& times, double pieces, const Load& load,
                      bool cores_shared) noexcept {
  const auto [once, read] = times;
  if (once == 0 || read == 0) return 0;
  if (cores_shared) return once + read;
  const double stored = once * load.receivers;
  if (load.receives) return stored + read;
  return std::max(stored, read) + std::min(stored, read) / std::max(pieces, 1.0);
}

// The times of a fetch are known once one was tried.
bool Fetches::pays(Bytes bytes, double in_pieces) noexcept {
  if (in_pieces == 0) return false;
  const std::size_t of = length_class(bytes);
  Length& length = lengths_[of];
  if (length.consecutive >= kTried) length.fetched = told_[of].ticks_per_byte();
  const bool fetches = choose(length, in_pieces);
  length.consecutive = fetches ? length.consecutive + 1 : 0;
  return fetches;
}

bool Fetches::choose(Length& length, double in_pieces) noexcept {
  constexpr double kClearly = 0.9;  // to and fro costs more than it brings
  const bool& serves = length.serves;
  length.serves = length.fetched != 0 && (serves ? kClearly * length.fetched < in_pieces
                                                 : length.fetched < kClearly * in_pieces);
  ++length.messages;
  if (length.tries && length.messages <= kTried) return length.tried;
  if (length.tries) {
    length.next_trial =
        serves == length.tried ? kSoonest : std::clamp(2 * length.next_trial, kSoonest, kLatest);
    length.tries = false;
    length.messages = 1;
  } else if (length.messages > length.next_trial) {
    length.tries = true;
    length.tried = !serves;
    length.messages = 1;
    return length.tried;
  }
  return serves;
}

void FetchClock::record(Bytes bytes, std::uint64_t ticks) noexcept {
  if (bytes == 0) return;
  const std::size_t of = length_class(bytes);
  smooth(smoothed_[of], static_cast<double>(ticks) / static_cast<double>(bytes));
  told_[of].tell(smoothed_[of]);
}

}  // namespace tutti::transport::shm
