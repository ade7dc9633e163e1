// Operations of several ranks: messages by their numbers between two ranks, and collectives by
// their numbers in a group.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/error.hpp"
#include "base/index.hpp"
#include "base/text.hpp"
#include "models/kernel/text.hpp"

namespace tutti::models::kernel {
namespace {

// Operations of one direction between two ranks, in their order.
struct Ends {
  std::vector<const Operation*> sends, receives;
};

bool sends(Kind kind) noexcept { return kind == Kind::send || kind == Kind::isend; }
bool takes(Kind kind) noexcept { return kind == Kind::recv || kind == Kind::irecv; }

std::string at_line(const Operation& some) { return fmt::format("line {}", some.line); }

void match_messages(const Kernel& kernel) {
  std::map<std::pair<Rank, Rank>, Ends> all;
  for (Rank rank = 0; rank < kernel.P(); ++rank)
    for (const Operation& some : kernel.ranks[index(rank)]) {
      if (sends(some.kind)) all[{rank, some.peer}].sends.push_back(&some);
      if (takes(some.kind)) all[{some.peer, rank}].receives.push_back(&some);
    }
  for (const auto& [between, ends] : all) {
    const auto& [from, to] = between;
    const auto& [sent, received] = ends;
    for (std::size_t i = 0; i < std::max(sent.size(), received.size()); ++i) {
      if (i >= received.size())
        bad_configuration(fmt::format("{}: rank {} sends a message that rank {} never receives",
                                      at_line(*sent[i]), from, to));
      if (i >= sent.size())
        bad_configuration(fmt::format("{}: rank {} waits for a message that rank {} never sends",
                                      at_line(*received[i]), to, from));
      if (sent[i]->bytes != received[i]->bytes)
        bad_configuration(fmt::format("{}: rank {} sends {} to rank {}, which receives {} ({})",
                                      at_line(*sent[i]), from, counted(sent[i]->bytes, "byte"), to,
                                      received[i]->bytes, at_line(*received[i])));
    }
  }
}

void match_calls(const Kernel& kernel) {
  // By group, the calls of each of its ranks.
  std::map<int, std::map<Rank, std::vector<const Operation*>>> all;
  for (Rank rank = 0; rank < kernel.P(); ++rank)
    for (const Operation& some : kernel.ranks[index(rank)])
      if (some.kind == Kind::collective)
        all[kernel.calls[index(some.call)].group][rank].push_back(&some);
  for (auto& [group, made] : all) {
    const auto& ranks = kernel.groups[index(group)];
    const Rank first = ranks.front();
    for (const Rank rank : ranks) {
      const auto &one = made[first], &other = made[rank];
      for (std::size_t i = 0; i < std::max(one.size(), other.size()); ++i) {
        if (i >= one.size() || i >= other.size()) {
          const bool other_lacks = i >= other.size();
          const Operation& call = other_lacks ? *one[i] : *other[i];
          bad_configuration(fmt::format("{}: rank {} calls {}, which rank {} does not",
                                        at_line(call), other_lacks ? first : rank,
                                        to_string(kernel, call), other_lacks ? rank : first));
        }
        if (one[i]->call != other[i]->call)
          bad_configuration(fmt::format("{}: rank {} calls {} where rank {} calls {} ({})",
                                        at_line(*other[i]), rank, to_string(kernel, *other[i]),
                                        first, to_string(kernel, *one[i]), at_line(*one[i])));
      }
    }
  }
}

}  // namespace

void must_match(const Kernel& kernel) {
  match_messages(kernel);
  match_calls(kernel);
}

}  // namespace tutti::models::kernel
