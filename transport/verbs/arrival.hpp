// Arrival: how a receiver learns that the bytes of a write are there.
#pragma once

#include <cstdint>
#include <string_view>

namespace tutti::transport::verbs {

enum class Arrival : std::uint8_t { automatic, tail, imm, flag };
std::string_view name_of(Arrival arrival) noexcept;

}  // namespace tutti::transport::verbs
