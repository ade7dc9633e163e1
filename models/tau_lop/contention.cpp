// Counts, from byte to byte, how many transfers share a channel.
#include "models/tau_lop/contention.hpp"

#include <iterator>

namespace tutti::models::tau_lop {

Course overlay(const std::vector<Course>& all) {
  std::map<Bytes, int> changes;  // of τ, by how many bytes each transfer has advanced
  for (const Course& course : all) {
    Bytes at = 0;
    for (const Share& share : course) {
      if (share.bytes == 0) continue;
      changes[at] += share.tau;
      at += share.bytes;
      changes[at] -= share.tau;
    }
  }
  Course sum;
  int tau = 0;
  for (auto change = changes.begin(); change != changes.end(); ++change) {
    tau += change->second;
    const auto next = std::next(change);
    if (tau == 0 || next == changes.end()) continue;
    if (change->second == 0)
      sum.back().bytes += next->first - change->first;
    else
      sum.push_back({tau, next->first - change->first});
  }
  return sum;
}

Transmissions operator+(Transmissions a, const Transmissions& b) {
  for (const auto& [channel, course] : b.courses_) {
    Course& whole = a.courses_[channel];
    whole.insert(whole.end(), course.begin(), course.end());
  }
  return a;
}

Transmissions operator|(const Transmissions& a, const Transmissions& b) {
  Transmissions sum = a;
  for (const auto& [channel, course] : b.courses_) {
    Course& shared = sum.courses_[channel];
    shared = overlay({shared, course});
  }
  return sum;
}

Transmissions operator*(Bytes times, Transmissions a) {
  for (auto& [channel, course] : a.courses_)
    for (Share& share : course) share.bytes *= times;
  return a;
}

std::map<std::pair<int, int>, Bytes> Transmissions::normal() const {
  std::map<std::pair<int, int>, Bytes> sum;
  for (const auto& [channel, course] : courses_)
    for (const Share& share : course) sum[{channel, share.tau}] += share.bytes;
  return sum;
}

}  // namespace tutti::models::tau_lop
