// Words for calls and communicators in errors and reports.
#include "src/news/call_words.hpp"

#include <fmt/format.h>

#include <numeric>

#include "base/text.hpp"
#include "src/news/agreement.hpp"

namespace tutti {

using collectives::Collective;
using protocols::Asked;

Asked asked_of(const collectives::Task& task, Rank rank) noexcept {
  Asked asked{.collective = static_cast<std::int16_t>(task.collective),
              .lengths = Asked::Lengths::equal,
              .root = task.root,
              .bytes = task.bytes};
  if (!task.counts.empty()) {
    asked.lengths =
        task.counts_known || rank == task.root ? Asked::Lengths::several : Asked::Lengths::own;
    asked.bytes = std::accumulate(task.counts.begin(), task.counts.end(), Bytes{0});
  }
  return asked;
}

bool has_name(const Asked& call) noexcept {
  return call.collective >= 0 && call.collective < static_cast<int>(collectives::kCollectives);
}

bool is_known(const Asked& call) noexcept {
  return has_name(call) && call.lengths > Asked::Lengths::unknown &&
         call.lengths <= Asked::Lengths::own;
}

bool may_match(const Asked& one, const Asked& other) noexcept {
  if (one.collective != other.collective) return false;
  const auto collective = static_cast<Collective>(one.collective);
  if (collectives::is_rooted(collective) && one.root != other.root) return false;
  if (collectives::is_of_neighbours(collective) || one.lengths != other.lengths) return true;
  switch (one.lengths) {
    case Asked::Lengths::equal: return one.bytes == other.bytes;
    case Asked::Lengths::several:
      return collective == Collective::alltoall || one.bytes == other.bytes;
    default: return true;
  }
}

std::string words_for(const Members& members) {
  return members.name().empty() ? fmt::format("communicator number {}", members.id())
                                : fmt::format("communicator `{}`", in_one_line(members.name()));
}

std::string in_next_call(const Agreement& agreement, std::string_view collective,
                         std::string_view message) {
  return fmt::format("rank {} of MPI_COMM_WORLD, call {} of {} ({}): {}",
                     agreement.members().world_rank(), agreement.count().of_next(),
                     words_for(agreement.members()), collective, message);
}

std::string name_of(const Asked& call) {
  if (!has_name(call)) return "an unknown collective";
  const auto collective = static_cast<Collective>(call.collective);
  std::string name(collectives::name_of(collective));
  if (!is_known(call)) return name;
  const bool equal = call.lengths == Asked::Lengths::equal;
  if (collective == Collective::reduce_scatter) return equal ? name + "_block" : name;
  return equal ? name : name + 'v';
}

std::string arguments_of(const Asked& call) {
  if (!is_known(call)) return {};
  const auto collective = static_cast<Collective>(call.collective);
  if (collective == Collective::barrier) return {};
  std::string text = fmt::format("{}{}", counted(call.bytes, "byte"),
                                 call.lengths == Asked::Lengths::equal     ? ""
                                 : call.lengths == Asked::Lengths::several ? " in all"
                                                                           : " of its own");
  if (collectives::is_rooted(collective)) text += fmt::format(", root {}", call.root);
  return text;
}

}  // namespace tutti
