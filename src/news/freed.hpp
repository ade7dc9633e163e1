// Freed: the identifiers of the communicators that were freed here, and what a member that asks
// later must still hear of each.
//
// Promises: bounded memory. Identifiers are kept as ranges, of which all have said the same; of too
// many ranges the oldest are made one, at first those that have said the same. So what was said is
// forgotten only of the oldest, and after very many others. Where numbers in between may belong to
// communicators that are still to come, the oldest are forgotten instead. Pure.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "protocols/news.hpp"

namespace tutti {

class Freed {
 public:
  using Said = std::vector<protocols::News>;
  static constexpr std::size_t kMostRanges = 1024;
  enum class Gaps : bool { close, stay };
  explicit Freed(Gaps gaps = Gaps::close) noexcept : gaps_(gaps) {}

  // The communicator was freed, or more is known of it than before. `said`: its failure, its last
  // refusals (Agreement::each_old_news). If there is no memory, nothing is noted.
  void note(CommunicatorId id, Said said) noexcept;
  bool has(CommunicatorId id) const noexcept { return find(id) != nullptr; }
  // Whether it was freed, and this rank has passed all its calls there.
  bool ended_well(CommunicatorId id) const noexcept {
    const Said* const said = find(id);
    return said && said->empty();
  }
  // News for a member that waits in the call: the failure, or that the call was refused.
  std::optional<protocols::News> answer(CommunicatorId id, CollectiveNumber call) const noexcept;
  std::size_t ranges() const noexcept { return ranges_.size(); }

 private:
  struct Range {
    CommunicatorId last;
    Said said;  // names no communicator
  };
  using Ranges = std::map<CommunicatorId, Range>;  // by the first of each

  const Said* find(CommunicatorId id) const noexcept;
  bool extend_last(CommunicatorId id, const Said& said) noexcept;
  void cut_out(CommunicatorId id);
  void join_if_alike(Ranges::iterator earlier) noexcept;
  void forget_oldest(CommunicatorId newest) noexcept;

  Gaps gaps_;
  Ranges ranges_;
};

}  // namespace tutti
