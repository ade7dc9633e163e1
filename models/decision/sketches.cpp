// A row for each algorithm, in the order of list.def: a table, which is why it is long. Pure.
#include "models/decision/sketches.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <vector>

#include "models/decision/families.hpp"

namespace tutti::models {
namespace {

using collectives::Algorithm;
using collectives::Collective;
using collectives::Parameters;
using families::Keeps;
using families::Way;
using Blocks = families::Bytewise;
using Of = const Parameters&;

constexpr Way kUp = Way::up, kDown = Way::down;

Bytes piece(const SketchBuilder& s, Bytes whole) { return (whole + s.place().P - 1) / s.place().P; }
Bytes all(const SketchBuilder& s, Bytes block) { return s.place().P * block; }
int partners(const SketchBuilder& s) {
  return static_cast<int>(std::bit_floor(static_cast<unsigned>(s.place().P)));
}

// Trees, by name; downwards, or upwards with what arrives being combined.
template <Way way>
void binomial(SketchBuilder& s, Bytes m, Of p) {
  families::tree(s, p.k, m, way);
}
template <Way way>
void halving_tree(SketchBuilder& s, Bytes m, Of) {
  families::tree(s, 1, m, way, Blocks::whole, Keeps::nearest);
}
template <Way way>
void star(SketchBuilder& s, Bytes m, Of) {
  families::star(s, m, way);
}
template <Way way>
void chain(SketchBuilder& s, Bytes m, Of) {
  families::chains(s, 1, m, way);
}
template <Way way>
void k_chain(SketchBuilder& s, Bytes m, Of p) {
  families::chains(s, p.k, m, way);
}
template <Way way>
void k_ary(SketchBuilder& s, Bytes m, Of p) {
  families::k_ary(s, p.k, m, way);
}
template <Way way>
void binary(SketchBuilder& s, Bytes m, Of) {
  families::k_ary(s, 2, m, way);
}
// ⌈log2 P⌉ rounds; each segment more is a round more.
template <Way way>
void circulant_tree(SketchBuilder& s, Bytes m, Of) {
  families::circulant_tree(s, m, way);
}
template <Way way>
void blocks_tree(SketchBuilder& s, Bytes m, Of p) {
  families::tree(s, p.k, m, way, Blocks::blocks);
  s.needs_scratch((s.place().P + p.k) / (p.k + 1) * m);  // of the largest subtree
}
template <Way way>
void blocks_halving(SketchBuilder& s, Bytes m, Of) {
  families::tree(s, 1, m, way, Blocks::blocks, Keeps::nearest);
  s.needs_scratch((s.place().P + 1) / 2 * m);
}
// The search for the tree takes O(P): with more ranks halving stands for it, which grows alike.
template <Way way>
void loggp_tree(SketchBuilder& s, Bytes m, Of p) {
  constexpr int kMostSearched = 1 << 14;
  if (s.place().P > kMostSearched) return blocks_halving<way>(s, m, p);
  families::loggp_tree(s, m, way, p.times.or_else(collectives::kUsualTimes));
}

template <auto Up, auto Down>
void up_and_down(SketchBuilder& s, Bytes m, Of p) {
  Up(s, m, p);
  s.combining(false);
  Down(s, m, p);
}
// Signals both ways, and reductions: a broadcast's tree upwards.
template <auto Up>
void combined(SketchBuilder& s, Bytes m, Of p) {
  s.combining(true);
  Up(s, m, p);
  s.combining(false);
}
// Draws in a copy of all blocks, as the program's are only read.
template <auto Draw>
void copied(SketchBuilder& s, Bytes m, Of p) {
  combined<Draw>(s, m, p);
  s.needs_scratch(all(s, m));
}
template <auto Draw>
void rooted(SketchBuilder& s, Bytes m, Of p) {
  Draw(s, m, p);
  s.one_way(true);
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
void gather_bcast(SketchBuilder& s, Bytes m, Of) {
  families::star(s, m, kUp);
  families::star(s, all(s, m), kDown);
}
void gather_bcast_binomial(SketchBuilder& s, Bytes m, Of p) {
  families::tree(s, p.k, m, kUp, Blocks::blocks);
  families::tree(s, p.k, all(s, m), kDown);
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
// One of two ranks gets both halves from the other one.
void splitted_binary(SketchBuilder& s, Bytes m, Of) {
  s.sends_parts(2);
  if (s.place().P < 2) return;
  if (s.place().P == 2) return families::halves(s, m / 2);
  families::two_sides(s, m / 2);
  families::shift(s, 1, m / 2);
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
void reduce_then_scatter(SketchBuilder& s, Bytes m, Of) {
  s.combining(true);
  families::tree(s, 1, all(s, m), kUp, Blocks::whole, Keeps::nearest);
  s.combining(false);
  families::tree(s, 1, m, kDown, Blocks::blocks, Keeps::nearest);
  s.needs_scratch(all(s, m));
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
    families::shift(s, d, static_cast<Bytes>(std::ceil(blocks)) * m, to);
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
void line(SketchBuilder& s, Bytes m, Of) {
  s.combining(true);
  families::chains(s, 1, m, kUp);
}
void scan_doubling(SketchBuilder& s, Bytes m, Of) {
  s.combining(true);
  families::scan(s, m);
  s.copies(static_cast<double>(m));
}

void chain_and_back(SketchBuilder& s, Bytes m, Of p) {
  combined<chain<kUp>>(s, m, p);
  chain<kDown>(s, m, p);
  families::turn_back(s);
}

struct Row {
  Collective collective;
  std::string_view name;
  Draw draw;
};

constexpr auto kRows = std::to_array<Row>({
    {Collective::barrier, "dissemination", barrier_dissemination},
    {Collective::barrier, "flat-tree", up_and_down<star<kUp>, star<kDown>>},
    {Collective::barrier, "binomial", up_and_down<binomial<kUp>, binomial<kDown>>},
    {Collective::barrier, "binary", up_and_down<binary<kUp>, binary<kDown>>},
    {Collective::barrier, "chain", up_and_down<chain<kUp>, chain<kDown>>},
    {Collective::barrier, "k-chain", up_and_down<k_chain<kUp>, k_chain<kDown>>},
    {Collective::barrier, "double-ring", double_ring},
    {Collective::barrier, "recursive-doubling", barrier_exchange},

    {Collective::bcast, "binomial", rooted<binomial<kDown>>},
    {Collective::bcast, "chain", rooted<chain<kDown>>},
    {Collective::bcast, "k-chain", rooted<k_chain<kDown>>},
    {Collective::bcast, "binary", rooted<binary<kDown>>},
    {Collective::bcast, "k-ary", rooted<k_ary<kDown>>},
    {Collective::bcast, "linear", rooted<star<kDown>>},
    {Collective::bcast, "tau-binomial", rooted<halving_tree<kDown>>},
    {Collective::bcast, "splitted-binary", splitted_binary},
    {Collective::bcast, "circulant", rooted<circulant_tree<kDown>>},
    {Collective::bcast, "bine", rooted<halving_tree<kDown>>},
    {Collective::bcast, "scatter-ring", scatter_ring},
    {Collective::bcast, "scatter-recursive-doubling", scatter_doubling},

    {Collective::scatter, "linear", rooted<star<kDown>>},
    {Collective::scatter, "recursive-splitting", rooted<blocks_halving<kDown>>},
    {Collective::scatter, "binomial", rooted<blocks_tree<kDown>>},
    {Collective::scatter, "loggp", rooted<loggp_tree<kDown>>},
    {Collective::gather, "linear", rooted<star<kUp>>},
    {Collective::gather, "recursive-splitting", rooted<blocks_halving<kUp>>},
    {Collective::gather, "binomial", rooted<blocks_tree<kUp>>},
    {Collective::gather, "loggp", rooted<loggp_tree<kUp>>},

    {Collective::allgather, "ring", ring},
    {Collective::allgather, "modified-ring", at_once},
    {Collective::allgather, "recursive-doubling", doubling},
    {Collective::allgather, "halving-doubling", halving_doubling_blocks},
    {Collective::allgather, "bruck", bruck},
    {Collective::allgather, "gather-bcast", gather_bcast},
    {Collective::allgather, "gather-bcast-binomial", gather_bcast_binomial},
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

    {Collective::reduce, "linear", rooted<combined<star<kUp>>>},
    {Collective::reduce, "chain", rooted<combined<chain<kUp>>>},
    {Collective::reduce, "k-chain", rooted<combined<k_chain<kUp>>>},
    {Collective::reduce, "binomial", rooted<combined<binomial<kUp>>>},
    {Collective::reduce, "tau-binomial", rooted<combined<halving_tree<kUp>>>},
    {Collective::reduce, "binary", rooted<combined<binary<kUp>>>},
    {Collective::reduce, "k-ary", rooted<combined<k_ary<kUp>>>},
    {Collective::reduce, "circulant", rooted<combined<circulant_tree<kUp>>>},
    {Collective::reduce, "bine", rooted<combined<halving_tree<kUp>>>},
    {Collective::reduce, "reduce-scatter-gather", reduce_scatter_gather},
    {Collective::reduce, "pairwise-gather", pairwise_gather},

    {Collective::allreduce, "recursive-doubling", multiplying},
    {Collective::allreduce, "halving-doubling", halving_doubling},
    {Collective::allreduce, "reduce-bcast", up_and_down<combined<binomial<kUp>>, binomial<kDown>>},
    {Collective::allreduce, "reduce-bcast-linear", up_and_down<combined<star<kUp>>, star<kDown>>},
    {Collective::allreduce, "chain", chain_and_back},
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
    {Collective::reduce_scatter, "reduce-scatter", reduce_then_scatter},
    {Collective::reduce_scatter, "linear", folded},

    {Collective::scan, "linear", rooted<line>},
    {Collective::scan, "recursive-doubling", rooted<scan_doubling>},
    {Collective::exscan, "linear", rooted<line>},
    {Collective::exscan, "recursive-doubling", rooted<scan_doubling>},
});

}  // namespace

Draw drawing_of(const Algorithm& algorithm, Collective collective) {
  using Drawings = std::array<Draw, collectives::kCollectives>;
  static const auto& all = *new std::vector<Drawings>([] {  // by number in the catalogue
    std::vector<Drawings> made;
    made.reserve(collectives::algorithms().size());
    for (const Algorithm& some : collectives::algorithms()) {
      Drawings& drawings = made.emplace_back();
      for (const Row& row : kRows)
        if (row.name == some.name) drawings[index(row.collective)] = row.draw;
    }
    return made;
  }());
  const auto number = &algorithm - collectives::algorithms().data();
  return all[static_cast<std::size_t>(number)][index(collective)];
}

Draw drawing_of(const Algorithm& algorithm) { return drawing_of(algorithm, algorithm.collective); }

std::string_view why_no_sketch(const Algorithm& algorithm) noexcept {
  if (algorithm.needs.has(collectives::Condition::datagrams))
    return "it is chosen by hand only: all ranks join a group when Tutti starts, if a setting "
           "names it";
  if (algorithm.traits.times)
    return "it is chosen by hand only here: its tree is found by a search, for blocks of one "
           "length and up to 4096 ranks that have cores of their own and all share a node or none, "
           "under parameters of the models logp and loggp";
  if (algorithm.traits.levels)
    return "it is chosen by hand only here: it takes several nodes, and several ranks on one, to "
           "have two levels";
  if (algorithm.traits.nodes)
    return "it is chosen by hand only here: there are not several nodes of equally many ranks, "
           "which would be the rows of its grid";
  return "it is chosen by hand only: its ranks wait for each other in the order of a text, and a "
         "ring or direct messages move the same bytes without that";
}

bool draw(Sketch& sketch, const Topology& place, const Algorithm& algorithm, Bytes bytes,
          const Parameters& parameters) {
  SketchBuilder builder(sketch, place);
  if (algorithm.traits.levels) {
    draw_levels(builder, place, algorithm, bytes, parameters);
    return true;
  }
  if (algorithm.traits.nodes) return draw_grid(builder, place, algorithm, bytes);
  const Draw drawing = drawing_of(algorithm);
  if (drawing) drawing(builder, bytes, parameters);
  return drawing != nullptr;
}

}  // namespace tutti::models
