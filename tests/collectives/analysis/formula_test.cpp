// The costs that `tutti list` prints, read back and compared with what is counted.
#include "collectives/analysis/formula.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <tuple>

#include "collectives/analysis/asymptotic.hpp"
#include "collectives/analysis/costs.hpp"
#include "collectives/analysis/naming.hpp"
#include "tests/base/sanitized.hpp"

using namespace tutti;
using namespace tutti::collectives;

namespace {

bool power_of(int P, int base) {
  while (P % base == 0) P /= base;
  return P == 1;
}

// Value of the printed text for P and k, if it has any; `above`: how far it may exceed the count.
struct Said {
  double value = 0, above = 0;
  bool anything = true;
};

Said read(std::string text, int P, int k, bool bytes) {
  Said said;
  if (text.rfind("no formula: ", 0) == 0) {
    text = ", " + text.substr(12);
    const std::string here =
        " (P=" + std::to_string(P) + (k == 1 ? ")" : ", k=" + std::to_string(k) + ")");
    const std::size_t end = text.find(here);
    said.anything = end != text.npos;
    if (said.anything) {
      const std::string one =
          text.substr(text.rfind(", ", end) + 2, end - text.rfind(", ", end) - 2);
      said.value = one == "m" ? 1 : std::atof(one.c_str());
      CHECK((!bytes || one == "0" || one.back() == 'm'));
    }
    return said;
  }
  if (const std::size_t exceptions = text.find(" (P="); exceptions != text.npos) {
    REQUIRE(text.back() == ')');
    std::string rest = text.substr(exceptions + 2, text.size() - exceptions - 3) + ";";
    text = text.substr(0, exceptions);
    for (std::size_t end = rest.find(';'); end != rest.npos;
         rest = rest.substr(end + 1), end = rest.find(';')) {
      const std::size_t colon = rest.find(": ");
      std::string ranks = rest.substr(0, colon);
      for (char& c : ranks) c = std::isdigit(static_cast<unsigned char>(c)) != 0 ? c : ' ';
      if ((ranks + " ").find(" " + std::to_string(P) + " ") != ranks.npos)
        return {evaluate(rest.substr(colon + 2, end - colon - 2), P, k)};
    }
  }
  if (text.rfind("at most ", 0) == 0) {
    text = text.substr(8);
    said.above = bytes ? 0.5 : 2;
  }
  if (const std::size_t condition = text.find(" if P "), otherwise = text.find(", else ");
      condition != text.npos) {
    const std::string which = text.substr(condition + 6, otherwise - condition - 6);
    const std::size_t letters = text.find(", ", otherwise + 7);
    const std::string where = letters == text.npos ? "" : text.substr(letters);
    bool holds = false;
    if (which == "is a power of two")
      holds = power_of(P, 2);
    else if (which == "is a power of k+1")
      holds = power_of(P, k + 1);
    else if (which == "<= k" || which == "<= k+1" || which == "<= k+2")
      holds = P <= evaluate(which.substr(3), P, k);
    else
      FAIL(which);
    text = holds ? text.substr(0, condition) + where : text.substr(otherwise + 7);
  }
  // The unit is the last factor before the definitions of letters.
  if (bytes) {
    const std::string body =
        text.substr(0, text.find(", ") == text.npos || text.find(" = ") == text.npos
                           ? text.npos
                           : text.rfind(", ", text.find(" = ")));
    CHECK((body == "0" || body == "m" || body.substr(body.size() - 2) == " m"));
  }
  said.value = evaluate(text, P, k);
  return said;
}

void compare(const std::string& text, int P, int k, double counted, bool bytes) {
  const Said said = read(text, P, k, bytes);
  if (!said.anything) return;
  INFO(text << " for P=" << P << " k=" << k << ": " << said.value << ", counted " << counted);
  const double rounding = 1e-5 * std::max(1.0, counted);
  CHECK(counted <= said.value + rounding);
  CHECK(said.value <= counted + said.above + rounding);
}

}  // namespace

TEST_CASE("formulas are read") {
  const std::vector<std::tuple<const char*, int, int, double>> known{
      {"P-1", 7, 1, 6},
      {"2(P-1)/P m", 4, 1, 1.5},
      {"P^2 - 2^floor(log2 P)", 9, 1, 73},
      {"ceil(log_{k+1} P)", 9, 2, 2},
      {"ceil(log_{k+1} P)", 10, 2, 3},
      {"ceil(log_{k+1} P)", 64, 3, 3},
      {"floor(log2(P-1)) + 1", 9, 1, 4},
      {"min(k, P-1) m", 3, 4, 2},
      {"P/2 log2 P", 8, 1, 12},
      {"sum_{i<P} d(i)", 8, 1, 12},
      {"sum_{i<P} d(i) m", 9, 2, 12},
      {"f g + 2(P-g), g = 2^f, f = floor(log2 P)", 6, 1, 12},
      {"P - 1 + 1/P sum_{i<P} d(i)", 2, 1, 1.5},
      {"C + P/C - 2", 12, 1, 5},
      {"2(P-N)", 8, 1, 12},
  };
  for (const auto& [text, P, k, value] : known) {
    INFO(text);
    CHECK(evaluate(text, P, k) == Approx(value));
  }
}

TEST_CASE("a formula has a class") {
  const std::pair<const char*, const char*> known[] = {
      {"0", "1"},
      {"3/2 m (P=2, 3, 5: m)", "1"},
      {"2(P-1)/P m", "1"},
      {"min(k, P-1) m", "1"},
      {"m", "1"},
      {"at most 2 floor(log2(P-1)) + 1", "log P"},
      {"floor(log2(P+1)) + floor(log2((P+1)/3))", "log P"},
      {"sum_{i<c} min(k, floor((P-1)/(k+1)^i)) m, c = ceil(log_{k+1} P)", "log P"},
      {"C + P/C - 2", "sqrt P"},
      {"P-1", "P"},
      {"N + 2", "P"},
      {"0 if P <= k+2, else ceil((P-1)/(k+1)) m", "P"},
      {"log2 P m if P is a power of two, else (floor(log2 P) + 2) m", "log P"},
      {"(P-1) m if P is a power of two, else (P + g - 1 + sum_{i<f} min(P-g, 2^i)) m, g = 2^f, f = "
       "floor(log2 P)",
       "P"},
      {"min(h, u ceil((P-h)/u)), u = h/(k+1), h = (k+1)^(c-1), c = ceil(log_{k+1} P)", "P"},
      {"f g + 2(P-g), g = 2^f, f = floor(log2 P)", "P log P"},
      {"P - 1 + 1/P sum_{i<P} d(i)", "P"},
      {"sum_{i<P} d(i) m", "P log P"},
      {"P(C + P/C - 2)", "P sqrt P"},
      {"(P^2 - 2^floor(log2 P)) m", "P^2"},
      {"P sum_{i<P} d(i) m", "P^2 log P"}};
  for (const auto& [formula, name] : known) {
    INFO(formula);
    const auto found = asymptotic_class(formula);
    REQUIRE(found);
    CHECK(to_string(*found) == name);
  }
  const auto bound = asymptotic_class("no formula: 8 (P=4), 24 (P=8); at most P ceil(log2 P)");
  CHECK((bound && to_string(*bound) == "P log P"));
  CHECK_FALSE(asymptotic_class("no formula: 3 m (P=4), 10 m (P=8)"));
}

TEST_CASE("numbers are named, with their exceptions, or not") {
  const auto name = [](const auto& function, bool bytes = false) {
    std::vector<Point> points;
    for (int P = 2; P <= 33; ++P) points.push_back({P, 1, function(P)});
    return name_points(points, {.bytes = bytes});
  };
  CHECK(name([](int) { return 1.; }, true) == "m");
  CHECK(name([](int P) { return P - 1.; }, true) == "(P-1) m");
  CHECK(name([](int P) { return 2 * (P - 1.); }) == "2(P-1)");
  CHECK(name([](int P) { return P < 4 ? 0. : 1.; }, true) == "m (P=2, 3: 0)");
  CHECK(name([](int P) { return power_of(P, 2) ? P : P + 2.; }) ==
        "P if P is a power of two, else P + 2");
  CHECK(
      name([](int P) { return P * std::ceil(std::log2(P)) - std::sqrt(P) * P / 4; }) ==
      "no formula: 6 (P=4), 18.3431 (P=8), 37.6077 (P=12), 114.745 (P=32); at most P ceil(log2 P)");
  CHECK(name([](int P) { return P == 20 ? P - 2. : P - 1.; }) == "at most P-1");
  CHECK(name([](int P) { return 10 + 9 * std::sin(P); }, true) ==
        "no formula: 3.18878 m (P=4), 18.9042 m (P=8), 5.17084 m (P=12), 14.9628 m (P=32)");
}

TEST_CASE("formulas: what is printed is what is counted") {
  for (const Algorithm& algorithm : algorithms()) {
    for (const Over over : {Over::one_k, Over::many_k, Over::nodes}) {
      if ((over == Over::many_k && !algorithm.traits.k) ||
          (over == Over::nodes && !algorithm.traits.nodes))
        continue;
      const Formulas printed = formulas(algorithm, over);
      int asked = 0;
      for (int k = over == Over::many_k ? 2 : 1; k <= (over == Over::many_k ? 4 : 1); ++k) {
        for (int P = over == Over::nodes ? 8 : 2; P <= (tests::kSanitized ? 9 : 33);
             P += over == Over::nodes ? 4 : 1) {
          const Problem problem = problem_of(algorithm, P, over);
          if (why_not(algorithm, problem, {.k = k})) continue;
          ++asked;
          INFO(name_of(algorithm.collective) << " " << algorithm.name);
          const Costs counted = count(algorithm, problem, {.k = k});
          const auto in_blocks = [](Bytes bytes) {
            return static_cast<double>(bytes) / static_cast<double>(kLongBlock);
          };
          compare(printed.rounds, P, k, counted.rounds, false);
          compare(printed.one_port, P, k, counted.one_port, false);
          compare(printed.messages, P, k, static_cast<double>(counted.messages), false);
          compare(printed.sent, P, k, in_blocks(counted.sent), true);
          compare(printed.total, P, k, in_blocks(counted.total), true);
          compare(printed.scratch, P, k, in_blocks(counted.scratch), true);
        }
      }
      CHECK(asked > 0);
    }
  }
}

TEST_CASE("formulas: the papers' are found") {
  const auto of = [](Collective collective, const char* name, Over over = Over::one_k) {
    INFO(name);
    const Algorithm* const algorithm = find(collective, name);
    REQUIRE(algorithm != nullptr);
    return formulas(*algorithm, over);
  };
  for (const Collective collective :
       {Collective::bcast, Collective::scatter, Collective::gather, Collective::reduce}) {
    INFO(name_of(collective));
    CHECK(of(collective, "linear").rounds == "1");
    CHECK(of(collective, "linear").one_port == "P-1");
    CHECK(of(collective, "binomial").rounds == "ceil(log2 P)");
    CHECK(of(collective, "binomial", Over::many_k).rounds == "ceil(log_{k+1} P)");
    CHECK(of(collective, "binomial").messages == "P-1");
  }
  CHECK(of(Collective::barrier, "dissemination", Over::many_k).rounds == "ceil(log_{k+1} P)");
  CHECK(of(Collective::barrier, "recursive-doubling").rounds ==
        "log2 P if P is a power of two, else floor(log2 P) + 2");
  CHECK(of(Collective::barrier, "double-ring").messages == "2P");
  CHECK(of(Collective::bcast, "k-chain", Over::many_k).rounds == "ceil((P-1)/k)");
  CHECK(of(Collective::bcast, "scatter-ring").one_port == "P - 1 + ceil(log2 P)");
  CHECK(of(Collective::bcast, "scatter-ring").sent == "2(P-1)/P m");
  CHECK(of(Collective::scatter, "binomial").scratch == "floor(P/2) m (P=2, 3: 0)");
  CHECK(of(Collective::allgather, "ring").rounds == "P-1");
  CHECK(of(Collective::allgather, "ring").total == "P(P-1) m");
  CHECK(of(Collective::allgather, "neighbor-exchange").rounds == "P/2");
  CHECK(of(Collective::allgather, "bruck", Over::many_k).rounds == "ceil(log_{k+1} P)");
  CHECK(of(Collective::allgather, "gather-bcast").messages == "2(P-1)");
  CHECK(of(Collective::alltoall, "bruck").messages == "P ceil(log2 P)");
  CHECK(of(Collective::allreduce, "ring").sent == "2(P-1)/P m");
  CHECK(of(Collective::allreduce, "bine-halving-doubling").rounds == "2 log2 P");
  CHECK(of(Collective::allgather, "rows-first", Over::nodes).rounds == "N + 2");
}
