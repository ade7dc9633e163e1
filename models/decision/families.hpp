// The families of which sketches are composed: each adds its stages to a sketch, for the sketch's
// place. `bytes`: of a message, or of one rank's block. Pure.
#pragma once

#include <span>

#include "collectives/algorithms/parameters.hpp"
#include "models/decision/sketch_builder.hpp"

namespace tutti::models::families {

enum class Way : bool { down, up };
enum class Bytewise : bool { whole, blocks };
enum class Keeps : bool { farthest, nearest };

// --- trees (trees.cpp, chains.cpp, k_ary.cpp, circulant_tree.cpp)
// One rank and all others.
void star(SketchBuilder& sketch, Bytes bytes, Way way);
// In each round every rank that has a part of the ranks cuts it into k + 1 parts. blocks: a message
// holds those of a subtree. The n-way binomial tree gives away the nearest ranks first, halving
// (TAU's binomial tree) the farthest, so that its later rounds stay within nodes.
void tree(SketchBuilder& sketch, int k, Bytes bytes, Way way, Bytewise bytewise = Bytewise::whole,
          Keeps keeps = Keeps::farthest);
void k_ary(SketchBuilder& sketch, int k, Bytes bytes, Way way);
// Two binary trees below the root, which are beside each other. Takes 3 ranks at least.
void two_sides(SketchBuilder& sketch, Bytes bytes);
// The first of two ranks sends the other one two messages.
void halves(SketchBuilder& sketch, Bytes bytes);
// The best tree under LogGP for blocks of one length. Takes O(P). Where ranks share nodes, or
// cores, it is drawn as if they did not: the times that shape it know one kind of message.
void loggp_tree(SketchBuilder& sketch, Bytes block, Way way, const collectives::LogGP& times);
void chains(SketchBuilder& sketch, int k, Bytes bytes, Way way);
// The tree of a circulant graph's skips. Each further segment takes one round more, in which all
// ranks send.
void circulant_tree(SketchBuilder& sketch, Bytes bytes, Way way);
// Up: a rank gets `messages` messages, each from another rank; down: it sends as many. far: they
// leave the node. `all`: messages of all ranks together.
void hand_over(SketchBuilder& sketch, Bytes bytes, Way way, double messages, bool far, double all);
// The last hops go against those before: they leave a node where those came in. Requires two paths
// of the same ranks.
void turn_back(SketchBuilder& sketch);

// --- exchanges (exchanges.cpp, dissemination.cpp, direct.cpp)
// All ranks send `messages` messages to each of those 1, 2, … `to` times that far away.
Stage& shift(SketchBuilder& sketch, double distance, Bytes bytes, double to = 1,
             double messages = 1, double rounds = 1);
// All ranks send one message over each of these distances, all at once.
void over_distances(SketchBuilder& sketch, std::span<const double> distances, Bytes bytes);
// In each of so many rounds, to the next rank.
void ring(SketchBuilder& sketch, Bytes bytes, double rounds);
// P / 2 exchanges with the one and the other neighbour in turn, of two blocks but for the first.
void exchange_with_neighbors(SketchBuilder& sketch, Bytes bytes);
// ⌈log_{k+1} P⌉ rounds of k messages to r + y(k+1)^i. `grows`: the bytes double, or what the base
// is, up to those of all ranks. `parts`: blocks that go around the end leave as two messages.
void dissemination(SketchBuilder& sketch, int k, Bytes bytes, bool grows, bool parts = false);
// ⌈log2 P⌉ rounds; in each a rank sends the blocks that it has to the rank one skip away.
void circulant(SketchBuilder& sketch, Bytes bytes);
// log2 P rounds. The messages of the first one have `bytes` bytes, those of each later one `growth`
// times as many as those of the round before.
void bine(SketchBuilder& sketch, Bytes bytes, double growth);
// p ranks, the largest power of two that is at most P, exchange in log2 p rounds: in round i rank r
// with r ^ 2^i. The messages of round 0 have `first` bytes, those of each later round `growth`
// times as many as those of the round before. Each other rank hands `lent` bytes to one of the p
// ranks before these rounds, and gets `given` bytes from it after them.
void doubling(SketchBuilder& sketch, Bytes first, double growth, Bytes lent, Bytes given);
// An allgather draws these exchanges for blocks, backwards if the sketch combines them.
void doubling_blocks(SketchBuilder& sketch, Bytes block);
// One round of an exchange in groups of `radix`. Only `partners` of the P ranks take part; those of
// a group are `distance` ranks apart.
Stage& among_partners(SketchBuilder& sketch, double distance, double partners, Bytes bytes,
                      int radix);
// ⌈log2 P⌉ rounds; in round i rank r sends to r + 2^i what it has combined so far.
void scan(SketchBuilder& sketch, Bytes bytes);
// All ranks to all, at once or one after another.
void at_once(SketchBuilder& sketch, Bytes bytes);
void pairwise(SketchBuilder& sketch, Bytes bytes);

}  // namespace tutti::models::families
