// Which word a user may have meant.
#include "base/nearest.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <string>

using namespace tutti;

TEST_CASE("letters are counted that are wrong, missing, too many or swapped", "[nearest]") {
  CHECK(letters_apart("", "") == 0);
  CHECK(letters_apart("", "abc") == 3);
  CHECK(letters_apart("abc", "") == 3);
  CHECK(letters_apart("ALGORITHM", "algorithm") == 0);
  CHECK(letters_apart("algoritm", "algorithm") == 1);
  CHECK(letters_apart("algorithmm", "algorithm") == 1);
  CHECK(letters_apart("alkorithm", "algorithm") == 1);
  CHECK(letters_apart("aglorithm", "algorithm") == 1);
  CHECK(letters_apart("kitten", "sitting") == 3);
}

TEST_CASE("the nearest word is found, if one is near", "[nearest]") {
  constexpr std::array<std::string_view, 5> words{"algorithm", "log", "timeout", "eager_limit",
                                                  "eager_slots"};
  CHECK(nearest("algoritm", words) == "algorithm");
  CHECK(nearest("AGLORITHM", words) == "algorithm");
  CHECK(nearest("algo", words) == "algorithm");
  CHECK(nearest("timeout_ms", words) == "timeout");
  CHECK(nearest("eager_slot", words) == "eager_slots");
  CHECK(nearest("eager-limit", words) == "eager_limit");
  CHECK(nearest("lgo", words) == "log");
  for (const std::string& far : {std::string(), std::string("x"), std::string("al"),
                                 std::string("verbosity"), "log" + std::string(100, 'g')}) {
    INFO(far);
    CHECK(nearest(far, words).empty());
  }
}

TEST_CASE("words that share more of an end are nearer", "[nearest]") {
  constexpr std::array<std::string_view, 4> words{"reduce", "reduce_scatter", "allreduce", "-h"};
  CHECK(nearest("reduce_scatter_block", words) == "reduce_scatter");
  CHECK(nearest("tutti_allreduce", words) == "allreduce");
  CHECK(nearest("reduc", words) == "reduce");
  CHECK(nearest("-o", words).empty());
}

TEST_CASE("of a name that is none the nearest is said, and all that there are", "[nearest]") {
  constexpr std::array<std::string_view, 3> words{"bcast", "gather", "scan"};
  CHECK(no_such("collective", "bcst", words) ==
        "there is no collective 'bcst'; did you mean bcast? There are bcast, gather, scan");
  CHECK(no_such("collective", "", words) ==
        "there is no collective ''; there are bcast, gather, scan");
  CHECK(no_such("collective", std::string(100000, 'x'), words).size() < 300);
}
