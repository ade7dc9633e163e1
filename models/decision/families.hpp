// The families of which sketches are composed: each adds its stages to a sketch, for the sketch's
// place. `bytes`: of a message, or of one rank's block. Pure.
#pragma once

#include <span>

#include "collectives/algorithms/parameters.hpp"
#include "models/decision/sketch.hpp"

namespace tutti::models::families {

enum class Way : bool { down, up };
enum class Bytewise : bool { whole, blocks };
enum class Keeps : bool { farthest, nearest };

// --- trees (trees.cpp, k_ary.cpp, circulant_tree.cpp)
// One rank and all others.
void star(Sketch& sketch, Bytes bytes, Way way);
// In each round every rank that has a part of the ranks cuts it into k + 1 parts. blocks: a message
// holds those of a subtree. The n-way binomial tree gives away the nearest ranks first, halving
// (TAU's binomial tree) the farthest, so that its later rounds stay within nodes.
void tree(Sketch& sketch, int k, Bytes bytes, Way way, Bytewise bytewise = Bytewise::whole,
          Keeps keeps = Keeps::farthest);
void k_ary(Sketch& sketch, int k, Bytes bytes, Way way);
// Two binary trees below the root, which are beside each other. Takes 3 ranks at least.
void two_sides(Sketch& sketch, Bytes bytes);
// The first of two ranks sends the other one two messages.
void halves(Sketch& sketch, Bytes bytes);
// The best tree under LogGP for blocks of one length. Takes O(P). Where ranks share nodes, or
// cores, it is drawn as if they did not: the times that shape it know one kind of message.
void loggp_tree(Sketch& sketch, Bytes block, Way way, const collectives::LogGP& times);
void chains(Sketch& sketch, int k, Bytes bytes, Way way);
// The tree of a circulant graph's skips. Each further segment takes one round more, in which all
// ranks send.
void circulant_tree(Sketch& sketch, Bytes bytes, Way way);
// Up: a rank gets `messages` messages, each from another rank; down: it sends as many. far: they
// leave the node. `all`: messages of all ranks together.
void hand_over(Sketch& sketch, Bytes bytes, Way way, double messages, bool far, double all);
// The last hops go against those before: they leave a node where those came in. Requires two paths
// of the same ranks.
void turn_back(Sketch& sketch);

// --- exchanges (exchanges.cpp, direct.cpp)
// All ranks send `messages` messages to each of those 1, 2, … `to` times that far away.
Stage& shift(Sketch& sketch, double distance, Bytes bytes, double to = 1, double messages = 1,
             double rounds = 1);
// All ranks send one message over each of these distances, all at once.
void over_distances(Sketch& sketch, std::span<const double> distances, Bytes bytes);
// In each of so many rounds, to the next rank.
void ring(Sketch& sketch, Bytes bytes, double rounds);
// P / 2 exchanges with the one and the other neighbour in turn, of two blocks but for the first.
void exchange_with_neighbors(Sketch& sketch, Bytes bytes);
// ⌈log_{k+1} P⌉ rounds of k messages to r + y(k+1)^i. `grows`: the bytes double, or what the base
// is, up to those of all ranks. `parts`: blocks that go around the end leave as two messages.
void dissemination(Sketch& sketch, int k, Bytes bytes, bool grows, bool parts = false);
// ⌈log2 P⌉ rounds; in each a rank sends the blocks that it has to the rank one skip away.
void circulant(Sketch& sketch, Bytes bytes);
// log2 P rounds. `growth`: the bytes of the first one, of which later ones have growth times as
// many.
void bine(Sketch& sketch, Bytes bytes, double growth);
// log2 of the largest power of two rounds with r ^ 2^i. `growth`: the bytes of the first round
// (2^0), of which later ones have growth times as many. Other ranks: `lent` before, `given` after.
void doubling(Sketch& sketch, Bytes first, double growth, Bytes lent, Bytes given);
// An allgather draws these exchanges for blocks, backwards if the sketch combines them.
void doubling_blocks(Sketch& sketch, Bytes block);
// One round of an exchange in groups of `radix`. Only `partners` of the P ranks take part; those of
// a group are `distance` ranks apart.
Stage& among_partners(Sketch& sketch, double distance, double partners, Bytes bytes, int radix);
// ⌈log2 P⌉ rounds; in round i rank r sends to r + 2^i what it has combined so far.
void scan(Sketch& sketch, Bytes bytes);
// All ranks to all, at once or one after another.
void at_once(Sketch& sketch, Bytes bytes);
void pairwise(Sketch& sketch, Bytes bytes);

}  // namespace tutti::models::families
