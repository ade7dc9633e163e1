// Helpers for texts, for the tests of choices and of rules.
#pragma once

#include <catch2/catch.hpp>
#include <string>

#include "collectives/selection/choices.hpp"

namespace tutti::collectives::test {

// The one choice of a text.
inline Choice only(const std::string& text) {
  const auto choices = parse_choices(text);
  REQUIRE(choices.size() == 1);
  return choices.begin()->second;
}

// A text again and again.
inline std::string times(const std::string& text, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) all += text;
  return all;
}

}  // namespace tutti::collectives::test
