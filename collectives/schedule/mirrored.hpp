// The mirror of a schedule that spreads data is one that collects them: what was sent is received,
// last step first. So gather comes from scatter, reduce from broadcast, reduce-scatter from
// allgather, and each pair has one source. Pure.
#pragma once

#include "collectives/schedule/problem.hpp"

namespace tutti::collectives {

// `spread` is a schedule of `mirror_of(problem)`, the collective whose mirror `problem` is; the
// result solves `problem`.
//   forwards                          mirrored
//   send S to peer                    receive from peer, and combine with what is at S
//   receive T from peer               send what is at T to peer; nothing is left at T
//   copy S to T                       combine what is at T with what is at S; nothing is left at T
// At first every place of the spread result holds the caller's contribution. It is read where it
// lies, in the caller's input, until something is combined with it. "Combine" with nothing is a
// move: without a reduction nothing else occurs. A contribution of a higher rank is the right
// operand.
Schedule mirrored(const Schedule& spread, const Problem& problem);

// The problem that spreads what `problem` (gather, reduce, reduce_scatter) collects, for the same
// rank.
Problem mirror_of(Problem problem);

}  // namespace tutti::collectives
