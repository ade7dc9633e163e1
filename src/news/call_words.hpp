// Words for a call and for a communicator: their names and arguments.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "collectives/schedule/problem.hpp"
#include "protocols/news.hpp"

namespace tutti {

class Agreement;
class Members;

// "communicator `solver`", or by its number if it has no name. Throws std::bad_alloc.
std::string words_for(const Members& members);
// An error of the next call, before it begins: "rank 2 of MPI_COMM_WORLD, call 7 of communicator
// `solver` (allreduce): ", and the message. Throws std::bad_alloc.
std::string in_next_call(const Agreement& agreement, std::string_view collective,
                         std::string_view message);
// The call's demands, in the form of news. `rank`: of the communicator, this one.
protocols::Asked asked_of(const collectives::Task& task, Rank rank) noexcept;
// The collective is known; and so are its arguments, and can be. Any numbers may have come from a
// peer.
bool has_name(const protocols::Asked& call) noexcept;
bool is_known(const protocols::Asked& call) noexcept;
// Whether two known calls of different ranks may be one: false if it shows in what is known of them
// that they are not. Lengths that only one rank knows, or two, do not show it.
bool may_match(const protocols::Asked& one, const protocols::Asked& other) noexcept;
// "allgatherv", or "an unknown collective". Throws std::bad_alloc.
std::string name_of(const protocols::Asked& call);
// "800 bytes, root 0"; empty: there are none, or they are not known. Throws std::bad_alloc.
std::string arguments_of(const protocols::Asked& call);

}  // namespace tutti
