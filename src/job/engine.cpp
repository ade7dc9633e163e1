// Opening transports, connecting channels, waiting, and passing bad news on.
#include "src/job/engine.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sched.h>
#include <map>
#include <time.h>

#include "src/job/communicator.hpp"
#include "tutti/tutti.h"

namespace tutti {

using protocols::Channel;
using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

namespace {

// A wait first burns `spin` polls, then gives its core away at every poll, then sleeps: a little
// after a while, a millisecond once the wait is plainly long.
constexpr auto kNapAfter = 20ms;
constexpr auto kSleepAfter = 1s;
constexpr std::uint32_t kYieldsPerLook = 16;
constexpr auto kSpreadPatience = 300ms;

void sleep_for(std::chrono::nanoseconds time) {
  const timespec request{0, static_cast<long>(time.count())};
  nanosleep(&request, nullptr);
}

// A slot stride that is an odd number of cache lines spreads the slots' ends, which are all that is
// touched of a slot with a small message, over the cache's sets.
constexpr std::uint32_t slot_for(Bytes payload) {
  const auto lines = static_cast<std::uint32_t>(
      (payload + static_cast<Bytes>(sizeof(transport::Trailer)) + 63) / 64);
  return (lines | 1u) * 64;
}

transport::verbs::Options verbs_options(const Configuration& c, const Log& log) {
  transport::verbs::Options options;
  options.device = {c.device, c.port, c.gid_index};
  options.mtu = c.mtu;
  options.link.arrival = c.arrival;
  options.link.timeout = c.verbs_timeout;
  options.link.retry_count = c.verbs_retry;
  options.connect_timeout = std::chrono::milliseconds(c.connect_timeout_ms);
  options.log = [log](std::string_view line) {
    if (log) log(line);
  };
  return options;
}

}  // namespace

transport::InboxShape inbox_shape(const Configuration& c, Bytes eager_limit) {
  const auto slots = [](int n) { return static_cast<std::uint32_t>(n); };
  return {{{{64, slots(c.line_slots)},
            {slot_for(c.small_bytes), slots(c.small_slots)},
            {slot_for(eager_limit), slots(c.eager_slots)},
            {64, slots(c.ready_slots)},
            {64, slots(c.ready_slots)}}}};
}

// Where packets cost CPU, a copy is cheaper than the messages of a rendezvous for longer: measured
// over rxe, a broadcast of 64 KiB among four ranks takes half the time. An adapter moves the data
// itself, and there the copies would cost.
Bytes verbs_eager_limit(const Configuration& configuration, bool software) {
  if (configuration.eager_limit != 0) return configuration.eager_limit;
  const bool costly =
      configuration.wire == Wire::automatic ? software : configuration.wire == Wire::software;
  return (costly ? 64 : 16) * 1024;
}

Engine::Engine(const Configuration& configuration, transport::Bootstrap& bootstrap, bool threads,
               bool datagrams, Log log)
    : configuration_(configuration),
      log_(std::move(log)),
      rank_(bootstrap.rank()),
      size_(bootstrap.size()),
      threads_(threads) {
  channels_.resize(static_cast<std::size_t>(size_));
  exchange_placement(bootstrap);
  open_transports(bootstrap);
  open_datagrams(bootstrap, datagrams);
  // Where every rank has a core of its own, spinning is the fastest way to wait; elsewhere it only
  // delays the others.
  spin_ = configuration_.spin >= 0 ? static_cast<std::uint32_t>(configuration_.spin)
          : oversubscribed()       ? 0u
                                   : 20000u;
}

Engine::~Engine() = default;

// Runs `action` on this rank; throws its error if it failed here, or says that it failed elsewhere.
// So all ranks stay or leave together, and none waits for one that is gone.
void Engine::agree(transport::Bootstrap& bootstrap, const std::function<void()>& action) {
  std::exception_ptr error;
  try {
    action();
  } catch (...) {
    error = std::current_exception();
  }
  // The lowest failing rank is the one to name.
  const std::int64_t worst = bootstrap.maximum(error ? size_ - rank_ : 0);
  if (error) std::rethrow_exception(error);
  if (worst > 0)
    throw Error(Code::bootstrap_failed,
                fmt::format("rank {} of MPI_COMM_WORLD could not start; see the error it returned",
                            size_ - worst),
                static_cast<int>(size_ - worst));
}

void Engine::exchange_placement(transport::Bootstrap& bootstrap) {
  std::vector<transport::PlacementCard> cards(static_cast<std::size_t>(size_));
  transport::PlacementCard mine;
  agree(bootstrap, [&] { mine = transport::card_of_this_process(configuration_.node); });
  bootstrap.allgather(&mine, sizeof mine, cards.data());
  placement_.emplace(rank_, cards);
}

void Engine::open_transports(transport::Bootstrap& bootstrap) {
  using transport::Address;
  std::vector<Address> addresses(static_cast<std::size_t>(size_));
  agree(bootstrap, [&] {
    transport::shm::Options options;
    options.copy = configuration_.shm_copy;
    shm_ = std::make_unique<transport::shm::ShmTransport>(
        options, *placement_, inbox_shape(configuration_, configuration_.shm_eager_limit));
  });
  const Address mine = shm_->address();
  bootstrap.allgather(&mine, sizeof mine, addresses.data());
  agree(bootstrap, [&] { shm_->set_peers(addresses); });

  const bool wanted =
      configuration_.transport == TransportChoice::verbs ||
      (configuration_.transport == TransportChoice::automatic && placement_->nodes() > 1);
  if (!wanted) return;
  agree(bootstrap, [&] {
    verbs_ = std::make_unique<transport::verbs::VerbsTransport>(
        verbs_options(configuration_, log_), rank_, size_, [this](bool software) {
          return inbox_shape(configuration_, verbs_eager_limit(configuration_, software));
        });
  });
  const Address device = verbs_->address();
  bootstrap.allgather(&device, sizeof device, addresses.data());
  agree(bootstrap, [&] { verbs_->set_peers(addresses); });
  const bool software = configuration_.wire == Wire::automatic
                            ? verbs_->software_wire()
                            : configuration_.wire == Wire::software;
  software_wire_ = bootstrap.maximum(software ? 1 : 0) != 0;
}

// All join or none, so all must ask, whatever their own settings say.
void Engine::open_datagrams(transport::Bootstrap& bootstrap, bool wanted) {
  if (size_ == 1 ||
      bootstrap.maximum(wanted && configuration_.multicast != MulticastWay::off ? 1 : 0) == 0)
    return;
  if (!verbs_)
    return log(
        "no multicast: all ranks are on one node, and no RDMA device is open; the setting "
        "transport=verbs opens one");
  datagrams_ = std::make_unique<JobDatagrams>(verbs_->device(), configuration_.multicast, bootstrap,
                                              [this](std::string_view line) { log(line); });
}

Channel& Engine::channel(int world_rank) {
  auto& channel = channels_[static_cast<std::size_t>(world_rank)];
  if (channel) return *channel;
  const bool same_node = shm_->reaches(world_rank);
  if (same_node && configuration_.transport != TransportChoice::verbs)
    return channel_over(shm_->connect(world_rank));
  if (!verbs_)
    throw Error(Code::unreachable,
                fmt::format("rank {} of MPI_COMM_WORLD is on another node, and the setting "
                            "`transport` allows shared memory only; set TUTTI_TRANSPORT=auto",
                            world_rank),
                world_rank);
  try {
    return channel_over(verbs_->connect(world_rank));
  } catch (const Error& error) {
    // User memory that is only kept registered gives way.
    if ((error.code != Code::locked_memory && error.code != Code::out_of_memory) || !cache_ ||
        !cache_->trim(SIZE_MAX))
      throw;
    return channel_over(verbs_->connect(world_rank));
  }
}

Channel& Engine::channel_over(transport::Link& link) {
  auto& channel = channels_[static_cast<std::size_t>(link.peer())];
  if (!channel) {
    if (link.registrar() && !cache_)
      cache_ = std::make_unique<registration::Cache>(
          *link.registrar(),
          registration::CacheOptions{
              configuration_.registration_cache,
              static_cast<std::size_t>(configuration_.registration_cache_bytes),
              static_cast<std::size_t>(configuration_.registration_cache_regions)},
          [this](std::string_view line) { log(line); });
    channel = std::make_unique<Channel>(link, cache_.get(), *this);
    connected_.push_back(channel.get());
    // A peer that comes late still has to hear what failed before.
    for (const Communicator* c : communicators_)
      if (c->has_member(link.peer())) {
        if (c->failed()) channel->announce(c->failure_news());
        c->each_refusal([&](CollectiveNumber number, Code code) {
          channel->announce({.kind = protocols::News::Kind::refused,
                             .communicator = c->id(),
                             .call = number,
                             .code = code});
        });
      }
  }
  return *channel;
}

// --- waiting -----------------------------------------------------------------------------------

bool Engine::has_failed(const Communicator& communicator) noexcept { return communicator.failed(); }

bool Engine::relax_slowly(Patience& patience, Communicator& communicator,
                          const Visitor& each_waiting) noexcept {
  if (++patience.yields % kYieldsPerLook == 0 && !look_after(patience, communicator, each_waiting))
    return false;
  if (communicator.failed()) return false;
  // While this thread waits, others may call.
  if (threads_) mutex_.unlock();
  const auto waited = patience.looked - patience.since;
  if (waited < kNapAfter)
    sched_yield();
  else
    sleep_for(waited < kSleepAfter ? 50us : 1ms);
  if (threads_) mutex_.lock();
  return true;
}

// Everything that need not be done at every poll: other peers' news, signs of life, the user's
// limit.
bool Engine::look_after(Patience& patience, Communicator& communicator,
                        const Visitor& each_waiting) noexcept {
  patience.looked = Clock::now();
  if (patience.since == Patience::Time{}) patience.since = patience.probed = patience.looked;
  const bool probe = patience.looked - patience.probed >
                     std::chrono::milliseconds(configuration_.probe_interval_ms);
  if (probe) patience.probed = patience.looked;
  welcome();
  for (Channel* channel : connected_) channel->progress();

  int waits_for = kNoPeer;
  bool parting = false;
  each_waiting([&](Channel& channel) {
    waits_for = channel.peer();
    if (probe) {
      channel.probe();
      communicator.tell_waiting(channel);
    }
    communicator.look_at(channel, patience.looked);
    if (channel.failed())
      communicator.fail(channel.failure_code(), channel.peer(), "{}", channel.failure());
    else if (channel.closed() && patience.parting)
      communicator.fail(Code::peer_finalized, channel.peer(),
                        "rank {} of MPI_COMM_WORLD has called tutti_finalize, and this rank waits "
                        "for it; do all ranks call the same collectives?",
                        channel.peer());
    else
      parting |= channel.closed();
  });
  patience.parting = parting;
  if (configuration_.timeout_ms > 0 &&
      patience.looked - patience.since > std::chrono::milliseconds(configuration_.timeout_ms))
    communicator.fail(
        Code::timed_out, waits_for,
        "rank {} of MPI_COMM_WORLD did not come within the {} ms of the setting `timeout`",
        waits_for, configuration_.timeout_ms);
  return !communicator.failed();
}

// Channels for the links that peers began.
void Engine::welcome() noexcept {
  if (!verbs_) return;
  if (verbs_->take_starved() && cache_) cache_->trim(SIZE_MAX);  // the peer asks again
  while (transport::Link* link = verbs_->accepted()) {
    try {
      channel_over(*link);
    } catch (const std::exception& error) {
      log(error.what());
    }
  }
}

// --- communicators and their failures ----------------------------------------------------------

void Engine::add(Communicator& communicator) {
  catch_up();
  communicators_.push_back(&communicator);
  next_id_ = std::max(next_id_, communicator.id() + 1);
}

void Engine::remove(Communicator& communicator) noexcept {
  const bool wanted = !communicator.failed() && !communicator.has_refused();
  std::erase(communicators_, &communicator);
  try {
    const auto range = freed_.insert({communicator.id(), communicator.id()}).first;
    if (const auto next = std::next(range);
        next != freed_.end() && next->first == range->second + 1) {
      range->second = next->second;
      freed_.erase(next);
    }
    if (range != freed_.begin() && std::prev(range)->second + 1 == range->first) {
      std::prev(range)->second = range->second;
      freed_.erase(range);
    }
  } catch (const std::bad_alloc&) {  // then what still comes for it keeps its slot
  }
  if (!wanted) catch_up();  // the slots of what came for it are free again
}

bool Engine::was_freed(CommunicatorId id) const noexcept {
  const auto after = freed_.upper_bound(id);
  return after != freed_.begin() && std::prev(after)->second >= id;
}

Communicator* Engine::communicator_of(CommunicatorId id) const noexcept {
  const auto found = std::find_if(communicators_.begin(), communicators_.end(),
                                  [&](const Communicator* c) { return c->id() == id; });
  return found != communicators_.end() ? *found : nullptr;
}

// News is read and said, though this rank waits for nothing in Tutti: it may not for long, and
// peers may wait for slots.
void Engine::catch_up() noexcept {
  if (verbs_) verbs_->progress();
  for (Channel* channel : connected_) channel->progress();
}

void Engine::hear(const protocols::News& news, int from) noexcept {
  using Kind = protocols::News::Kind;
  Communicator* const communicator = communicator_of(news.communicator);
  if (!communicator) {
    if (news.kind == Kind::waits && was_freed(news.communicator))
      channels_[static_cast<std::size_t>(from)]->mention(
          {.kind = Kind::passed, .communicator = news.communicator, .call = news.call});
    return;
  }
  switch (news.kind) {
    case Kind::refused: return communicator->refused_by(from, news.call, news.code);
    case Kind::waits:
      return communicator->waited_for(*channels_[static_cast<std::size_t>(from)], news.call,
                                      news.fingerprint);
    case Kind::passed: return communicator->passed_by(from, news.call);
    case Kind::failed: break;
  }
  if (news.code == Code::peer_failed)
    communicator->fail(news.code, news.culprit,
                       "rank {} of MPI_COMM_WORLD has failed, says rank {}", news.culprit, from);
  else
    communicator->fail(
        news.code, news.culprit,
        "rank {} of MPI_COMM_WORLD says that the communicator has failed there: {} (about rank {})",
        from, tutti_error_string(static_cast<int>(news.code)), news.culprit);
}

bool Engine::unwanted(const MessageName& name, int from) noexcept {
  Communicator* const communicator = communicator_of(name.communicator);
  return communicator ? communicator->unwanted(name, from) : was_freed(name.communicator);
}

// Of a freed communicator no member may still wait, unless ranks make different calls.
protocols::News Engine::why_unwanted(CommunicatorId id) noexcept {
  const Communicator* const communicator = communicator_of(id);
  if (communicator && communicator->failed()) return communicator->failure_news();
  return {.communicator = id, .code = Code::size_mismatch, .culprit = rank_};
}

// Members that are not connected yet hear of it when they are: whoever waits for this rank connects
// to it.
void Engine::spread_refusal(Communicator& communicator, CollectiveNumber number,
                            Code code) noexcept {
  for (const int member : communicator.world_ranks()) {
    if (member == rank_) continue;
    try {
      if (!channels_[static_cast<std::size_t>(member)] &&
          (!shm_->reaches(member) || configuration_.transport == TransportChoice::verbs))
        continue;
      Channel& channel = this->channel(member);
      if (!channel.failed() && !channel.closed())
        channel.announce({.kind = protocols::News::Kind::refused,
                          .communicator = communicator.id(),
                          .call = number,
                          .code = code});
    } catch (const std::exception& error) {
      log(error.what());
    }
  }
}

// Every member that can be told is told: on this node all (connecting costs nothing there),
// elsewhere the connected ones. Waits a little for credits, and for peers that may be writing into
// buffers of this call, which are the caller's again after it.
void Engine::spread_failure(Communicator& communicator) noexcept {
  std::vector<Channel*> told;
  for (const int member : communicator.world_ranks()) {
    if (member == rank_) continue;
    auto& known = channels_[static_cast<std::size_t>(member)];
    try {
      if (!known && (!shm_->reaches(member) || configuration_.transport == TransportChoice::verbs))
        continue;
      Channel& channel = this->channel(member);
      if (channel.failed() || channel.closed()) continue;
      channel.announce(communicator.failure_news());
      told.push_back(&channel);
    } catch (const std::exception& error) {
      log(error.what());
    }
  }
  const auto deadline = Clock::now() + kSpreadPatience;
  const auto open = [](const Channel* c) {
    return (c->news_pending() || c->withdrawing()) && !c->failed() && !c->closed();
  };
  while (std::any_of(told.begin(), told.end(), open) && Clock::now() < deadline) {
    if (verbs_) verbs_->progress();
    for (Channel* c : told) c->progress();
    sched_yield();
  }
  for (const int member : communicator.world_ranks())
    if (const auto& channel = channels_[static_cast<std::size_t>(member)])
      channel->revoke_abandoned();
}

// --- leaving and telling -----------------------------------------------------------------------

// What was sent last may still have to be sent again: leave only when the adapter says that
// everything has arrived. Peers that are gone end this by their own time-out.
void Engine::farewell() noexcept {
  for (transport::Transport* transport : {static_cast<transport::Transport*>(shm_.get()),
                                          static_cast<transport::Transport*>(verbs_.get())})
    if (transport) transport->say_farewell();
  const auto deadline = Clock::now() + 10s;
  const auto busy = [](Channel* c) { return !c->link().drained(); };
  while (std::any_of(connected_.begin(), connected_.end(), busy) && Clock::now() < deadline) {
    if (verbs_) verbs_->progress();
    sched_yield();
  }
}

nlohmann::json Engine::describe() const {
  nlohmann::json members = {{"world_size", size_},
                            {"world_rank", rank_},
                            {"oversubscribed", oversubscribed()},
                            {"software_wire", software_wire_},
                            {"connections", nlohmann::json::object()},
                            {"address_bytes", static_cast<std::size_t>(size_) * kBytesPerRank},
                            {"bytes_per_connection", {{"shm", 0}, {"verbs", 0}}}};
  std::map<std::string, int> connections;
  for (Channel* c : connected_) ++connections[c->link().kind()];
  members["connections"].update(connections);
  for (const transport::Transport* transport :
       {static_cast<const transport::Transport*>(shm_.get()),
        static_cast<const transport::Transport*>(verbs_.get())}) {
    if (!transport) continue;
    members["bytes_per_connection"][transport->kind()] = transport->bytes_per_connection();
    for (const auto& [name, value] : transport->counters()) members["counters"][name] = value;
    members.update(transport->describe());
  }
  if (datagrams_) members.update(datagrams_->describe());
  return members;
}

}  // namespace tutti
