// Words for a call that takes long: what it is, and for whom it waits.
#include "src/news/hang_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "src/news/call_words.hpp"

namespace tutti {

using protocols::Asked;
using protocols::Channel;
using protocols::Standing;
using namespace std::chrono_literals;

namespace {

// More of them would fill the screen.
constexpr std::size_t kMostAwaitedNamed = 4;
// A rank that waits, or works in Tutti, answers each probe. An answer counts for so long, and for a
// few probes at least: a busy machine may delay the next.
constexpr auto kFresh = 2s;
constexpr int kFreshProbes = 4;

std::string in_words(const Asked& call) {
  const std::string arguments = arguments_of(call);
  return name_of(call) + (arguments.empty() ? "" : ", " + arguments);
}

// Where a member is that has answered lately.
std::string place(const Standing& said, const Agreement& agreement, CollectiveNumber mine,
                  const FindAgreement& find) {
  if (said.in == agreement.members().id())
    return said.call == mine ? "is in the same call"
                             : fmt::format("is in call {} there ({})", std::uint64_t{said.call} + 1,
                                           in_words(said.asked));
  std::string text = said.calls == 0   ? "has made no call there yet"
                     : said.calls == 1 ? "has made one call there"
                                       : fmt::format("has made {} calls there", said.calls);
  if (said.in == Agreement::kNoId) return text + ", and is in no collective of Tutti's now";
  const Agreement* const other = find ? find(said.in) : nullptr;
  return fmt::format(
      "{}, and is in a call of {} ({})", text,
      other ? words_for(other->members()) : fmt::format("communicator number {}", said.in),
      in_words(said.asked));
}

std::string situation(Channel& channel, const Agreement& agreement, CollectiveNumber call,
                      const Interval& waited, const FindAgreement& find) {
  const int peer = channel.peer();
  const Standings::Said* const said = agreement.standings().said(peer);
  std::string text = fmt::format("rank {}, ", peer);
  if (channel.connecting()) return text + "which has not connected to it yet";
  const bool has_answered = said && said->when >= waited.since;
  const auto last = has_answered ? said->when : waited.since;
  if (has_answered && waited.now - last <=
                          std::max<Agreement::Time::duration>(kFresh, kFreshProbes * waited.probes))
    return text + "which " + place(said->standing, agreement, call, find);
  const std::string process = channel.link().state_of_peer();
  return fmt::format("{}which {}{}", text,
                     waited.now - last > 2 * waited.probes
                         ? "has been in no collective of Tutti's for " + seconds(waited.now - last)
                         : "has not said where it is",
                     process.empty() ? "" : ": its " + process);
}

}  // namespace

std::string seconds(Agreement::Time::duration time) {
  const double count = std::chrono::duration<double>(time).count();
  return count < 1000 ? fmt::format("{:.3g} s", count) : fmt::format("{:.0f} s", count);
}

std::string why_it_hangs(const Agreement& agreement, const OpenCall& call,
                         std::vector<Channel*> awaited, const Interval& waited,
                         const FindAgreement& find) {
  const Standing mine = agreement.standings().mine(&call);
  std::string text = fmt::format("has been in call {} of {} ({}) for {}",
                                 std::uint64_t{mine.call} + 1, words_for(agreement.members()),
                                 in_words(mine.asked), seconds(waited.now - waited.since));
  std::ranges::sort(awaited, {}, &Channel::peer);
  awaited.erase(std::unique(awaited.begin(), awaited.end()), awaited.end());
  for (std::size_t i = 0; i < std::min(awaited.size(), kMostAwaitedNamed); ++i)
    text += (i == 0 ? ". It waits for " : "; for ") +
            situation(*awaited[i], agreement, mine.call, waited, find);
  if (awaited.size() > kMostAwaitedNamed)
    text += fmt::format("; and for {} more", awaited.size() - kMostAwaitedNamed);
  return text + std::string(kWhereToRead);
}

}  // namespace tutti
