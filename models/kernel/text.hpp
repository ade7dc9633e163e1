// The text of a kernel. Pure.
//
//   ranks 6                       first: how many there are
//   node 0-3                      a line for each node: its ranks (or none: the caller knows them)
//   let block = 32KiB             a number or a size with a name
//   unit block                    in which expressions count bytes
//   group left = 0,4              ranks with a name, in this order
//   speed 4,5 = 0.5               what they compute takes twice as long; 1 where nothing is said
//
//   rank 0-3: OPERATIONS          of these ranks, or groups, until the next `rank` or `all`
//   all: OPERATIONS
//   repeat 10 { … }               whatever stands within, of one rank or of several
//   stage                         between two parts of the program; only expressions look at it
//
// An operation ends with its line or with a semicolon; # begins a comment.
//
//   compute 1.5ms                 or s, us, ns
//   send 4KiB to=1                done when the message has left; to=+1, to=-1: the rank so many
//   recv 4KiB from=0              further, around the end; to=^4: the rank of the other bit
//   isend …, irecv …, wait        wait: for all that were begun so
//   bcast 64KiB root=0            a collective, by the names that `tutti list` has, of all ranks,
//   or
//     among=left                  of a group or of ranks such as 0-3,8; the root (otherwise the
//     algorithm=chain(k=2)        first rank of them) and the algorithm, which else the model names
//
// A size is a number, a unit or a name, or a product of such: 4096, 64KiB, 134*block. So is a time,
// with one factor that has a unit: 134*0.2ms. No blanks within.
#pragma once

#include <string_view>

#include "models/kernel/kernel.hpp"

namespace tutti::models::kernel {

// Throws Error{bad_configuration}, which names the line: what cannot be read, an unknown rank, a
// rank that does nothing, a message that nobody receives or sends or whose ends differ in length,
// and collectives that ranks do not call alike.
Kernel parse_kernel(std::string_view text);

// The checks above that look at several ranks.
void must_match(const Kernel& kernel);

// All repetitions counted. A kernel of more is refused.
inline constexpr std::size_t kMostOperations = std::size_t{1} << 22;

}  // namespace tutti::models::kernel
