// News: what ranks tell each other about communicators and calls, beside the messages. The channel
// carries it without understanding it; it is the only thing that travels upward. Pure data and one
// interface.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "base/error.hpp"
#include "base/types.hpp"
#include "transport/notice.hpp"

namespace tutti::protocols {

// A call's demands, as far as ranks tell each other. For people, who are told which calls
// differ and where a rank waits: nothing is decided by it.
struct Asked {
  enum class Lengths : std::uint16_t {
    unknown,  // and so is the root
    equal,    // `bytes` are those of the message, or of each block
    several,  // `bytes` are those of all blocks
    own,      // so, too, but the sender knows no more than the `bytes` of its own block
  };
  std::int16_t collective = -1;  // a number of collectives::Collective; -1: not known
  Lengths lengths = Lengths::unknown;
  std::int32_t root = 0;  // in the communicator
  std::int64_t bytes = 0;

  friend bool operator==(const Asked&, const Asked&) = default;
};

struct News {
  enum class Kind : std::uint32_t {
    failed,   // the communicator has failed at the sender, by `culprit`, and `code` says why; if
              // calls differ, `call` is the one, `asked` what it is at the sender, and
              // collective_of_culprit() what it is at the culprit; if that one rejected its
              // arguments, `call` is the one
    refused,  // the sender (`culprit`) rejected its arguments of `call`, for `code`, and will never
              // take part in it
    waits,    // the sender waits for the receiver in `call`, which is `asked` there; `fingerprint`:
              // what both sides must agree on
    passed,   // the sender has finished `call`, or freed the communicator
  };
  Kind kind = Kind::failed;
  CommunicatorId communicator = 0;
  CollectiveNumber call = 0;
  Code code = Code::success;
  int culprit = kNoPeer;  // rank of MPI_COMM_WORLD
  std::uint32_t fingerprint = 0;
  Asked asked{};

  // A number of collectives::Collective; -1: not known. In the place of the fingerprint.
  std::int16_t collective_of_culprit() const noexcept {
    return static_cast<std::int16_t>(fingerprint - 1);
  }
  void set_collective_of_culprit(std::int16_t collective) noexcept {
    fingerprint = static_cast<std::uint32_t>(collective + 1);
  }

  friend bool operator==(const News&, const News&) = default;
  // Whether a rank can have said this.
  bool credible() const noexcept {
    const bool has_cause = kind == Kind::failed || kind == Kind::refused;
    return kind <= Kind::passed && has_cause == (code != Code::success) && text_of(code) &&
           culprit >= kNoPeer;
  }
};

// News as a transport keeps it for those to whom its rank cannot connect.
inline transport::Notice notice_of(const News& news) noexcept {
  static_assert(std::is_trivially_copyable_v<News> && sizeof news <= sizeof(transport::Notice));
  transport::Notice notice{};
  std::memcpy(notice.bytes.data(), &news, sizeof news);
  return notice;
}
// The reader's end: of what anybody may have written.
inline News news_in(const transport::Notice& notice) noexcept {
  News news;
  std::memcpy(&news, notice.bytes.data(), sizeof news);
  return news;
}

// A rank's word about itself to one that waits for it. For people, who want to know why a job
// hangs: nothing is decided by it.
struct Standing {
  CommunicatorId communicator = 0;  // where the other one waits
  CollectiveNumber calls = 0;       // that the sender has begun there
  // The call that it is in now, of that communicator or another one; 0: in none.
  CommunicatorId in = 0;
  CollectiveNumber call = 0;
  Asked asked{};

  friend bool operator==(const Standing&, const Standing&) = default;
};

// Hears the news of all channels, and judges messages that no receive has asked for.
class Listener {
 public:
  virtual ~Listener() = default;
  // `from`: the peer's rank of MPI_COMM_WORLD.
  virtual void hear(const News& news, int from) noexcept = 0;
  // hear() for news that the peer has left for all. They may be of a communicator of which this
  // rank is no member, and which has the number of another one here.
  virtual void hear_notice(const News& /*news*/, int /*from*/) noexcept {}
  virtual void hear_standing(const Standing& /*standing*/, int /*from*/) noexcept {}
  // Whether nobody will ever ask for that message of `from`: its communicator failed here or was
  // freed, or this rank made another call instead, which the listener may note as a failure.
  virtual bool unwanted(const MessageName& name, int from) noexcept = 0;
  // Why unwanted() says so: news of Kind::failed, for `from`, which waits in that call.
  virtual News why_unwanted(const MessageName& name, int from) noexcept = 0;
};

}  // namespace tutti::protocols
