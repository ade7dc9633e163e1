// The mirror of a schedule that spreads data collects data: what was sent is received, last step
// first. So gather comes from scatter, reduce from broadcast, reduce-scatter from allgather, and
// each pair has one source. Pure.
#pragma once

#include "collectives/schedule/problem.hpp"

namespace tutti::collectives {

// `spread` solves mirror_of(problem); the result solves `problem`.
//   forwards                          mirrored
//   send S to peer                    receive from peer, and combine with what is at S
//   receive T from peer               send what is at T to peer; nothing is left at T
//   copy S to T                       combine what is at T with what is at S; nothing is left at T
// At first every place of the spread result holds the caller's contribution. It is read in the
// caller's input until something is combined with it. To combine with nothing is to move, and
// without a reduction nothing else happens. The contribution of a higher rank is the right operand.
Schedule mirrored(const Schedule& spread, const Problem& problem);

// The problem, of the same rank, that spreads what `problem` (a gather, reduce or reduce_scatter)
// collects.
Problem mirror_of(Problem problem);

}  // namespace tutti::collectives
