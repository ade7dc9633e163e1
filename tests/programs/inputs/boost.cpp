// Collectives of numbers, and of objects that Boost serializes.
#include <boost/mpi.hpp>
#include <boost/serialization/map.hpp>
#include <boost/serialization/string.hpp>
#include <boost/serialization/vector.hpp>

#include <functional>
#include <iostream>
#include <map>
#include <string>
#include <vector>

namespace mpi = boost::mpi;

int main(int argc, char** argv) {
  const mpi::environment environment(argc, argv);
  const mpi::communicator world;
  const int rank = world.rank();
  double sum = 0;
  for (int i = 0; i < 200; ++i) {
    sum += mpi::all_reduce(world, 1.0 / (rank + i + 1), std::plus<double>());
    std::vector<double> own(100, rank + i), all(100);
    mpi::all_reduce(world, own.data(), 100, all.data(), std::plus<double>());
    sum += all[99];
    std::map<std::string, int> words;
    const int root = i % world.size();
    if (rank == root) words = {{"round", i}, {"root", root}};
    mpi::broadcast(world, words, root);
    if (words["round"] != i || words["root"] != root) return 1;
    std::vector<std::string> gathered;
    mpi::gather(world, std::string(static_cast<std::size_t>(rank + 1), 'x'), gathered, root);
    if (rank == root && gathered.back().size() != static_cast<std::size_t>(world.size())) return 1;
    std::vector<int> numbers;
    mpi::all_gather(world, rank * i, numbers);
    if (numbers.back() != (world.size() - 1) * i) return 1;
    std::vector<int> to_all(static_cast<std::size_t>(world.size()), rank), of_all;
    mpi::all_to_all(world, to_all, of_all);
    if (of_all.back() != world.size() - 1) return 1;
    const int scanned = mpi::scan(world, rank + 1, std::plus<int>());
    if (scanned != (rank + 1) * (rank + 2) / 2) return 1;
    const std::string longest =
        mpi::all_reduce(world, std::string(static_cast<std::size_t>(rank), 'y'),
                        [](const std::string& a, const std::string& b) { return a + b; });
    if (longest.size() != static_cast<std::size_t>(world.size() * (world.size() - 1) / 2)) return 1;
    world.barrier();
  }
  const mpi::communicator half = world.split(rank % 2);
  sum += mpi::all_reduce(half, rank, mpi::maximum<int>());
  sum += mpi::all_reduce(half, rank, mpi::minimum<int>());
  if (rank == 0) std::cout.precision(12);
  if (rank == 0) std::cout << "sum " << sum << "\n";
  return 0;
}
