// The algebra of τ-Lop on whole transmissions: the thesis' matrix multiplications (A.3 to A.6), by
// its tables of who sends how many blocks to whom.
#include "models/tau_lop/contention.hpp"

#include <catch2/catch.hpp>

using namespace tutti;
using namespace tutti::models::tau_lop;

namespace {

using Normal = std::map<std::pair<int, int>, Bytes>;

Transmissions T0(Bytes m) { return {0, m}; }
Transmissions T1(Bytes m) { return {1, m}; }

}  // namespace

TEST_CASE("tau-lop: transmissions in turn and at once") {
  CHECK((T0(10) + T0(5) + T0(1)).normal() == Normal{{{0, 1}, 16}});         // A.1
  CHECK((T0(10) | T0(25)).normal() == Normal{{{0, 2}, 10}, {{0, 1}, 15}});  // A.2
  CHECK((T0(10) | T0(25)).normal() == (T0(25) | T0(10)).normal());
  CHECK(((T0(3) + T1(4)) | (T0(5) + T1(6))).normal() ==
        Normal{{{0, 2}, 3}, {{0, 1}, 2}, {{1, 2}, 4}, {{1, 1}, 2}});  // A.5
  CHECK((T0(0) | T0(7)).normal() == Normal{{{0, 1}, 7}});
  // One on its own beside one, and then two at once: what is under way changes in between (A.16).
  CHECK((T0(149) | (T0(107) + (T0(107) | T0(107)))).normal() ==
        Normal{{{0, 2}, 107 + 65}, {{0, 3}, 42}});
}

TEST_CASE("overlay: courses keep their order") {
  CHECK(overlay({}) == Course{});
  CHECK(overlay({{{1, 4}, {3, 2}}, {{2, 5}}}) == Course{{3, 4}, {5, 1}, {3, 1}});
  CHECK(overlay({{{2, 4}}, {{2, 4}}}) == Course{{4, 4}});
  CHECK(overlay({{{1, 2}, {1, 3}}}) == Course{{1, 5}});
}

// The print has 3589 = 37 C1 where it is 3959, and 2 C0 terms that do not follow from table A.1:
// T¹(81) + T¹(58) is T¹(139) and T¹(22) + T¹(58) + T¹(37) is T¹(117), as it says itself; so
// 2 ∥ T¹(117 C0 + 22 C1) is 19787, and the rest T¹(22 C0 + C1) is 3385.
TEST_CASE("tau-lop: SUMMA, Config1, rows (A.9) and columns (A.16)") {
  constexpr Bytes C0 = 149, C1 = 107, N = 256;
  const auto first = C0 * ((T1(81) + T1(58)) | (T1(22) + T1(58) + T1(37)));
  const auto second = C1 * (T1(81) | (T1(58) + T1(22)) | T1(58) | T1(37));
  CHECK((first + second).normal() ==
        Normal{{{1, 4}, 3959}, {{1, 3}, 2247}, {{1, 2}, 19787}, {{1, 1}, 3385}});
  const auto columns = N * (T0(C0) | (T0(C1) + (T0(C1) | T0(C1))));
  CHECK(columns.normal() == Normal{{{0, 3}, 10752}, {{0, 2}, 44032}});
}

TEST_CASE("tau-lop: SUMMA, Config2 (A.23)") {
  constexpr Bytes C0 = 124, C1 = 97, C2 = 35, N = 256;
  const auto rows = C0 * ((T0(134) + T1(146) + T1(12)) | (T1(104) + T0(6) + T0(110))) +
                    C1 * ((T0(134) + T1(134)) | (T1(12) + T1(104) + T0(18) + T0(110))) +
                    C2 * ((T1(134) + T1(146) + T0(6) + T0(18)) | (T1(104) + T1(104)));
  const auto columns = N * (T1(C0) | T1(C1) | T1(C2));
  CHECK((rows + columns).normal() ==
        Normal{{{0, 2}, 26800}, {{0, 1}, 3654}, {{1, 3}, 8960}, {{1, 2}, 47300}, {{1, 1}, 17874}});
}

TEST_CASE("tau-lop: SUMMA, Config2 with two processes exchanged (A.33)") {
  constexpr Bytes C0 = 124, C1 = 97, C2 = 35, N = 256;
  const auto rows = C0 * ((T0(134) + T0(104) + T1(42) + T1(12)) | (T0(110) + T0(110))) +
                    C1 * ((T0(134) + T0(104) + T1(30)) | (T1(12) + T0(122) + T0(110))) +
                    C2 * ((T0(104) + T0(104)) | (T1(30) + T1(42) + T0(110) + T0(122)));
  const auto columns = N * (T1(C0) | T1(C1) | T1(C2));
  CHECK((rows + columns).normal() ==
        Normal{{{0, 2}, 57064}, {{0, 1}, 3654}, {{1, 3}, 8960}, {{1, 2}, 17036}, {{1, 1}, 17874}});
}
