// Writes expressions of τ-Lop as text for people.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <tuple>

#include "models/tau_lop/cost.hpp"

namespace tutti::models::tau_lop {
namespace {

constexpr const char* kChannels[] = {"\u2070", "\u00b9"};

// Terms that linearity makes one: those of a kind, a channel, a unit and a contention.
struct Key {
  Kind kind;
  int channel;
  bool segments;  // in units of S, else of m
  int tau;
  friend bool operator<(const Key& a, const Key& b) noexcept {
    return std::tie(a.kind, a.channel, a.segments, a.tau) <
           std::tie(b.kind, b.channel, b.segments, b.tau);
  }
};
using Linear = std::map<Key, Bytes>;  // bytes, or for overheads how many

Linear linear(const Cost& cost, Bytes m, Bytes segment) {
  Linear sum;
  for (const auto& [term, times] : cost.terms()) {
    const bool overhead = term.kind == Kind::overhead;
    const bool segments = !overhead && term.bytes == segment && segment != m;
    sum[{term.kind, term.channel, segments, term.tau}] += overhead ? times : times * term.bytes;
  }
  return sum;
}

// Whether `a` is never above `b`: all that is transferred in `a` with a contention of at least τ is
// not more than in `b`, for every τ, channel and kind.
bool never_above(const Linear& a, const Linear& b) {
  for (const auto& [key, unused] : a) {
    const auto at_least = [&key = key](const Linear& some) {
      Bytes sum = 0;
      for (const auto& [other, bytes] : some)
        if (std::tie(other.kind, other.channel) == std::tie(key.kind, key.channel) &&
            other.tau >= key.tau)
          sum += bytes;
      return sum;
    };
    if (at_least(a) > at_least(b)) return false;
  }
  return true;
}

std::string of_term(const Key& key, Bytes amount, Bytes m, Bytes segment) {
  if (key.kind == Kind::overhead)
    return fmt::format("{}o{}", amount == 1 ? "" : fmt::format("{}", amount),
                       kChannels[key.channel]);
  const std::string letter = key.kind == Kind::transfer ? fmt::format("L{}", kChannels[key.channel])
                             : key.kind == Kind::combine ? "\u03b3"
                                                         : "c";
  const Bytes unit = key.segments ? segment : m;
  const char* const name = key.segments ? "S" : "m";
  const Bytes common = std::gcd(amount, unit);
  const Bytes over = amount / common, under = unit / common;
  std::string factor = over == 1 ? "" : fmt::format("{}", over);
  std::string inside = name;
  if (under != 1 && over == 1) inside += fmt::format("/{}", under);
  if (under != 1 && over != 1) factor = fmt::format("{}/{}\u00b7", over, under);
  return fmt::format("{}{}({},{})", factor, letter, inside, key.tau);
}

// A sum that may be the greatest one; `sum` has no terms where `cost` holds further maxima.
struct Left {
  Linear sum;
  const Cost* cost;
};

std::vector<Left> left_of(const Cost::Greatest& greatest, Bytes m, Bytes segment) {
  std::vector<Left> left;
  for (const Cost& some : greatest.of) {
    if (!some.maxima().empty()) {
      left.push_back({{}, &some});
      continue;
    }
    const Linear sum = linear(some, m, segment);
    const auto below = [](const Linear& a, const Linear& b) {
      return !a.empty() && !b.empty() && never_above(a, b);
    };
    if (std::any_of(left.begin(), left.end(), [&](const Left& l) { return below(sum, l.sum); }))
      continue;
    std::erase_if(left, [&](const Left& l) { return below(l.sum, sum); });
    left.push_back({sum, &some});
  }
  return left;
}

}  // namespace

std::string text_of(const Cost& cost, Bytes m, Bytes segment) {
  Linear sum = linear(cost, m, segment);
  std::map<std::string, std::int64_t> maxima;  // those that linearity makes one, too
  for (const Cost::Greatest& greatest : cost.maxima()) {
    const std::vector<Left> left = left_of(greatest, m, segment);
    if (left.size() == 1 && !left.front().sum.empty()) {
      for (const auto& [key, amount] : left.front().sum) sum[key] += amount * greatest.times;
      continue;
    }
    std::vector<std::string> texts;
    texts.reserve(left.size());
    for (const Left& some : left) texts.push_back(text_of(*some.cost, m, segment));
    maxima[fmt::format("max{{{}}}", fmt::join(texts, ", "))] += greatest.times;
  }
  std::vector<std::string> texts;
  for (const auto& [key, amount] : sum) texts.push_back(of_term(key, amount, m, segment));
  for (const auto& [text, times] : maxima)
    texts.push_back(times == 1 ? text : fmt::format("{}\u00b7{}", times, text));
  return texts.empty() ? "0" : fmt::format("{}", fmt::join(texts, " + "));
}

}  // namespace tutti::models::tau_lop
