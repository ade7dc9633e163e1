// For tests of the agreement: members, calls, and what members say.
#pragma once

#include <catch2/catch.hpp>
#include <chrono>
#include <optional>
#include <vector>

#include "src/news/agreement.hpp"

namespace tutti::tests {

using collectives::Collective;
using collectives::Task;
using protocols::News;

inline constexpr CommunicatorId kId = 7;
inline constexpr int kMembers = 4;

struct Begun final : OpenCall {
  explicit Begun(const Task* task = nullptr, std::uint32_t mark = 0) {
    task_ = task;
    mark_ = mark << kOrdinalBits;
  }
  void advance() noexcept override {}
};

// One member's side. Ranks of the communicator are ranks of MPI_COMM_WORLD in reverse order, from
// 13 down to 10.
struct Member : Agreement {
  explicit Member(int rank = 0, CollectiveNumber first = 0)
      : Agreement({kId, rank, {13, 12, 11, 10}}, first) {}
  int world_rank() const { return members().world_rank(); }
};

inline const Task kBarrier{};
inline Task bcast(Bytes bytes, Rank root = 0) {
  return {.collective = Collective::bcast, .root = root, .bytes = bytes};
}
inline News refused(CollectiveNumber call, Code code = Code::bad_count) {
  return {.kind = News::Kind::refused, .communicator = kId, .call = call, .code = code};
}
inline News passed(CollectiveNumber call) {
  return {.kind = News::Kind::passed, .communicator = kId, .call = call};
}
inline News waits(CollectiveNumber call, std::uint32_t fingerprint) {
  return {.kind = News::Kind::waits, .communicator = kId, .call = call, .fingerprint = fingerprint};
}
inline MessageName message(CollectiveNumber call, std::uint32_t mark = 0) {
  return {kId, call, mark << kOrdinalBits | 5};
}
inline std::vector<News> old_news(const Agreement& agreement) {
  std::vector<News> all;
  agreement.each_old_news([&](const News& news) { all.push_back(news); });
  return all;
}
constexpr Agreement::Time at(int seconds) { return Agreement::Time{std::chrono::seconds{seconds}}; }

// `asker` waits for `other` in its call; what `other` answers.
inline std::optional<News> ask(Member& asker, const OpenCall& call, Member& other) {
  const auto news = asker.waiting(call, other.world_rank());
  REQUIRE(news);
  return other.hear(*news, asker.world_rank());
}

}  // namespace tutti::tests
