// Writes why a transfer failed, at once and into a fixed buffer: nothing is allocated.
#include "protocols/complaint.hpp"

#include <cstdio>

namespace tutti::protocols {

Answer Complaint::about_exchange(Code code, const char* format, long long a, long long b) noexcept {
  const int used =
      std::snprintf(text_, sizeof text_, "exchange with rank %d of MPI_COMM_WORLD: ", peer_);
  std::snprintf(text_ + used, sizeof text_ - static_cast<std::size_t>(used), format, a, b);
  code_ = code;
  fault_ = Fault::of_peer;
  return Answer::failed;
}

Answer Complaint::about_memory(Code code, const char* text) noexcept {
  std::snprintf(text_, sizeof text_, "%s", text);
  code_ = code;
  fault_ = Fault::of_this_rank;
  return Answer::failed;
}

Answer Complaint::about_length(Bytes came, Bytes expected, bool more) noexcept {
  return about_exchange(Code::calls_differ,
                        more
                            ? "a message of more than %lld bytes came where %lld were expected: "
                              "do all ranks pass the same sizes?"
                            : "a message of %lld bytes came where %lld were expected: do all ranks "
                              "pass the same sizes?",
                        came, expected);
}

}  // namespace tutti::protocols
