// The verdict of a part of the verifier: what is wrong, and where. Pure data.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tutti::collectives {

enum class Violation : std::uint8_t {
  none,
  wrong_result,       // a byte of a result has the wrong origin; a barrier that a rank can leave
                      // before all ranks have entered it
  unmatched_message,  // a send without its receive, or a receive without its send
  size_mismatch,      // the two ends of a message differ in length
  use_mismatch,       // the two ends of a message differ in what becomes of it
  deadlock,           // a step waits for ever
  unordered_overlap,  // two steps of a rank touch the same bytes, one of them writes, and neither
                      // waits for the other
  out_of_bounds,      // a slice, a peer or an edge outside of what the schedule has, or a write to
                      // the caller's input
};

struct Verdict {
  Violation violation = Violation::none;
  std::string message;  // ranks, steps and the first bad byte; empty if all is well
  bool ok() const noexcept { return violation == Violation::none; }
};

std::string_view name_of(Violation violation) noexcept;

}  // namespace tutti::collectives
