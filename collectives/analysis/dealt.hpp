// Deals cases of a proof out to threads. No I/O.
#pragma once

#include <cstddef>
#include <functional>

namespace tutti::collectives {

// Called after each case, by one thread at a time, which need not be the caller's. May be empty.
using ProofProgress = std::function<void(std::size_t done, std::size_t total)>;

// Calls run(i) once for each i below `cases`, in any order, on so many threads; 0: one for each
// core. Returns when all have ended.
void deal_out(std::size_t cases, int threads, const ProofProgress& progress,
              const std::function<void(std::size_t)>& run);

}  // namespace tutti::collectives
