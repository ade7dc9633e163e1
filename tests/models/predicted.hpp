// Platforms in few words.
#pragma once

#include <catch2/catch.hpp>

#include <string_view>

#include "models/json.hpp"
#include "models/names.hpp"

namespace tutti::models::test {

inline Platform platform_of(std::string_view name) {
  return parse_platform(find_published(name)->json);
}

inline Approx near(double value) { return Approx(value).epsilon(1e-12); }

inline const LogGP kBoba{30.40, 8.15, 8.15, 8.683, 0.015};

}  // namespace tutti::models::test
