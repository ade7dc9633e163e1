// The loop of the handshake's thread: datagrams, events of devices, timers.
#include "transport/verbs/handshake/handshake.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <thread>
#include <utility>

namespace tutti::transport::verbs {

using Clock = RunningClock;
using namespace std::chrono_literals;

namespace {

// Datagrams there is room for; more are lost and repeated. All ranks may ask at once, while this
// one looks for a path, which takes up to a second.
constexpr int kLeastSlots = 64, kMostSlots = 1024;

std::uint32_t slots_for(const Device& device, int ranks) {
  const int most = std::min({kMostSlots, device.limits().max_qp_wr, device.limits().max_cqe});
  return static_cast<std::uint32_t>(std::min(std::max(ranks, kLeastSlots), most));
}

// The index of the network device that has the port's address; 0: unknown, or there is none.
unsigned interface_of(const Device& device) {
  ibv_gid_entry entry{};
  const bool known =
      ibv_query_gid_ex(device.context(), static_cast<std::uint32_t>(device.port()),
                       static_cast<std::uint32_t>(device.gid_index()), &entry, 0) == 0;
  return known ? entry.ndev_ifindex : 0;
}

CompletionChannel create_channel(const Device& device) {
  CompletionChannel channel(ibv_create_comp_channel(device.context()));
  if (!channel) throw_no_memory("creating a completion channel", 0);
  return channel;
}

}  // namespace

Handshake::Handshake(const Device& device, int rank, int ranks, std::uint16_t mtu,
                     std::chrono::milliseconds timeout, std::function<void(std::string_view)> log)
    : device_(device),
      rank_(rank),
      mtu_(mtu),
      timeout_(timeout),
      log_(std::move(log)),
      channel_(create_channel(device)),
      endpoint_(device, {.purpose = "the handshake",
                         .capacity = sizeof(Packet),
                         .receive_slots = slots_for(device, ranks),
                         .send_slots = kLeastSlots,
                         .events = channel_.get()}),
      events_(device, *this, log_),
      presence_(device.gid(), interface_of(device)),
      probes_(interface_of(device)),
      attempts_(timeout),
      growths_(timeout) {
  endpoint_.open(queue_key_);
  if (const int error = ibv_req_notify_cq(endpoint_.receive_queue(), 0))
    throw Error(Code::transport_failed,
                fmt::format("device {} cannot announce what arrives: ibv_req_notify_cq failed: {}; "
                            "see the kernel's log (dmesg), or choose another device (the setting "
                            "device)",
                            device.name(), std::strerror(error)),
                kNoPeer, error);
  fcntl(channel_->fd, F_SETFL, fcntl(channel_->fd, F_GETFL) | O_NONBLOCK);
  wake_fd_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (wake_fd_ < 0)
    throw Error(Code::system,
                fmt::format("eventfd failed: {}; if there are too many open files, raise their "
                            "limit (ulimit -n)",
                            std::strerror(errno)),
                kNoPeer, errno);
}

Handshake::~Handshake() {
  stop_ = true;
  wake();
  thread_.join();
  close(wake_fd_);
}

HandshakeCard Handshake::card() const noexcept {
  return {device_.gid(), token_, endpoint_.number(), queue_key_,
          device_.lid(), mtu_,   presence_.port()};
}

void Handshake::start(std::vector<HandshakeCard> cards, std::span<std::atomic<VerbsLink*>> links,
                      MakeLink make_link) {
  cards_ = std::move(cards);
  paths_.resize(cards_.size());
  without_path_.reserve(cards_.size());
  links_ = links;
  make_link_ = std::move(make_link);
  thread_ = HelperThread("tutti-handshake", [this] { serve(); });
}

void Handshake::begin(VerbsLink& link) noexcept {
  attempts_.begin(link.peer(), Clock::now());
  send(Type::request, link.peer());
  wake();
}

void Handshake::wake() noexcept {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(wake_fd_, &one, sizeof one);
}

// --- the thread

void Handshake::serve() {
  while (!stop_) {
    try {
      run_once();
    } catch (const std::exception&) {
      // No memory. Work that was not done is asked for again, by the peer or by the next turn.
      std::this_thread::sleep_for(Attempts::kFirstInterval);
    }
  }
}

void Handshake::run_once() {
  wait_for_news();
  receive_all();
  if (endpoint_.failed()) reopen_endpoint();
  serve_one();
  begin_one_growth();
  send_link_datagrams();
  find_a_path();
  retry();
}

void Handshake::wait_for_news() {
  int timeout;
  {
    const std::lock_guard guard(mutex_);
    timeout = milliseconds_to_next();
  }
  pollfd fds[] = {{announces_ ? channel_->fd : -1, POLLIN, 0},
                  {events_.file(), POLLIN, 0},
                  {wake_fd_, POLLIN, 0},
                  {presence_.file(), POLLIN, 0}};
  ::poll(fds, std::size(fds), timeout);  // any of the three ends it
  if (fds[2].revents != 0) {
    std::uint64_t count;
    [[maybe_unused]] const ssize_t drained = read(wake_fd_, &count, sizeof count);
  }
  if (fds[0].revents != 0) {
    ibv_cq* queue = nullptr;
    void* context = nullptr;
    if (ibv_get_cq_event(channel_.get(), &queue, &context) == 0)
      ibv_ack_cq_events(queue, 1);
    else if (errno != EAGAIN && errno != EINTR)
      announces_ = false;
    if ((fds[0].revents & (POLLERR | POLLHUP | POLLNVAL)) != 0) announces_ = false;
    // Before the queue is read: what arrives in between is then announced.
    ibv_req_notify_cq(endpoint_.receive_queue(), 0);
  }
  if (fds[1].revents != 0) events_.read(fds[1].revents);
  if (fds[3].revents != 0) presence_.answer();
}

int Handshake::milliseconds_to_next() {
  // Poll while the queue pair is down or completion events are not delivered.
  const bool looks = !announces_ || endpoint_.failed();
  if (!requests_.empty() || growth_wanted_ || link_datagrams_wanted_) return 0;
  auto next = std::min(attempts_.next(), growths_.next());
  if (looks) next = std::min(next, Clock::now() + Attempts::kFirstInterval);
  for (const int peer : without_path_) next = std::min(next, path_to(peer).next);
  if (next == Clock::time_point::max()) return -1;
  const auto wait =
      std::chrono::duration_cast<std::chrono::milliseconds>(next - Clock::now()).count();
  return static_cast<int>(std::clamp<long long>(wait + 1, 0, Attempts::kLongestPause.count()));
}

void Handshake::receive_all() {
  for (auto arrived = endpoint_.receive(); arrived.data; arrived = endpoint_.receive()) {
    const auto packet = read_packet({arrived.data, arrived.bytes}, rank_, cards_);
    endpoint_.give_back(arrived.slot);
    if (!packet) continue;
    const std::lock_guard guard(mutex_);
    take(*packet);
  }
}

// Looks for one path, the one that has failed least often, and without the lock: a host that does
// not answer costs a second, in which other ranks want answers from this one.
void Handshake::find_a_path() {
  int peer = -1;
  {
    const std::lock_guard guard(mutex_);
    std::erase_if(without_path_, [&](int rank) {
      const VerbsLink* link = link_to(rank);
      const Path& path = path_to(rank);
      if (!link) return path.pending != Type::busy;
      return link->state().failed() && (path.pending != Type::busy || path.busy != Busy::given_up);
    });
    const auto now = Clock::now();
    for (const int rank : without_path_)
      if (path_to(rank).next <= now &&
          (peer < 0 || path_to(rank).failures < path_to(peer).failures))
        peer = rank;
  }
  if (peer < 0) return;
  const HandshakeCard& card = card_of(peer);
  ibv_ah_attr attributes = device_.path_to(card.lid, card.gid);
  AddressHandle made(ibv_create_ah(device_.pd(), &attributes));
  const int error = errno;
  const std::lock_guard guard(mutex_);
  Path& path = path_to(peer);
  if (!made) {  // no neighbour entry yet, or no route: the deadline decides
    path.error = error;
    path.next = Clock::now() + std::min(++path.failures, 4) * Attempts::kLongestInterval;
    return;
  }
  path.error = 0;
  path.target = {std::move(made), card.queue_pair, card.queue_key};
  std::erase(without_path_, peer);
  send(path.pending, peer, path.busy);
}

// --- what the device reports

// Datagrams on their way are lost. Opening is tried again and again, and told of once.
void Handshake::reopen_endpoint() {
  const std::lock_guard guard(mutex_);
  const bool first = !std::exchange(reopening_, true);
  if (first) log_("the queue pair of the handshake has failed; it is made ready again");
  try {
    endpoint_.open(queue_key_);
    ibv_req_notify_cq(endpoint_.receive_queue(), 0);
    reopening_ = false;
  } catch (const Error& error) {
    if (first) log_(error.message);
  }
}

void Handshake::device_failed(const char* event) {
  const std::string text = fmt::format(
      "device {} reports: {}; all its connections are lost; see the kernel's log "
      "(dmesg), and start the job again",
      device_.name(), event);
  for (auto& entry : links_)
    if (VerbsLink* link = entry.load(std::memory_order_acquire))
      link->fail(Code::transport_failed, text.c_str());
}

void Handshake::queue_pair_failed(std::uint32_t number, const char* event) {
  if (number == endpoint_.number()) return;  // its completions say so
  for (auto& entry : links_)
    if (VerbsLink* link = entry.load(std::memory_order_acquire);
        link && link->has_queue_pair(number) && link->state() != State::closed)
      link->fail(
          Code::transport_failed,
          fmt::format("the connection to rank {} of MPI_COMM_WORLD broke: {}; see the kernel's log "
                      "(dmesg) on both hosts, and start the job again",
                      link->peer(), event)
              .c_str());
}

}  // namespace tutti::transport::verbs
