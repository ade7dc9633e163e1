// Sketches of algorithms that are trees or chains, or one after the other. Pure.
#include <algorithm>
#include <array>

#include "models/decision/drawings.hpp"

namespace tutti::models::drawings {
namespace {

using collectives::Collective;
using families::Way;

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

// One of two ranks gets both halves from the other one.
void splitted_binary(SketchBuilder& s, Bytes m, Of) {
  s.sends_parts(2);
  if (s.place().P < 2) return;
  if (s.place().P == 2) return families::halves(s, m / 2);
  families::two_sides(s, m / 2);
  families::shift(s, 1, m / 2);
}
void reduce_then_scatter(SketchBuilder& s, Bytes m, Of) {
  s.combining(true);
  families::tree(s, 1, all(s, m), kUp, Blocks::whole, Keeps::nearest);
  s.combining(false);
  families::tree(s, 1, m, kDown, Blocks::blocks, Keeps::nearest);
  s.needs_scratch(all(s, m));
}
void gather_bcast(SketchBuilder& s, Bytes m, Of) {
  families::star(s, m, kUp);
  families::star(s, all(s, m), kDown);
}
void gather_bcast_binomial(SketchBuilder& s, Bytes m, Of p) {
  families::tree(s, p.k, m, kUp, Blocks::blocks);
  families::tree(s, p.k, all(s, m), kDown);
}
void line(SketchBuilder& s, Bytes m, Of) {
  s.combining(true);
  families::chains(s, 1, m, kUp);
}
void chain_and_back(SketchBuilder& s, Bytes m, Of p) {
  combined<chain<kUp>>(s, m, p);
  chain<kDown>(s, m, p);
  families::turn_back(s);
}

constexpr auto kTrees = std::to_array<Row>({
    {Collective::barrier, "flat-tree", up_and_down<star<kUp>, star<kDown>>},
    {Collective::barrier, "binomial", up_and_down<binomial<kUp>, binomial<kDown>>},
    {Collective::barrier, "binary", up_and_down<binary<kUp>, binary<kDown>>},
    {Collective::barrier, "chain", up_and_down<chain<kUp>, chain<kDown>>},
    {Collective::barrier, "k-chain", up_and_down<k_chain<kUp>, k_chain<kDown>>},

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

    {Collective::scatter, "linear", rooted<star<kDown>>},
    {Collective::scatter, "recursive-splitting", rooted<blocks_halving<kDown>>},
    {Collective::scatter, "binomial", rooted<blocks_tree<kDown>>},
    {Collective::scatter, "loggp", rooted<loggp_tree<kDown>>},
    {Collective::gather, "linear", rooted<star<kUp>>},
    {Collective::gather, "recursive-splitting", rooted<blocks_halving<kUp>>},
    {Collective::gather, "binomial", rooted<blocks_tree<kUp>>},
    {Collective::gather, "loggp", rooted<loggp_tree<kUp>>},

    {Collective::allgather, "gather-bcast", gather_bcast},
    {Collective::allgather, "gather-bcast-binomial", gather_bcast_binomial},

    {Collective::reduce, "linear", rooted<combined<star<kUp>>>},
    {Collective::reduce, "chain", rooted<combined<chain<kUp>>>},
    {Collective::reduce, "k-chain", rooted<combined<k_chain<kUp>>>},
    {Collective::reduce, "binomial", rooted<combined<binomial<kUp>>>},
    {Collective::reduce, "tau-binomial", rooted<combined<halving_tree<kUp>>>},
    {Collective::reduce, "binary", rooted<combined<binary<kUp>>>},
    {Collective::reduce, "k-ary", rooted<combined<k_ary<kUp>>>},
    {Collective::reduce, "circulant", rooted<combined<circulant_tree<kUp>>>},
    {Collective::reduce, "bine", rooted<combined<halving_tree<kUp>>>},

    {Collective::allreduce, "reduce-bcast", up_and_down<combined<binomial<kUp>>, binomial<kDown>>},
    {Collective::allreduce, "reduce-bcast-linear", up_and_down<combined<star<kUp>>, star<kDown>>},
    {Collective::allreduce, "chain", chain_and_back},

    {Collective::reduce_scatter, "reduce-scatter", reduce_then_scatter},

    {Collective::scan, "linear", rooted<line>},
    {Collective::exscan, "linear", rooted<line>},
});

}  // namespace

std::span<const Row> of_trees() noexcept { return kTrees; }

}  // namespace tutti::models::drawings
