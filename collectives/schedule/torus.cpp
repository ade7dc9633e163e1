// Adds and subtracts places on a torus, one dimension after another. Pure.
#include "collectives/schedule/torus.hpp"

namespace tutti::collectives {
namespace {

template <class Combine>
Rank by_digits(const Torus& torus, Rank a, Rank b, Combine&& combine) {
  Rank sum = 0;
  int stride = 1;
  for (auto size = torus.rbegin(); size != torus.rend(); ++size) {
    sum += combine(a % *size, b % *size, *size) * stride;
    a /= *size;
    b /= *size;
    stride *= *size;
  }
  return sum;
}

}  // namespace

Rank plus(const Torus& torus, Rank rank, Rank offset) {
  return by_digits(torus, rank, offset, [](int a, int b, int size) { return (a + b) % size; });
}

Rank minus(const Torus& torus, Rank to, Rank from) {
  return by_digits(torus, to, from, [](int a, int b, int size) { return (a - b + size) % size; });
}

Rank along(const Torus& torus, Rank offset, int dimension) {
  int stride = 1;
  for (int d = static_cast<int>(torus.size()) - 1; d > dimension; --d)
    stride *= torus[static_cast<std::size_t>(d)];
  return offset / stride % torus[static_cast<std::size_t>(dimension)] * stride;
}

}  // namespace tutti::collectives
