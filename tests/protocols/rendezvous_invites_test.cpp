// Which calls get identifiers, and what they leave when they give them back.
#include "protocols/rendezvous_invites.hpp"

#include <catch2/catch.hpp>
#include <deque>
#include <map>
#include <vector>

#include "protocols/complaint.hpp"
#include "tests/protocols/pair.hpp"

using namespace tutti;
using namespace tutti::tests;
using protocols::Access;
using protocols::Answer;
using protocols::Arrived;
using protocols::Control;
using protocols::ReadyEntry;
using protocols::Rings;
using protocols::Transfer;

namespace {

constexpr Bytes kLong = 5000;

// A rank that invites, and a peer that reads its ready entries and moves nothing. The wire is quick
// and always has room.
class Inviting {
 public:
  // A receive is polled from now on.
  void want(const MessageName& name) { receives_.push_back({name, {}, Answer::again}); }
  void peer_requests(const MessageName& name) {
    REQUIRE(controls_[0].send_request({name, Access::write}) == Answer::done);
  }
  void peer_finishes(const MessageName& name) {
    REQUIRE(controls_[0].send_finished(entries_.at(name.ordinal)) == Answer::done);
  }
  // Receives of which the peer has an entry, once nothing more comes.
  std::size_t invited() {
    for (int i = 0; i < 200; ++i) {
      for (Receive& one : receives_)
        if (one.answer == Answer::again)
          one.answer = invites_.recv(one.transfer, one.name, buffer_.data(), kLong);
      net_.step();
      rings_[0].take_all(transport::Ring::ready, [this](const Arrived& message) {
        entries_[message.name().ordinal] = message.as<ReadyEntry>()->rendezvous;
      });
      for (int r = 0; r < 2; ++r) {
        controls_[r].read();
        rings_[r].send_reports();
      }
    }
    return entries_.size();
  }
  bool has_ended(const MessageName& name) const {
    return std::ranges::any_of(receives_, [&](const Receive& one) {
      return one.name == name && one.answer == Answer::done;
    });
  }
  bool keeps_request(const MessageName& name) const {
    return controls_[1].requested({name, Access::write});
  }

 private:
  struct Receive {
    MessageName name;
    Transfer transfer;
    Answer answer;
  };
  HostileNet net_{2, kUsual, {.direct = true, .refuse = 0, .deliver = 1}};
  Ear ears_[2];
  registration::Cache cache_{net_.registrar, {false, 0, 0}, [](std::string_view) {}};
  Rings rings_[2]{{net_.link(0, 1), ears_[0]}, {net_.link(1, 0), ears_[1]}};
  Control controls_[2]{{net_.link(0, 1), rings_[0], ears_[0]},
                       {net_.link(1, 0), rings_[1], ears_[1]}};
  protocols::Complaint complaint_{0};
  protocols::UserMemory memory_{net_.link(1, 0), &cache_, complaint_};
  protocols::RendezvousInvites invites_{net_.link(1, 0), rings_[1], controls_[1], memory_,
                                        complaint_};
  std::vector<std::byte> buffer_ = std::vector<std::byte>(kLong);
  std::deque<Receive> receives_;
  std::map<Ordinal, std::uint32_t> entries_;  // the peer's: identifiers, by ordinals
};

constexpr std::size_t kHalfOfAll = protocols::kMostRendezvous / 2;

}  // namespace

TEST_CASE("once half of the identifiers are used, a call gets one, and only the earliest",
          "[rendezvous]") {
  Inviting rank;
  for (Ordinal i = 0; i < 100; ++i) rank.want({1, 5, i});
  CHECK(rank.invited() == kHalfOfAll);
  rank.want({1, 6, 100});
  CHECK(rank.invited() == kHalfOfAll);  // call 5 is earlier
  rank.want({1, 4, 101});
  CHECK(rank.invited() == kHalfOfAll + 1);
  rank.want({1, 4, 102});
  CHECK(rank.invited() == kHalfOfAll + 1);  // it has one
  rank.want({1, 3, 103});
  CHECK(rank.invited() == kHalfOfAll + 2);
  rank.want({2, 9, 104});  // of another communicator
  CHECK(rank.invited() == kHalfOfAll + 3);
  rank.want({2, 9, 105});
  rank.want({2, 10, 106});
  CHECK(rank.invited() == kHalfOfAll + 3);
}

TEST_CASE("a request lets its entry go, and is forgotten with the transfer", "[rendezvous]") {
  Inviting rank;
  for (Ordinal i = 0; i < 100; ++i) rank.want({1, 5, i});
  REQUIRE(rank.invited() == kHalfOfAll);
  const MessageName asked{1, 5, 99};
  rank.peer_requests(asked);
  CHECK(rank.invited() == kHalfOfAll + 1);
  CHECK(rank.keeps_request(asked));
  rank.peer_finishes(asked);
  rank.invited();
  CHECK(rank.has_ended(asked));
  CHECK_FALSE(rank.keeps_request(asked));
  const MessageName early{1, 5, 0};  // its entry was there when the peer requested it
  rank.peer_requests(early);
  CHECK(rank.invited() == kHalfOfAll + 1);
  rank.peer_finishes(early);
  rank.invited();
  CHECK(rank.has_ended(early));
  CHECK_FALSE(rank.keeps_request(early));
}
