// Estimates how many steps a simulation has, from the root and a few other ranks. Pure.
#include "models/simulation/steps.hpp"

namespace tutti::models {

double steps_of_all(int P, Rank root,
                    const std::function<collectives::Schedule(Rank)>& schedule_of) {
  const auto steps_of = [&](Rank rank) {
    return static_cast<double>(schedule_of(rank).steps.size());
  };
  if (P == 1) return steps_of(root);
  constexpr int kOthers = 4;
  double others = 0;
  for (int i = 0; i < kOthers; ++i) {  // beside the root, at thirds, and the last one
    const long long away = 1 + static_cast<long long>(P - 2) * i / (kOthers - 1);
    others += steps_of(static_cast<Rank>((root + away) % P));
  }
  return steps_of(root) + (P - 1.0) * others / kOthers;
}

}  // namespace tutti::models
