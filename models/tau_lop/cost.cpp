// Adds expressions, and drops sums that are certainly not the greatest.
#include "models/tau_lop/cost.hpp"

#include <algorithm>

namespace tutti::models::tau_lop {
namespace {

// True only if `a` <= `b` for all parameters. Unless `a` is 0, unequal sums need one term each.
bool never_above(const Cost& a, const Cost& b) {
  if (a == b) return true;
  if (a.terms().empty() && a.maxima().empty()) return true;
  const auto is_one = [](const Cost& some) {
    return some.terms().size() == 1 && some.maxima().empty();
  };
  if (!is_one(a) || !is_one(b)) return false;
  const auto& [x, times_x] = *a.terms().begin();
  const auto& [y, times_y] = *b.terms().begin();
  return x.kind == y.kind && x.channel == y.channel && x.bytes <= y.bytes && x.tau <= y.tau &&
         times_x <= times_y;
}

}  // namespace

Cost::Cost(Kind kind, int channel, const Course& course) {
  for (const Share& share : course) ++terms_[{kind, channel, share.bytes, share.tau}];
}

Cost Cost::greatest(std::vector<Cost> of) {
  std::vector<Cost> left;
  for (Cost& some : of) {
    const auto above = [&](const Cost& other) { return never_above(some, other); };
    if (std::any_of(left.begin(), left.end(), above)) continue;
    left.erase(std::remove_if(left.begin(), left.end(),
                              [&](const Cost& other) { return never_above(other, some); }),
               left.end());
    left.push_back(std::move(some));
  }
  if (left.empty()) return {};
  if (left.size() == 1) return std::move(left.front());
  std::sort(left.begin(), left.end(),
            [](const Cost& a, const Cost& b) { return a.terms_ < b.terms_; });
  Cost whole;
  whole.maxima_.push_back({std::move(left), 1});
  return whole;
}

Cost& Cost::operator+=(const Cost& more) {
  for (const auto& [term, times] : more.terms_) terms_[term] += times;
  for (const Greatest& greatest : more.maxima_) {
    const auto same = std::find_if(maxima_.begin(), maxima_.end(),
                                   [&](const Greatest& some) { return some.of == greatest.of; });
    if (same == maxima_.end())
      maxima_.push_back(greatest);
    else
      same->times += greatest.times;
  }
  return *this;
}

bool operator==(const Cost& a, const Cost& b) {
  const auto equal = [](const Cost::Greatest& x, const Cost::Greatest& y) {
    return x.times == y.times && x.of == y.of;
  };
  return a.terms_ == b.terms_ &&
         std::equal(a.maxima_.begin(), a.maxima_.end(), b.maxima_.begin(), b.maxima_.end(), equal);
}

}  // namespace tutti::models::tau_lop
