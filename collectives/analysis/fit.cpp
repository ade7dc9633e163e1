// The known formulas, and how a fit of one of them is written. Pure.
#include "collectives/analysis/fit.hpp"

#include <fmt/format.h>

#include <cctype>
#include <cmath>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

#include "collectives/analysis/formula.hpp"

namespace tutti::collectives {
namespace {

// Formulas from simple to less so, as the first that fits is printed. Formulas of one algorithm
// alone come last.
struct Known {
  std::string_view text, where = {};
};
constexpr std::string_view kPowerBelow = ", g = 2^f, f = floor(log2 P)";
constexpr Known kKnown[] = {
    {"P"},
    {"P-1"},
    {"P(P-1)"},
    {"P/2"},
    {"P^2/2"},
    {"P(P-1)/2"},
    {"(P-1)/P"},
    {"P^2 - 1"},
    {"log2 P"},
    {"P log2 P"},
    {"P/2 log2 P"},
    {"ceil(log2 P)"},
    {"floor(log2 P)"},
    {"P ceil(log2 P)"},
    {"log_{k+1} P"},
    {"ceil(log_{k+1} P)"},
    {"P ceil(log_{k+1} P)"},
    {"floor(log_{k+1} P)"},
    {"k floor(log_{k+1} P)"},
    {"ceil((P-1)/k)"},
    {"k"},
    {"min(k, P-1)"},
    {"floor(P/2)"},
    {"ceil(P/2)"},
    {"floor(3P/2)"},
    {"floor(log2 P) + 2"},
    {"2 floor(log2 P) + 2"},
    {"floor(log_{k+1} P) + 2"},
    {"floor(log2(P-1))"},
    {"ceil(log2(P/3))"},
    {"2^ceil(log2(P/3))"},
    {"ceil((P-1)/(k+1))"},
    {"P - 1 + ceil(log2 P)"},
    {"P - 1 + floor(log2 P)"},
    {"floor(log2(P+1)) + floor(log2((P+1)/3))"},
    {"(P-1)(ceil(log2 P) + 1)"},
    {"P + (P-2) log2 P"},
    {"3/2 - 1/P"},
    // grids; 4 ranks a node
    {"C + P/C - 2"},
    {"P(C + P/C - 2)"},
    {"N"},
    {"P-N"},
    {"ceil(log2 N)"},
    {"floor(log2 N)"},
    {"P(N+2)"},
    {"2(P-N) + N ceil(log2 N)"},
    {"2(P-N) + N(N-1)"},
    {"(P-N)(P+1) + P(N-1)"},
    {"2(P-N) + f g + 2(N-g)", ", g = 2^f, f = floor(log2 N)"},
    // n-way binomial trees, dissemination, Bruck
    {"sum_{i<c} min(k, floor((P-1)/(k+1)^i))", ", c = ceil(log_{k+1} P)"},
    {"P sum_{i<c} min(k, floor((P-1)/(k+1)^i))", ", c = ceil(log_{k+1} P)"},
    {"min(h, u ceil((P-h)/u))", ", u = h/(k+1), h = (k+1)^(c-1), c = ceil(log_{k+1} P)"},
    // halving and doubling of whole blocks
    {"P(P-1) + P/2 log2 P"},
    {"P - 1 + 1/2 log2 P"},
    // trees that cut the ranks into equal parts: a block travels as many times as its rank's number
    // has digits other than 0
    {"sum_{i<P} d(i)"},
    {"P sum_{i<P} d(i)"},
    {"P + 2 sum_{i<P} d(i)"},
    {"P(P-1) + sum_{i<P} d(i)"},
    {"P - 1 + 1/P sum_{i<P} d(i)"},
    // recursive doubling of any number of ranks, and prefixes
    {"f g + 2(P-g)", kPowerBelow},
    {"P - 1 + f g + 2(P-g)", kPowerBelow},
    {"k f g + 2(P-g)", ", g = (k+1)^f, f = floor(log_{k+1} P)"},
    {"P^2 - 2^floor(log2 P)"},
    {"P - 1/P 2^floor(log2 P)"},
    {"P - 1/P 2^floor(log2 P) + 1/P sum_{i<P} d(i)"},
    {"P + g - 1 + sum_{i<f} min(P-g, 2^i)", kPowerBelow},
    {"(2P + g - 2 + sum_{i<f} min(P-g, 2^i))/P", kPowerBelow},
    {"P c - 2^c + 1", ", c = ceil(log2 P)"},
    // stencils of 8 neighbours
    {"8P"},
    {"12P"},
};
double known_value(std::size_t known, int P, int k) {
  static thread_local std::map<std::tuple<std::size_t, int, int>, double> values;
  const auto [place, is_new] = values.try_emplace({known, P, k}, 0);
  if (is_new)
    place->second =
        evaluate(std::string{kKnown[known].text} + std::string{kKnown[known].where}, P, k);
  return place->second;
}

bool is_sum(std::string_view text) {
  int depth = 0;
  for (const char c : text) {
    depth += c == '(' || c == '{' ? 1 : c == ')' || c == '}' ? -1 : 0;
    if (depth == 0 && (c == '+' || c == '-')) return true;
  }
  return false;
}

}  // namespace

std::size_t known_formulas() noexcept { return std::size(kKnown); }

double Fit::operator()(const Point& at) const {
  return plus + (known == kConstant ? 0 : times * known_value(known, at.P, at.k));
}

std::string plain(double number) {
  for (const int below : {2, 3, 4})
    if (!near(number, std::round(number)) && near(number * below, std::round(number * below)))
      return fmt::format("{:.0f}/{}", number * below, below);
  return fmt::format("{:.6g}", number);
}

std::string with_unit(std::string text, bool bytes) {
  if (!bytes || text == "0") return text;
  if (text == "1") return "m";
  return is_sum(text) ? "(" + text + ") m" : text + " m";
}

std::string text_of(const Fit& fit, bool bytes) {
  if (fit.known == Fit::kConstant) return with_unit(plain(fit.plus), bytes);
  std::string text{kKnown[fit.known].text};
  if (fit.times != 1 && is_sum(text)) text = "(" + text + ")";
  if (fit.times != 1)
    text = fmt::format("{}{}{}", fit.times,
                       text.front() == 'P' || text.front() == '(' || text.front() == 'N' ? "" : " ",
                       text);
  if (fit.plus != 0)
    text = fmt::format("{} {} {}", text, fit.plus < 0 ? '-' : '+', plain(std::abs(fit.plus)));
  return with_unit(text, bytes);
}

std::string_view where(const Fit& fit) noexcept {
  return fit.known == Fit::kConstant ? std::string_view{} : kKnown[fit.known].where;
}

bool may_try(const Fit& fit, Naming naming) {
  const std::string_view text = kKnown[fit.known].text;
  if (!naming.nodes && text.find('N') != text.npos) return false;
  if (naming.powers_only && (text.find("ceil") != text.npos || text.find("floor") != text.npos))
    return false;
  if (naming.one_k && text.find('k') != text.npos) return false;
  const bool ends_in_number =
      is_sum(text) && std::isdigit(static_cast<unsigned char>(text.back())) != 0;
  return !ends_in_number || near(fit.plus, 0);
}

}  // namespace tutti::collectives
