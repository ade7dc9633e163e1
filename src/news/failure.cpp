// How a communicator fails, and what people hear of it.
#include "src/news/failure.hpp"

#include "src/news/call_words.hpp"

namespace tutti {

using protocols::Asked;
using protocols::News;

News Failure::news() const noexcept {
  News news{.communicator = members_.id(), .call = call_, .code = code_, .culprit = culprit_};
  if (difference_) {
    news.call = difference_->call();
    news.asked = difference_->mine();
    // The blamed rank blames the other: its call is the one that is not this rank's.
    if (news.culprit == members_.world_rank()) news.culprit = difference_->other().rank;
    if (news.culprit == difference_->other().rank)
      news.set_collective_of_culprit(difference_->other().asked.collective);
  }
  return news;
}

void Failure::record_refusal(int member, Code code, CollectiveNumber call) noexcept {
  if (happened()) return;
  call_ = call;
  culprit_ = member;
  code_ = code;
  reword([&] {
    return fmt::format(
        "rank {} of MPI_COMM_WORLD could not begin call {} of {}, in which this rank takes part: "
        "{} (see the error it returned)",
        member, count_.of(call), words_for(members_), text_of(code));
  });
}

// The first cause is what the call has returned, whoever tells this rank of it.
void Failure::record_own_refusal(Code code, CollectiveNumber call, std::string_view why) noexcept {
  if (happened()) return;
  call_ = call;
  culprit_ = members_.world_rank();
  code_ = code;
  reword([&] {
    return why.empty()
               ? fmt::format(
                     "the communicator has failed by call {} of {}, which this rank, {} of "
                     "MPI_COMM_WORLD, rejected: {}",
                     count_.of(call), words_for(members_), culprit_, text_of(code))
               : fmt::format("the communicator has failed by a call that this rank rejected: {}",
                             why);
  });
}

void Failure::record_in(const OpenCall& call, Code code, int culprit, const char* text) noexcept {
  if (code != Code::calls_differ) return record(code, culprit, "{}", text);
  Asked theirs;
  if (const collectives::Task* const task = calls_.task_of(call.number()))
    theirs.collective = asked_of(*task, members_.rank()).collective;
  record_difference(call.number(), culprit, theirs, text);
}

void Failure::record_difference(CollectiveNumber call, int member, const Asked& theirs,
                                const char* how) noexcept {
  if (happened()) return;
  culprit_ = member;
  code_ = Code::calls_differ;
  difference_.emplace(call, mine_in(call), Difference::Side{member, theirs}, how);
  tell_difference();
}

Difference::Side Failure::mine_in(CollectiveNumber call) const noexcept {
  const collectives::Task* const task = calls_.task_of(call);
  return {members_.world_rank(), task ? asked_of(*task, members_.rank()) : Asked{}};
}

void Failure::record_on_all(int culprit, std::string text) noexcept {
  if (happened() && code_ != Code::calls_differ) return;
  code_ = Code::calls_differ;
  culprit_ = culprit;
  text_ = std::move(text);
  difference_.reset();
  told_ = true;
}

void Failure::tell_difference() noexcept {
  if (difference_) reword([&] { return difference_->in_words(members_, count_); });
}

// A rank that lives and is taken for dead has lost a connection.
std::optional<News> Failure::hear(const News& news, int from) noexcept {
  if (news.code == Code::calls_differ) return hear_difference(news, from);
  const bool is_new = !happened();
  if (news.code == Code::peer_failed && news.culprit == members_.world_rank())
    record(Code::transport_failed, from,
           "a connection between this rank and another one has failed, says rank {} of "
           "MPI_COMM_WORLD: there this rank is taken for dead",
           from);
  else if (news.code == Code::peer_failed)
    record(news.code, news.culprit, "rank {} of MPI_COMM_WORLD has failed, says rank {}",
           news.culprit, from);
  else
    record(
        news.code, news.culprit,
        "rank {} of MPI_COMM_WORLD says that the communicator has failed there: {} (about rank {})",
        from, text_of(news.code), news.culprit);
  if (is_new) call_ = news.call;
  return std::nullopt;
}

// Both ranks whose calls differ are told what the other's is. A rank that made neither may never
// hear from the one that made the other call, but knows at least which collective that is.
std::optional<News> Failure::hear_difference(const News& news, int from) noexcept {
  const bool about_me = news.culprit == members_.world_rank();
  const Difference::Side sender{from, news.asked};
  if (happened()) {
    if (difference_ && difference_->call() == news.call) difference_->hear(sender);
    return std::nullopt;
  }
  culprit_ = news.culprit;
  code_ = Code::calls_differ;
  if (about_me || news.culprit == kNoPeer || news.culprit == from)
    difference_.emplace(news.call, mine_in(news.call), sender, nullptr);
  else
    difference_.emplace(news.call, mine_in(news.call), sender,
                        Difference::Side{news.culprit, {news.collective_of_culprit()}});
  tell_difference();
  return about_me ? std::optional(this->news()) : std::nullopt;
}

}  // namespace tutti
