// The dispatcher: identifiers, news to the agreement that it concerns, and this rank's news to the
// members.
#include "src/news/dispatcher.hpp"

#include <atomic>
#include <catch2/catch.hpp>
#include <string>
#include <thread>
#include <utility>

#include "base/index.hpp"
#include "tests/protocols/hostile_transport.hpp"

using namespace tutti;
using namespace tutti::tests;
using protocols::Channel;
using protocols::News;

namespace {

constexpr int kRanks = 4;

// The parts of an engine that handle news, on one of four ranks; one thread runs them all.
struct DispatchingProcess {
  DispatchingProcess(HostileNet& net, int rank) : transport(net, rank) {
    connections.add(transport);
  }
  HostileTransport transport;
  std::vector<std::string> warnings;
  std::mutex lock;
  Dispatcher dispatcher{connections, [this](std::string_view line) { warnings.emplace_back(line); },
                        &lock};
  Connections connections{kRanks,
                          {false, 0, 0},
                          dispatcher,
                          [this](Channel& channel) { dispatcher.greet(channel); },
                          [](std::string_view) {}};
};

struct DispatchingJob {
  explicit DispatchingJob(bool connects_at_once = true, bool registers = false)
      : DispatchingJob([&] {
          Hostility hostility;
          hostility.registers = registers;
          hostility.connects_at_once = connects_at_once;
          return hostility;
        }()) {}
  explicit DispatchingJob(const Hostility& hostility) : net(kRanks, kFourSlots, hostility) {
    for (int rank = 0; rank < kRanks; ++rank)
      processes.push_back(std::make_unique<DispatchingProcess>(net, rank));
  }
  DispatchingProcess& operator[](int rank) { return *processes[static_cast<std::size_t>(rank)]; }
  // Until nothing is on its way any more.
  void settle(std::size_t first = 0) {
    for (int i = 0; i < 200; ++i)
      for (std::size_t rank = first; rank < processes.size(); ++rank) {
        Connections& connections = processes[rank]->connections;
        connections.progress_transports();
        connections.adopt_links();
        connections.progress_all();
      }
  }
  // Says it to rank 0 again and again, as the wire may have no room.
  void mention(int rank, const News& news) {
    for (int i = 0; i < 20; ++i) {
      (*this)[rank].connections.channel(0).news().mention(news);
      settle();
    }
  }
  HostileNet net;
  std::vector<std::unique_ptr<DispatchingProcess>> processes;
};

// One member's agreement, known to its dispatcher.
struct DispatchedMember : Agreement {
  DispatchedMember(DispatchingProcess& where, CommunicatorId id, int rank,
                   std::vector<int> members = {0, 1, 2})
      : Agreement({id, rank, std::move(members)}), process(where) {
    process.dispatcher.add(*this);
  }
  ~DispatchedMember() { process.dispatcher.remove(*this); }
  DispatchingProcess& process;
};

// Whenever rank 0 waits, all go on, in its thread, until nothing is on its way any more.
struct AllGoOn final : HostileTransport {
  explicit AllGoOn(DispatchingJob& the_job) : HostileTransport(the_job.net, 0), job(the_job) {
    job[0].connections.add(*this);
  }
  bool progress() noexcept override {
    if (std::exchange(within, true)) return false;
    job.settle();
    within = false;
    return false;
  }
  DispatchingJob& job;
  bool within = false;
};

struct BegunCall final : OpenCall {
  explicit BegunCall(const collectives::Task* task = nullptr) { task_ = task; }
  void advance() noexcept override {}
};

News waiting_in(CommunicatorId id, CollectiveNumber call) {
  return {.kind = News::Kind::waits, .communicator = id, .call = call};
}

}  // namespace

TEST_CASE("an identifier is free until it is used, and never again", "[dispatcher]") {
  DispatchingJob job;
  Dispatcher& dispatcher = job[0].dispatcher;
  Identifiers::Vote vote;
  for (const CommunicatorId half : {0u, static_cast<unsigned>(Identifiers::kUpper)}) {
    INFO("numbers from " << half << " on");
    {
      const DispatchedMember member(job[0], half + 10, 0);
      CHECK_FALSE(dispatcher.is_free(half + 10));
      CHECK(dispatcher.agreements() ==
            std::vector<Agreement*>{const_cast<DispatchedMember*>(&member)});
    }
    CHECK(dispatcher.agreements().empty());
    CHECK_FALSE(dispatcher.is_free(half + 10));
    CHECK(dispatcher.is_free(half + 9));
    CHECK(dispatcher.is_free(half + 11));
  }
  CHECK(dispatcher.identifiers().propose(vote) == 11);
}

TEST_CASE("a communicator without a number yet hears nothing, and leaves nothing", "[dispatcher]") {
  DispatchingJob job;
  Dispatcher& dispatcher = job[0].dispatcher;
  job[0].connections.channel(1);
  {
    DispatchedMember member(job[0], Agreement::kNoId, 0);
    job[1].connections.channel(0).news().announce(
        {.communicator = Agreement::kNoId, .code = Code::timed_out, .culprit = 1});
    job.settle();
    CHECK_FALSE(member.failed());
    CHECK_FALSE(dispatcher.unwanted({Agreement::kNoId, 0, 0}, 1));
    dispatcher.identify(member, 6);
    CHECK_FALSE(dispatcher.is_free(6));
    job[1].connections.channel(0).news().announce(
        {.communicator = 6, .code = Code::timed_out, .culprit = 1});
    job.settle();
    CHECK(member.failed());
  }
  CHECK_FALSE(dispatcher.is_free(6));
  { const DispatchedMember given_up(job[0], Agreement::kNoId, 0); }
  CHECK(dispatcher.is_free(Agreement::kNoId));
  Identifiers::Vote vote;
  CHECK(dispatcher.identifiers().propose(vote) == 7);
}

TEST_CASE("many freed identifiers of the upper half leave the lower half free", "[dispatcher]") {
  DispatchingJob job;
  { const DispatchedMember member(job[0], 5, 0); }
  const auto upper = static_cast<CommunicatorId>(Identifiers::kUpper);
  for (CommunicatorId id = upper; id < upper + 4 * Freed::kMostRanges; id += 2)
    const DispatchedMember member(job[0], id, 0);
  CHECK(job[0].dispatcher.is_free(6));
  CHECK(job[0].dispatcher.is_free(upper - 1));
}

TEST_CASE("many freed copies leave those free that are still to come", "[dispatcher]") {
  DispatchingJob job;
  { const DispatchedMember member(job[0], 5, 0); }
  const auto first = static_cast<CommunicatorId>(Identifiers::kEnd);
  for (CommunicatorId id = first; id < first + 4 * Freed::kMostRanges; id += 2) {
    { const DispatchedMember member(job[0], id, 0); }
    REQUIRE_FALSE(job[0].dispatcher.is_free(id));
  }
  for (CommunicatorId id = first; id < first + 4 * Freed::kMostRanges; id += 2)
    REQUIRE(job[0].dispatcher.is_free(id + 1));
  CHECK(job[0].dispatcher.is_free(6));
  CHECK(job[0].dispatcher.is_free(first - 1));
  Identifiers::Vote vote;
  CHECK(job[0].dispatcher.identifiers().propose(vote) == 6);
}

TEST_CASE("freed identifiers are remembered in whatever order they are freed", "[dispatcher]") {
  const MessageName message{0, 0, 0};
  // Every order of five, out of which ranges grow, meet and are filled.
  std::vector<CommunicatorId> order{2, 3, 4, 5, 7};
  do {
    DispatchingJob job;
    Dispatcher& dispatcher = job[0].dispatcher;
    std::vector<CommunicatorId> freed;
    for (const CommunicatorId id : order) {
      { const DispatchedMember member(job[0], id, 0); }
      freed.push_back(id);
      for (CommunicatorId any = 1; any <= 8; ++any) {
        const bool gone = std::find(freed.begin(), freed.end(), any) != freed.end();
        REQUIRE(dispatcher.is_free(any) == !gone);
        REQUIRE(dispatcher.unwanted({any, message.collective, message.ordinal}, 1) == gone);
      }
    }
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST_CASE("freed identifiers with gaps do not take memory for ever", "[dispatcher]") {
  DispatchingJob job;
  Dispatcher& dispatcher = job[0].dispatcher;
  constexpr CommunicatorId kLast = 6000;
  auto old = std::make_unique<DispatchedMember>(job[0], 3, 0);
  for (CommunicatorId id = 2; id <= kLast; id += 2) const DispatchedMember member(job[0], id, 0);
  for (CommunicatorId id = 2; id <= kLast; id += 2) REQUIRE_FALSE(dispatcher.is_free(id));
  CHECK(dispatcher.is_free(kLast - 1));
  CHECK_FALSE(dispatcher.is_free(5));  // others' so long ago
  old.reset();
  for (const CommunicatorId id : {3, 4, 5, 6, 1000}) CHECK_FALSE(dispatcher.is_free(id));
  CHECK(dispatcher.is_free(kLast + 1));
}

TEST_CASE("news comes to the communicator that it names, and to no other", "[dispatcher]") {
  DispatchingJob job;
  DispatchedMember one(job[0], 1, 0), two(job[0], 2, 0);
  Channel& channel = job[1].connections.channel(0);
  job[0].connections.channel(1);
  channel.news().announce({.communicator = 2, .code = Code::timed_out, .culprit = 1});
  channel.news().announce({.communicator = 3, .code = Code::internal, .culprit = 1});  // nobody's
  job.settle();
  CHECK_FALSE(one.failed());
  CHECK(two.failure().code() == Code::timed_out);
}

TEST_CASE("who speaks of a communicator without being a member is not trusted", "[dispatcher]") {
  using Kind = News::Kind;
  for (const Kind kind : {Kind::failed, Kind::refused, Kind::waits, Kind::passed}) {
    DispatchingJob job;
    DispatchedMember mine(job[0], 1, 0, {0, 2});
    BegunCall call;
    mine.open(call);
    Channel& channel = job[0].connections.channel(1);
    const bool has_cause = kind == Kind::failed || kind == Kind::refused;
    job[1].connections.channel(0).news().announce(
        {.kind = kind, .communicator = 1, .code = has_cause ? Code::timed_out : Code::success});
    job.settle();
    CHECK(channel.failure_code() == Code::transport_failed);
    CHECK_FALSE(mine.failed());
  }
}

TEST_CASE("what is unwanted is asked of the communicator", "[dispatcher]") {
  DispatchingJob job;
  Dispatcher& dispatcher = job[0].dispatcher;
  DispatchedMember member(job[0], 1, 0);
  CHECK_FALSE(dispatcher.unwanted({1, 0, 0}, 1));  // of a later call
  CHECK_FALSE(dispatcher.unwanted({2, 0, 0}, 1));  // of a communicator that this rank makes later
  member.failure().record(Code::timed_out, 1, "too late");
  CHECK(dispatcher.unwanted({1, 0, 0}, 1));
  CHECK(dispatcher.why_unwanted({1, 0, 0}, 2).code == Code::timed_out);
  CHECK(dispatcher.why_unwanted({1, 0, 0}, 2).culprit == 1);
  { const DispatchedMember freed(job[0], 2, 0); }
  CHECK(dispatcher.unwanted({2, 0, 0}, 1));
  // It ended well here, so who waits has made another call.
  CHECK(dispatcher.why_unwanted({2, 0, 0}, 1).code == Code::calls_differ);
  CHECK(dispatcher.why_unwanted({2, 0, 0}, 1).culprit == 1);
}

TEST_CASE("who waits in a call that is over hears it, also if the communicator was freed",
          "[dispatcher]") {
  for (const bool freed : {false, true}) {
    DispatchingJob job;
    std::optional<DispatchedMember> mine(std::in_place, job[0], 1, 0);
    DispatchedMember theirs(job[1], 1, 1);
    BegunCall call, other;
    mine->open(other);
    mine->close(other);
    theirs.open(call);
    if (freed) mine.reset();
    job[0].connections.channel(1);
    job.mention(1, waiting_in(1, 0));
    theirs.waited_in_vain(call, 0, false, Agreement::Time{std::chrono::seconds{1}});
    theirs.waited_in_vain(call, 0, false, Agreement::Time{std::chrono::seconds{2}});
    CHECK(theirs.failure().code() == Code::calls_differ);
    CHECK(theirs.failure().culprit() == 0);
  }
}

TEST_CASE("who waits in a communicator that this rank does not have yet hears where this rank is",
          "[dispatcher]") {
  const collectives::Task task{.collective = collectives::Collective::barrier};
  for (const bool in_a_call : {false, true}) {
    INFO("in a call: " << in_a_call);
    DispatchingJob job;
    DispatchedMember other(job[0], 1, 0), theirs(job[1], 2, 1);
    BegunCall call(&task), waiting(&task);
    if (in_a_call) other.open(call);
    theirs.open(waiting);
    job[0].connections.channel(1);
    job.mention(1, waiting_in(2, 0));
    const Standings::Said* const said = theirs.standings().said(0);
    REQUIRE(said);
    CHECK(said->standing.calls == 0);
    CHECK(said->standing.in == (in_a_call ? 1 : Agreement::kNoId));
    CHECK_FALSE(theirs.failed());
    theirs.close(waiting);
    if (in_a_call) other.close(call);
  }
}

TEST_CASE("who waits for a failed member is told why", "[dispatcher]") {
  DispatchingJob job;
  DispatchedMember mine(job[0], 1, 0), theirs(job[1], 1, 1);
  mine.failure().record(Code::peer_failed, 2, "gone");
  job[0].connections.channel(1);
  job.mention(1, waiting_in(1, 0));
  CHECK(theirs.failure().code() == Code::peer_failed);
  CHECK(theirs.failure().culprit() == 2);
}

TEST_CASE("who asks after a freed communicator hears its first cause, however it asks",
          "[dispatcher]") {
  enum Cause { failed, refused };
  for (const Cause cause : {failed, refused})
    for (const bool by_entry : {false, true}) {
      INFO("cause " << cause << ", by an entry: " << by_entry);
      DispatchingJob job;
      std::vector<std::byte> place(50000);
      std::optional<DispatchedMember> mine(std::in_place, job[0], 1, 0);
      DispatchedMember theirs(job[1], 1, 1);
      BegunCall call;
      theirs.open(call);
      if (cause == failed)
        mine->failure().record(Code::peer_failed, 2, "gone");
      else
        mine->refuse(Code::bad_count);
      mine.reset();
      job[0].connections.channel(1);
      Channel& channel = job[1].connections.channel(0);
      protocols::Transfer receive;
      for (int i = 0; i < 20 && !theirs.failed(); ++i) {
        if (by_entry)
          channel.recv(receive, {1, 0, 0}, place.data(), static_cast<Bytes>(place.size()));
        else
          channel.news().mention(waiting_in(1, 0));
        job.settle();
      }
      CHECK(theirs.failure().code() == (cause == failed ? Code::peer_failed : Code::bad_count));
      CHECK(theirs.failure().culprit() == (cause == failed ? 2 : 0));
      theirs.close(call);
    }
}

TEST_CASE("who sends to a communicator that ended well here is told, and it is logged once",
          "[dispatcher]") {
  DispatchingJob job;
  { const DispatchedMember freed(job[0], 1, 0); }
  DispatchedMember theirs(job[1], 1, 1), third(job[2], 1, 2);
  job[0].connections.channel(1);
  job[0].connections.channel(2);
  Channel& channel = job[1].connections.channel(0);
  const char data[8] = {};
  for (Ordinal i = 0; i < 2; ++i) {
    protocols::Transfer transfer;
    for (bool sent = false; !sent; job.settle())
      sent = channel.send(transfer, {1, 0, i}, data, 8) == protocols::Answer::done;
  }
  job.settle();
  CHECK(theirs.failure().code() == Code::calls_differ);
  CHECK(theirs.failure().culprit() == 1);
  REQUIRE(job[0].warnings.size() == 1);
  CHECK(job[0].warnings[0].starts_with("rank 1 of MPI_COMM_WORLD has sent what no call"));
  // A rank that waits for this one hears the same.
  job.mention(2, waiting_in(1, 0));
  CHECK(third.failure().code() == Code::calls_differ);
  CHECK(third.failure().culprit() == 1);
}

// Rank 0 makes another call than ranks 1 and 2, of which rank 1 finds it out and rank 2 has ended
// its call.
TEST_CASE("whose call differs says at once what it is", "[dispatcher]") {
  DispatchingJob job;
  const collectives::Task task{.collective = collectives::Collective::bcast, .bytes = 8},
      other{.collective = collectives::Collective::allreduce, .bytes = 16};
  std::vector<std::unique_ptr<DispatchedMember>> members;
  std::vector<BegunCall> calls(3);
  for (int rank = 0; rank < 3; ++rank) {
    members.push_back(std::make_unique<DispatchedMember>(job[rank], 1, rank));
    calls[index(rank)] = BegunCall(rank == 0 ? &other : &task);
    members.back()->open(calls[index(rank)]);
  }
  members[2]->close(calls[2]);
  for (int rank = 0; rank < 3; ++rank)
    for (int peer = 0; peer < 3; ++peer)
      if (peer != rank) job[rank].connections.channel(peer);
  job.settle();
  members[1]->failure().record_difference(0, 0, {}, "");
  job[1].dispatcher.spread(*members[1], members[1]->failure().news(), Dispatcher::Reach::connected);
  job.settle();
  CHECK_FALSE(members[1]->failure().lacks_other_call());
  for (const auto& member : members) member->failure().tell_difference();
  const std::string words =
      "call 1 of communicator number 1 is allreduce (16 bytes) on rank 0 of "
      "MPI_COMM_WORLD, and bcast (8 bytes, root 0) on rank 1";
  CHECK(members[0]->failure().text().find(words) != std::string::npos);
  CHECK(members[1]->failure().text().find(words) != std::string::npos);
  CHECK(members[2]->failure().code() == Code::calls_differ);
  CHECK(members[2]->failure().lacks_other_call());  // until rank 0 has told it, too
  job[0].dispatcher.spread(*members[0], members[0]->failure().news(), Dispatcher::Reach::connected);
  job.settle();
  members[2]->failure().tell_difference();
  CHECK(members[2]->failure().text().find("allreduce (16 bytes) on rank 0") != std::string::npos);
  for (const int rank : {0, 1}) members[index(rank)]->close(calls[index(rank)]);
}

TEST_CASE("who fails waits for what others say of the call, and looks once at least",
          "[dispatcher]") {
  DispatchingJob job;
  const collectives::Task task{.collective = collectives::Collective::bcast, .bytes = 8},
      other{.collective = collectives::Collective::allreduce, .bytes = 16};
  BegunCall mine(&task), theirs(&other);
  DispatchedMember me(job[0], 1, 0, {0, 1}), late(job[1], 1, 1, {0, 1});
  me.open(mine);
  late.open(theirs);
  job[0].connections.channel(1);
  job[1].connections.channel(0);
  job.settle();
  me.failure().record_difference(0, 1, {}, "");
  late.failure().record_difference(0, 0, {}, "");
  job[1].dispatcher.spread(late, late.failure().news(), Dispatcher::Reach::connected);
  CHECK(me.failure().lacks_call_of(1));
  job[0].dispatcher.spread_failure(me);
  CHECK_FALSE(me.failure().lacks_call_of(1));
  me.failure().tell_difference();
  CHECK(me.failure().text().find("allreduce (16 bytes) on rank 1") != std::string::npos);
  me.close(mine);
  late.close(theirs);
}

TEST_CASE("who leaves says before what it knows, also past news that waits", "[dispatcher]") {
  DispatchingJob job;
  const AllGoOn all(job);
  DispatchedMember leaves(job[0], 1, 0), stays(job[1], 1, 1);
  job[1].connections.channel(0);
  Channel& channel = job[0].connections.channel(1);
  for (CommunicatorId other = 2; other < 20; ++other)  // more than there are slots
    channel.news().announce({.communicator = other, .code = Code::timed_out, .culprit = 2});
  REQUIRE(channel.news().pending());
  leaves.failure().record(Code::peer_failed, 2, "gone");
  job[0].dispatcher.take_leave();
  job.settle(1);  // nobody looks after rank 0 any more
  CHECK(stays.failure().code() == Code::peer_failed);
  CHECK(stays.failure().culprit() == 2);
}

TEST_CASE("news is spread to all members on the node, and elsewhere to those connected",
          "[dispatcher]") {
  for (const bool at_once : {true, false}) {
    DispatchingJob job(at_once);
    std::vector<std::unique_ptr<DispatchedMember>> members;
    for (int rank = 0; rank < 3; ++rank)
      members.push_back(std::make_unique<DispatchedMember>(job[rank], 1, rank));
    // No member, though the identifier is the same.
    DispatchedMember stranger(job[3], 1, 0, {3});
    for (const int rank : {1, 3}) {
      job[0].connections.channel(rank);
      job[rank].connections.channel(0);
    }
    if (at_once) job[2].connections.channel(0);
    job.settle();
    members[0]->failure().record(Code::timed_out, 2, "too late");
    job[0].dispatcher.spread(*members[0], members[0]->failure().news(),
                             Dispatcher::Reach::connected);
    job.settle();
    CHECK(members[1]->failure().code() == Code::timed_out);
    CHECK(members[2]->failed() == at_once);
    CHECK_FALSE(stranger.failed());
    // It hears as soon as it connects.
    job[2].connections.channel(0);
    job.settle();
    CHECK(members[2]->failure().code() == Code::timed_out);
    CHECK(members[2]->failure().culprit() == 2);
  }
}

TEST_CASE("who rejects a call tells members to which it was not connected, and goes",
          "[dispatcher]") {
  for (const bool at_once : {true, false}) {
    DispatchingJob job(at_once);
    DispatchedMember rejects(job[0], 1, 0), one(job[1], 1, 1), two(job[2], 1, 2);
    if (at_once)  // else they adopt what comes
      for (const int rank : {1, 2}) job[rank].connections.channel(0);
    std::atomic<bool> gone = false;
    std::thread others([&] {
      while (!gone) job.settle(1);
      job.settle(1);
    });
    job[0].dispatcher.spread(rejects, rejects.refuse(Code::bad_count), Dispatcher::Reach::near);
    gone = true;
    others.join();
    for (DispatchedMember* const member : {&one, &two}) {
      BegunCall call;
      member->open(call);
      CHECK(member->failure().code() == Code::bad_count);
      member->close(call);
    }
  }
}

// Nobody looks after rank 0 after it has rejected the call: it computes.
TEST_CASE("who has no memory for a connection is heard all the same", "[dispatcher]") {
  using Reach = Dispatcher::Reach;
  DispatchingJob job;
  DispatchedMember rejects(job[0], 1, 0), waits(job[1], 1, 1), fails(job[0], 2, 0, {0, 2}),
      other(job[1], 2, 0, {1}), member(job[2], 2, 1, {0, 2});
  job[0].transport.lacks_memory = true;
  job[0].dispatcher.spread(rejects, rejects.refuse(Code::out_of_memory), Reach::connected);
  job[0].dispatcher.spread(rejects, rejects.refuse(Code::out_of_memory), Reach::connected);
  fails.failure().record(Code::out_of_memory, 0, "no memory");
  job[0].dispatcher.spread(fails, fails.failure().news(), Reach::connected);
  CHECK(job.net.notices(0).size() == 2);  // one of each communicator
  BegunCall call;
  waits.open(call);
  for (const int rank : {1, 2}) {
    Channel& to_rejecting = job[rank].connections.channel(0);
    job.settle(1);
    to_rejecting.probe();
    CHECK_FALSE(to_rejecting.failed());
  }
  CHECK(waits.failure().code() == Code::out_of_memory);
  CHECK(waits.failure().culprit() == 0);
  CHECK(member.failure().code() == Code::out_of_memory);
  CHECK_FALSE(other.failed());  // which has the same number
  waits.close(call);

  job.net.leave_notice(0, protocols::notice_of({.kind = News::Kind::refused}));
  Channel& channel = *job[1].connections.find(0);
  channel.probe();
  CHECK(channel.failure_code() == Code::transport_failed);
}

// Nobody looks after rank 0: it computes.
TEST_CASE("who was not connected finds what was said before", "[dispatcher]") {
  DispatchingJob job(false);
  DispatchedMember fails(job[0], 1, 0), waits(job[1], 1, 1);
  fails.failure().record(Code::timed_out, 2, "too late");
  job[0].dispatcher.spread(fails, fails.failure().news(), Dispatcher::Reach::connected);
  job[1].connections.channel(0).probe();
  CHECK(waits.failure().code() == Code::timed_out);
}

TEST_CASE("who connects late hears what each of its communicators has to say", "[dispatcher]") {
  DispatchingJob job(false);
  DispatchedMember one(job[0], 1, 0), two(job[0], 2, 0), three(job[0], 3, 0, {0, 2});
  DispatchedMember late_one(job[1], 1, 1), late_two(job[1], 2, 1), stranger(job[1], 3, 0, {1});
  one.failure().record(Code::timed_out, 2, "too late");
  two.refuse(Code::bad_count);
  three.failure().record(Code::internal, 2, "not theirs");
  job[1].connections.channel(0);
  job.settle();
  CHECK(late_one.failure().code() == Code::timed_out);
  CHECK_FALSE(late_two.failed());
  CHECK_FALSE(stranger.failed());
  BegunCall call;
  late_two.open(call);
  CHECK(late_two.failure().code() == Code::bad_count);
  late_two.close(call);
}

TEST_CASE("a communicator that goes leaves no slots taken", "[dispatcher]") {
  DispatchingJob job;
  Channel& mine = job[0].connections.channel(1);
  Channel& theirs = job[1].connections.channel(0);
  const char data[8] = {};
  int sent = 0;
  protocols::Transfer transfer;
  const auto send = [&](CommunicatorId id) {
    for (int i = 0; i < 1000 && sent < 1000; ++i) {
      if (theirs.send(transfer, {id, 0, static_cast<Ordinal>(sent)}, data, 8) ==
          protocols::Answer::done)
        ++sent, transfer = {};
      job.settle();
      if (sent == 4) break;
    }
  };
  {
    DispatchedMember member(job[0], 1, 0);
    send(1);  // as many as there are slots
    CHECK(sent == 4);
    member.failure().record(Code::timed_out, 1, "too late");
  }
  protocols::Transfer s, r;
  char got[8];
  bool gone = false, here = false;
  for (int i = 0; i < 1000 && !(gone && here); ++i) {
    if (!gone) gone = theirs.send(s, {2, 0, 0}, data, 8) == protocols::Answer::done;
    if (!here) here = mine.recv(r, {2, 0, 0}, got, 8) == protocols::Answer::done;
    job.settle();
  }
  CHECK(gone);
  CHECK(here);
}

TEST_CASE("after a failure nobody may write into what was given up", "[dispatcher]") {
  for (const bool answers : {true, false}) {
    DispatchingJob job(true, true);
    DispatchedMember mine(job[0], 1, 0), theirs(job[1], 1, 1);
    Channel& channel = job[0].connections.channel(1);
    job[1].connections.channel(0);
    std::vector<std::byte> place(50000);
    protocols::Transfer receive;
    for (int i = 0; i < 200 && !job.net.registrar.covers(place.data(), place.size()); ++i) {
      channel.recv(receive, {1, 0, 0}, place.data(), 50000);
      job.settle();
    }
    REQUIRE(job.net.registrar.covers(place.data(), place.size()));
    mine.failure().record(Code::timed_out, 1, "too late");
    channel.abandon(receive);
    CHECK(channel.abandoned().withdrawing());
    if (answers) {  // the peer knows of the failure, and says that it writes no more
      job[0].dispatcher.spread(mine, mine.failure().news(), Dispatcher::Reach::connected);
      job.settle();
      CHECK_FALSE(channel.abandoned().withdrawing());
    }
    job[0].dispatcher.spread_failure(mine);
    CHECK_FALSE(job.net.registrar.covers(place.data(), place.size()));
  }
}

// Rank 1 has begun to copy into a buffer of rank 0, and was stopped.
TEST_CASE("who waits for a copy into its buffer waits to the end, and lets other threads call",
          "[dispatcher][threads]") {
  using namespace std::chrono_literals;
  for (const bool failed : {false, true}) {
    INFO("the link has failed: " << failed);
    Hostility within_a_node{7};
    within_a_node.fetches = true;
    DispatchingJob job(within_a_node);
    const DispatchedMember peer(job[1], 5, 1);
    DispatchedMember member(job[0], 5, 0);
    Channel& channel = job[0].connections.channel(1);
    protocols::Transfer transfer;
    std::vector<std::byte> got(5000);
    while (transfer.phase != protocols::Transfer::Phase::awaits_outcome) {
      REQUIRE(channel.recv(transfer, {5, 0, 0}, got.data(), 5000, protocols::Use::gathered) ==
              protocols::Answer::again);
      job.settle();
    }
    const std::uint32_t invitation = transfer.rendezvous;
    transport::Revocation& copies = *job[1].connections.channel(0).link().capabilities().revocation;
    REQUIRE(copies.enter(invitation));
    member.failure().record(Code::timed_out, 1, "the test wants it to fail");
    channel.abandon(transfer);
    if (failed) channel.link().fail(Code::out_of_memory, "the test says so");
    std::atomic<bool> begun = false, returned = false, called = false;
    std::thread one([&] {
      const std::lock_guard lock(job[0].lock);
      begun = true;
      job[0].dispatcher.end_use(member);
      returned = true;
    });
    std::thread two([&] {
      while (!begun) std::this_thread::yield();
      const std::lock_guard lock(job[0].lock);
      called = true;
    });
    for (int i = 0; i < 2000 && !called; ++i) std::this_thread::sleep_for(10ms);
    CHECK(called);
    CHECK_FALSE(returned);
    copies.leave(invitation);
    one.join();
    two.join();
    CHECK_FALSE(channel.abandoned().being_accessed());
  }
}
