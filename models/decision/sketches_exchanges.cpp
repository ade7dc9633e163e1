// Sketches of algorithms that exchange blocks, pieces or whole vectors among all ranks, some of
// which begin or end with a tree. Pure.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <span>

#include "models/decision/drawings.hpp"

namespace tutti::models::drawings {
namespace {

using collectives::Collective;

int partners(const SketchBuilder& s) {
  return static_cast<int>(std::bit_floor(static_cast<unsigned>(s.place().P)));
}
// Draws in a copy of all blocks, as the program's are only read.
template <auto Draw>
void copied(SketchBuilder& s, Bytes m, Of p) {
  combined<Draw>(s, m, p);
  s.needs_scratch(all(s, m));
}

// --- allgathers; as mirrors, with what arrives being combined, reduce-scatters
void ring(SketchBuilder& s, Bytes m, Of) { families::ring(s, m, s.place().P - 1); }
void at_once(SketchBuilder& s, Bytes m, Of) { families::at_once(s, m); }
void pairwise(SketchBuilder& s, Bytes m, Of) { families::pairwise(s, m); }
void doubling(SketchBuilder& s, Bytes m, Of) { families::doubling_blocks(s, m); }
void bine(SketchBuilder& s, Bytes m, Of) { families::bine(s, m, 2); }
void bruck(SketchBuilder& s, Bytes m, Of p) {
  families::dissemination(s, p.k, m, true);
  if (!s.stages().empty()) s.copies(static_cast<double>(s.stages().back().bytes));
  s.needs_scratch(all(s, m) / 2);
}
void dissemination(SketchBuilder& s, Bytes m, Of) { families::dissemination(s, 1, m, true, true); }
void circulant(SketchBuilder& s, Bytes m, Of) { families::circulant(s, m); }
void neighbor_exchange(SketchBuilder& s, Bytes m, Of) { families::exchange_with_neighbors(s, m); }
void halving_doubling_blocks(SketchBuilder& s, Bytes m, Of) {
  const int among = partners(s);
  families::doubling(s, m / 2, 1, m, 0);
  families::doubling(s, static_cast<Bytes>(among) * m / 2, 0.5, 0, all(s, m));
  s.copies(2.0 * static_cast<double>(all(s, m)));
  s.needs_scratch(2 * all(s, m) + 2 * m);
}

// --- reductions and broadcasts of pieces
void scatter_ring(SketchBuilder& s, Bytes m, Of) {
  families::tree(s, 1, piece(s, m), kDown, Blocks::blocks, Keeps::nearest);
  families::ring(s, piece(s, m), s.place().P - 1);
}
void scatter_doubling(SketchBuilder& s, Bytes m, Of) {
  families::tree(s, 1, piece(s, m), kDown, Blocks::blocks, Keeps::nearest);
  families::doubling_blocks(s, piece(s, m));
}
void reduce_scatter_gather(SketchBuilder& s, Bytes m, Of) {
  s.combining(true);
  families::doubling_blocks(s, piece(s, m));
  s.combining(false);
  families::tree(s, 1, piece(s, m), kUp, Blocks::blocks, Keeps::nearest);
}
void pairwise_gather(SketchBuilder& s, Bytes m, Of) {
  s.combining(true);
  families::pairwise(s, piece(s, m));
  s.combining(false);
  families::tree(s, 1, piece(s, m), kUp, Blocks::blocks, Keeps::nearest);
}
// Reduce-scatter, then allgather, of pieces.
template <auto Draw>
void there_and_back(SketchBuilder& s, Bytes m, Of p) {
  s.sends_blocks();
  s.combining(true);
  Draw(s, piece(s, m), p);
  s.combining(false);
  Draw(s, piece(s, m), p);
}
void halving_doubling(SketchBuilder& s, Bytes m, Of) {
  s.sends_blocks();
  s.combining(true);
  families::doubling(s, m / 2, 0.5, m, 0);
  s.combining(false);
  families::doubling(s, m / 2, 0.5, 0, m);
}
// Whole vectors, combined at the end. A rank copies its own beside the others while these come.
template <auto Draw>
void whole(SketchBuilder& s, Bytes m, Of p) {
  s.sends_blocks();
  const std::size_t begin = s.stages().size();
  Draw(s, m, p);
  if (s.stages().size() > begin) {
    Stage& last = s.stages().back();
    last.combined += static_cast<double>((s.place().P - 1) * m) / last.rounds;
    last.combines_last = true;
    s.copies(static_cast<double>(m));  // the first one
    Stage& own = s.add(m);
    own.rounds = 0;
    own.copied = static_cast<double>(m);
  }
  s.needs_scratch(all(s, m));
}
void multiplying(SketchBuilder& s, Bytes m, Of p) {
  const int radix = std::min(p.k + 1, std::max(2, s.place().P));
  double partners = 1;
  while (partners * radix <= s.place().P) partners *= radix;
  // Each partner stands for itself and the ranks that lend to it.
  const double each = s.place().P / partners, lenders = std::ceil(each) - 1;
  const bool far = !s.place().within_node(each);
  s.combining(true);
  if (lenders > 0) families::hand_over(s, m, kUp, lenders, far, s.place().P - partners);
  // Partners in pairs, of whom those with lenders are an even distance apart: one of a pair has to
  // wait for its lender in the first round, and none does so twice.
  const double extra = s.place().P - partners;
  const bool apart = extra == 1 || (extra > 0 && std::fmod(partners, 2 * extra) == 0);
  const bool joins = radix == 2 && apart;
  if (joins) s.stages().back().order = Stage::Order::open;
  double peers = lenders;
  const std::size_t begin = s.stages().size();
  for (double d = 1; d < partners; d *= radix, peers += radix - 1) {
    Stage& stage = families::among_partners(s, d * each, partners, m, radix);
    if (radix > 2) {
      stage.copied = static_cast<double>(m);
      stage.combines_last = true;
    }
    if (joins && d == 1) stage.order = Stage::Order::joins;
  }
  s.sends_anew(begin);
  s.meets(peers);
  s.combining(false);
  if (lenders > 0) families::hand_over(s, m, kDown, lenders, far, s.place().P - partners);
  if (p.k > 1) s.needs_scratch(radix * m);
}
void bine_whole(SketchBuilder& s, Bytes m, Of) {
  s.combining(true);
  families::bine(s, m, 1);
}

// --- others
void bruck_alltoall(SketchBuilder& s, Bytes m, Of p) {
  const double P = s.place().P, radix = std::min<double>(p.k + 1, P);
  const std::size_t begin = s.stages().size();
  double peers = 0;
  for (double d = 1; d < P; d *= radix) {
    const double to = std::min<double>(radix - 1, (P - 1) / d);
    // Mean number of blocks in a message: those in whose number this digit has one value.
    const double cycle = d * radix, rest = std::fmod(P, cycle);
    const double moved = std::floor(P / cycle) * d * to + std::clamp(rest - d, 0.0, to * d);
    const double blocks = std::max(1.0, moved / to);
    families::shift(s, d, static_cast<Bytes>(std::ceil(blocks)) * m, to).repeats = true;
    s.copies(2 * blocks * to * static_cast<double>(m));
    peers += 2 * to;
  }
  s.copies(P * static_cast<double>(m));
  s.needs_scratch(3 * all(s, m));
  s.meets(peers);
  s.sends_anew(begin);
}
// In a ring, a message to each side.
void neighbours_at_once(SketchBuilder& s, Bytes m, Of) {
  const auto& stencil = s.place().stencil;
  const std::size_t begin = s.stages().size();
  if (stencil)
    families::over_distances(s, stencil->at_once, m);
  else
    families::shift(s, 1, m, 1, 2);
  s.meets(stencil ? static_cast<double>(stencil->at_once.size()) : 2);
  s.sends_anew(begin);
}
void neighbours_combined(SketchBuilder& s, Bytes m, Of p) {
  const auto stencil = s.place().stencil;
  if (!stencil) return neighbours_at_once(s, m, p);  // no message is saved
  const std::size_t begin = s.stages().size();
  double peers = 0;
  for (const Stencil::Phase& phase : stencil->combined) {
    families::over_distances(s, phase.distances,
                             static_cast<Bytes>(std::ceil(phase.blocks * static_cast<double>(m))));
    peers += static_cast<double>(phase.distances.size());
  }
  s.copies(stencil->copied * static_cast<double>(m));
  s.needs_scratch(static_cast<Bytes>(std::ceil(stencil->scratch * static_cast<double>(m))));
  s.meets(peers);
  s.sends_anew(begin);
}
void barrier_exchange(SketchBuilder& s, Bytes, Of) { families::doubling(s, 0, 1, 0, 0); }
void barrier_dissemination(SketchBuilder& s, Bytes, Of p) {
  families::dissemination(s, p.k, 0, false);
}
// Its owner takes the messages in the order of ranks, of which the first may have sent last.
void folded(SketchBuilder& s, Bytes m, Of) {
  s.combining(true);
  families::at_once(s, m);
  if (!s.stages().empty()) s.stages().back().by_rank = true;
}
void double_ring(SketchBuilder& s, Bytes, Of) { families::ring(s, 0, 2.0 * s.place().P); }
void scan_doubling(SketchBuilder& s, Bytes m, Of) {
  s.combining(true);
  families::scan(s, m);
  s.copies(static_cast<double>(m));
}
// A message is combined twice: into what is sent on, and into the result, without the own part.
void exscan_doubling(SketchBuilder& s, Bytes m, Of) {
  s.combining(true);
  const std::size_t begin = s.stages().size();
  families::scan(s, m);
  const std::span rounds = std::span{s.stages()}.subspan(begin);
  for (Stage& stage : rounds) {
    stage.combined *= 2;
    if (&stage != &rounds.back()) stage.copied += static_cast<double>(m);
  }
}

constexpr auto kExchanges = std::to_array<Row>({
    {Collective::barrier, "dissemination", barrier_dissemination},
    {Collective::barrier, "double-ring", double_ring},
    {Collective::barrier, "recursive-doubling", barrier_exchange},

    {Collective::bcast, "scatter-ring", scatter_ring},
    {Collective::bcast, "scatter-recursive-doubling", scatter_doubling},

    {Collective::allgather, "ring", ring},
    {Collective::allgather, "modified-ring", at_once},
    {Collective::allgather, "recursive-doubling", doubling},
    {Collective::allgather, "halving-doubling", halving_doubling_blocks},
    {Collective::allgather, "bruck", bruck},
    {Collective::allgather, "neighbor-exchange", neighbor_exchange},
    {Collective::allgather, "dissemination", dissemination},
    {Collective::allgather, "circulant", circulant},
    {Collective::allgather, "bine", bine},

    {Collective::alltoall, "at-once", at_once},
    {Collective::alltoall, "pairwise", pairwise},
    {Collective::alltoall, "bruck", bruck_alltoall},

    {Collective::neighbor_allgather, "at-once", neighbours_at_once},
    {Collective::neighbor_allgather, "combined", neighbours_combined},
    {Collective::neighbor_alltoall, "at-once", neighbours_at_once},
    {Collective::neighbor_alltoall, "combined", neighbours_combined},

    {Collective::reduce, "reduce-scatter-gather", reduce_scatter_gather},
    {Collective::reduce, "pairwise-gather", pairwise_gather},

    {Collective::allreduce, "recursive-doubling", multiplying},
    {Collective::allreduce, "halving-doubling", halving_doubling},
    {Collective::allreduce, "ring", there_and_back<ring>},
    {Collective::allreduce, "full-fan-out", there_and_back<at_once>},
    {Collective::allreduce, "ring-whole", whole<ring>},
    {Collective::allreduce, "full-fan-out-whole", whole<at_once>},
    {Collective::allreduce, "circulant", there_and_back<circulant>},
    {Collective::allreduce, "bine-doubling", bine_whole},
    {Collective::allreduce, "bine-halving-doubling", there_and_back<bine>},

    {Collective::reduce_scatter, "recursive-halving", copied<doubling>},
    {Collective::reduce_scatter, "ring", copied<ring>},
    {Collective::reduce_scatter, "pairwise", combined<pairwise>},
    {Collective::reduce_scatter, "full-fan-out", combined<at_once>},
    {Collective::reduce_scatter, "dissemination", copied<dissemination>},
    {Collective::reduce_scatter, "circulant", copied<circulant>},
    {Collective::reduce_scatter, "bine", copied<bine>},
    {Collective::reduce_scatter, "linear", folded},

    {Collective::scan, "recursive-doubling", rooted<scan_doubling>},
    {Collective::exscan, "recursive-doubling", rooted<exscan_doubling>},
});

}  // namespace

std::span<const Row> of_exchanges() noexcept { return kExchanges; }

}  // namespace tutti::models::drawings
