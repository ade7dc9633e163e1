// The trees, each from its definition. Pure.
#include "collectives/algorithms/trees.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "base/this_thread.hpp"
#include "collectives/schedule/builder.hpp"

namespace tutti::collectives {
namespace {

void adopt(Tree& tree, int P, Rank root, Range subtree, int round) {
  tree.children.push_back(mod(subtree.first + root, P));
  tree.subtrees.push_back(subtree);
  tree.rounds.push_back(round);
}

}  // namespace

Tree flat(int P, Rank rank, Rank root) {
  Tree tree;
  const int v = mod(rank - root, P);
  tree.own = {v, v == 0 ? P : 1};
  if (v != 0) {
    tree.parent = root;
    tree.round = 0;
    return tree;
  }
  for (int child = 1; child < P; ++child) adopt(tree, P, root, {child, 1}, 0);
  return tree;
}

Tree chain(int P, Rank rank, Rank root) {
  Tree tree;
  const int v = mod(rank - root, P);
  tree.own = {v, P - v};
  tree.round = v - 1;
  if (v != 0) tree.parent = mod(rank - 1, P);
  if (v != P - 1) adopt(tree, P, root, {v + 1, P - v - 1}, v);
  return tree;
}

Tree k_chain(int P, Rank rank, Rank root, int k) {
  Tree tree;
  const int v = mod(rank - root, P), chains = std::min(k, P - 1);
  tree.own = {0, P};
  for (int c = 0, first = 1; c < chains; ++c) {
    const int length = (P - 1) / chains + (c < (P - 1) % chains ? 1 : 0), end = first + length;
    if (v == 0) adopt(tree, P, root, {first, length}, 0);
    if (v >= first && v < end) {
      tree.parent = v == first ? root : mod(rank - 1, P);
      tree.round = v - first;
      tree.own = {v, end - v};
      if (v + 1 < end) adopt(tree, P, root, {v + 1, end - v - 1}, tree.round + 1);
    }
    first = end;
  }
  return tree;
}

Tree k_ary(int P, Rank rank, Rank root, int k) {
  Tree tree;
  const int v = mod(rank - root, P);
  if (v != 0) tree.parent = mod((v - 1) / k + root, P);
  const long long first = 1LL * k * v + 1;
  for (long long child = first; child < std::min<long long>(first + k, P); ++child)
    tree.children.push_back(mod(static_cast<int>(child) + root, P));
  return tree;
}

Rank bine_partner(int P, Rank rank, int step) noexcept {
  const int distance = (1 + (step % 2 == 0 ? 1 : -1) * (2 << step)) / 3;
  return mod(rank % 2 == 0 ? rank + distance : rank - distance, P);
}

unsigned bine_corner(int P, Rank rank) noexcept {
  constexpr unsigned kOddDigits = 0xAAAAAAAAu;
  const unsigned digits = ((static_cast<unsigned>(rank) + kOddDigits) ^ kOddDigits) &
                          static_cast<unsigned>(P - 1);  // in base −2
  return digits ^ (digits >> 1);
}

Tree bine(int P, Rank rank, Rank root) {
  const int v = mod(rank - root, P), steps = rounds_to_reach(P, 2);
  const auto real = [&](int step) { return mod(bine_partner(P, v, steps - 1 - step) + root, P); };
  Tree tree;
  tree.round = v == 0 ? -1 : steps - 1 - std::countr_zero(bine_corner(P, v));
  if (v != 0) tree.parent = real(tree.round);
  for (int step = tree.round + 1; step < steps; ++step) {
    tree.children.push_back(real(step));
    tree.rounds.push_back(step);
  }
  return tree;
}

namespace {

// The tree of a rule: of `count` virtual ranks from `first` on, which a rank holds, it hands the
// last hand_over(first, count) over next, to the first of them.
template <class HandOver>
Tree handing_over(int P, Rank rank, Rank root, HandOver&& hand_over) {
  Tree tree;
  const int v = mod(rank - root, P);
  int first = 0, count = P, round = 0;
  tree.own = {0, P};
  while (count > 1) {
    const int given = hand_over(first, count);
    const Range part{first + count - given, given};
    count -= given;
    if (v >= part.first && v < part.first + part.count) {
      tree.parent = mod(first + root, P);
      tree.round = round;
      tree.own = part;
      first = part.first;
      count = part.count;
    } else if (v == first) {
      adopt(tree, P, root, part, round);
    }
    ++round;
  }
  return tree;
}

}  // namespace

Tree splitting(int P, Rank rank, Rank root) {
  return handing_over(P, rank, root, [](int, int count) { return count / 2; });
}

namespace {

// If shares differ by rounding only, the one that hands over the fewest ranks is taken.
constexpr double kRounding = 1e-12;
bool clearly_less(double a, double b) noexcept { return a < b - kRounding * b; }

// How many of 0, 1, …, P ranks' blocks of one length are handed over; O(P). t never falls as ranks
// are added, so of `count` ranks those splits for which what is kept takes longer than what is
// handed over leave from `window` on; there the best one has the least t(kept) − kept·block·G. That
// border moves up with the count. The best of the other splits hands over the fewest ranks.
struct Shares {
  std::vector<int> share;
  std::vector<double> t;
};
Shares shares_of(int P, Bytes block, const LogGP& times) {
  const auto sending = [&](int given) {
    return std::max(0., static_cast<double>(given * block - 1)) * times.G;
  };
  std::vector<double> t(index(P) + 1, 0), saved(t.size(), 0);
  std::vector<int> share(t.size(), 0), kept;  // kept: candidates of the window, `saved` ascending
  std::size_t first_kept = 0;
  for (int count = 2, window = 1; count <= P; ++count) {
    const double joins = saved[index(count - 1)] - kRounding * t[index(count - 1)];
    while (kept.size() > first_kept && saved[index(kept.back())] >= joins) kept.pop_back();
    kept.push_back(count - 1);
    while (window < count && times.L + t[index(count - window)] > times.g + t[index(window)])
      ++window;
    while (first_kept < kept.size() && kept[first_kept] < window) ++first_kept;
    double best = 0;
    const auto consider = [&](int given) {
      const double time =
          sending(given) + std::max(times.L + t[index(given)], times.g + t[index(count - given)]);
      if (share[index(count)] == 0 || clearly_less(time, best))
        best = time, share[index(count)] = given;
    };
    if (first_kept < kept.size()) consider(count - kept[first_kept]);
    if (window > 1) consider(count - window + 1);
    t[index(count)] = best;
    saved[index(count)] = best - static_cast<double>(count * block) * times.G;
  }
  return {std::move(share), std::move(t)};
}

// The last ones stay, for whoever makes the schedules of all ranks one after another.
const std::vector<int>& kept_shares_of(int P, Bytes block, const LogGP& times) {
  struct Kept {
    std::vector<int> shares;
    Bytes of_block = -1;
    LogGP of_times;
  };
  auto& [shares, of_block, of_times] = of_this_thread<Kept>();
  if (index(P) + 1 != shares.size() || block != of_block || !(times == of_times)) {
    shares = shares_of(P, block, times).share;
    of_block = block;
    of_times = times;
  }
  return shares;
}

// The best shares, by range of virtual ranks, for blocks of any lengths: rank v has blocks[v].
class SharesOfRanges {
 public:
  SharesOfRanges(const std::vector<Bytes>& blocks, const LogGP& times) : P_(blocks.size()) {
    std::vector<Bytes> before{0};  // of all virtual ranks before each
    before.reserve(P_ + 1);
    for (const Bytes block : blocks) before.push_back(before.back() + block);
    std::vector<double> t(at(P_ - 1, P_) + 1, 0);
    share_.resize(t.size());
    for (std::size_t count = 2; count <= P_; ++count)
      for (std::size_t first = 0; first <= P_ - count; ++first) {
        double best = 0;
        for (std::size_t given = 1; given < count; ++given) {
          const std::size_t handed = first + count - given;
          const auto bytes = static_cast<double>(before[first + count] - before[handed]);
          const double sending = std::max(0., bytes - 1) * times.G;
          const double arriving = times.L + t[at(handed, given)];
          const double time = sending + std::max(arriving, times.g + t[at(first, count - given)]);
          if (given == 1 || clearly_less(time, best))
            best = time, share_[at(first, count)] = static_cast<int>(given);
          if (sending + arriving >= best) break;  // neither gets shorter with more ranks
        }
        t[at(first, count)] = best;
      }
  }
  int operator()(int first, int count) const noexcept {
    return share_[at(index(first), index(count))];
  }

 private:
  std::size_t at(std::size_t first, std::size_t count) const noexcept {
    return first * (P_ + 1) + count;
  }
  std::size_t P_;
  std::vector<int> share_;
};

}  // namespace

LogGPPath loggp_path(int P, Bytes block, const LogGP& times) {
  const auto [share, t] = shares_of(P, block, times);
  LogGPPath path;
  for (int count = P; count > 1; count -= share[index(count)]) ++path.children;
  path.largest = share[index(P)];
  LogGPPath::Hop hop;
  for (int count = P; count > 1;) {
    const int given = share[index(count)], kept = count - given;
    ++hop.messages;
    hop.blocks += given;
    hop.distance = std::max(hop.distance, kept);
    const bool goes_on = times.L + t[index(given)] >= times.g + t[index(kept)];
    count = goes_on ? given : kept;
    if (goes_on || count == 1) path.hops.push_back(std::exchange(hop, {}));
  }
  return path;
}

Tree loggp(int P, Rank rank, Rank root, std::span<const Bytes> blocks, const LogGP& times) {
  if (blocks.size() == 1 || P > kLogGPRanks) {
    const Bytes all = std::accumulate(blocks.begin(), blocks.end(), Bytes{0});
    const auto& shares = kept_shares_of(P, all / static_cast<Bytes>(blocks.size()), times);
    return handing_over(P, rank, root, [&](int, int count) { return shares[index(count)]; });
  }
  std::vector<Bytes> virtual_ranks;
  virtual_ranks.reserve(index(P));
  for (int v = 0; v < P; ++v) virtual_ranks.push_back(blocks[index(mod(v + root, P))]);
  return handing_over(P, rank, root, SharesOfRanges{virtual_ranks, times});
}

// IB prints a listing that uses names it never defines (`addstride`, `startnode`) and overwrites
// `size` inside its own loop. Its figure 5.5 and its text agree, and this follows them: a holder
// has itself and the ranks [next, end); the first children get the first of these, and the holder
// keeps the last ones. The walk from the root to `rank` visits one holder in each round: O(k log
// P).
Tree binomial(int P, Rank rank, Rank root, int k) {
  Tree tree;
  const int v = mod(rank - root, P);
  int holder = 0, next = 1, end = P;
  tree.own = {0, P};
  for (int round = 0; next < end; ++round) {
    const int held = 1 + end - next;
    // The first `longer` parts have one rank more; the holder's own part comes first of all.
    const int part = held / (k + 1), longer = held % (k + 1);
    int first = next;
    next = end - (part + (longer > 0 ? 1 : 0) - 1);
    for (int child = 1; child <= k && first < next; ++child) {
      const Range subtree{first, part + (child < longer ? 1 : 0)};
      first += subtree.count;
      if (holder == v) {
        adopt(tree, P, root, subtree, round);
      } else if (v >= subtree.first && v < first) {
        tree.parent = mod(holder + root, P);
        tree.round = round;
        tree.own = subtree;
        holder = subtree.first;
        next = subtree.first + 1;
        end = first;
        break;
      }
    }
  }
  return tree;
}

int rounds_to_reach(int P, int base) noexcept {
  int rounds = 0;
  for (long long reached = 1; reached < P; reached *= base) ++rounds;
  return rounds;
}

}  // namespace tutti::collectives
