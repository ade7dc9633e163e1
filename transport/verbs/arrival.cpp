// The names of the strategies.
#include "transport/verbs/arrival.hpp"

namespace tutti::transport::verbs {

std::string_view name_of(Arrival arrival) noexcept {
  switch (arrival) {
    case Arrival::automatic: return "auto";
    case Arrival::tail: return "tail";
    case Arrival::imm: return "imm";
    case Arrival::flag: return "flag";
  }
  return "?";
}

}  // namespace tutti::transport::verbs
