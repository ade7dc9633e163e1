// Deals cases of a proof out: each thread takes the next case.
#include "collectives/analysis/dealt.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

#include "base/index.hpp"

namespace tutti::collectives {

void deal_out(std::size_t cases, int threads, const ProofProgress& progress,
              const std::function<void(std::size_t)>& run) {
  std::atomic<std::size_t> next{0};
  std::mutex reporting;
  std::size_t done = 0;
  const auto work = [&] {
    for (std::size_t i; (i = next.fetch_add(1)) < cases;) {
      run(i);
      if (!progress) continue;
      const std::lock_guard lock{reporting};
      progress(++done, cases);
    }
  };
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  const std::size_t wanted = threads > 0 ? index(threads) : cores;
  std::vector<std::jthread> helpers;
  for (std::size_t i = 1; i < std::min(wanted, cases); ++i) helpers.emplace_back(work);
  work();
}

}  // namespace tutti::collectives
