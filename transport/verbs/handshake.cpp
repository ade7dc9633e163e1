// The UD queue pair, its thread, and the three kinds of datagram.
#include "transport/verbs/handshake.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace tutti::transport::verbs {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

namespace {
constexpr std::uint32_t kMagic = 0x74757474;
constexpr std::uint16_t kVersion = 1;
constexpr std::uint32_t kQueueKey = 0x74750001;
constexpr std::uint32_t kSlots = 64;  // datagrams that may lie unread; more are lost and repeated
constexpr std::size_t kSlotBytes = 256;
constexpr std::size_t kGrhBytes = 40;  // a UD receive begins with the global route header
constexpr auto kFirstInterval = 20ms, kLongestInterval = 400ms;
}  // namespace

struct Handshake::Datagram {
  std::uint32_t magic = kMagic;
  std::uint16_t version = kVersion;
  Type type{};
  std::int32_t from = 0, to = 0;
  std::uint64_t token = 0;
  PeerInfo info{};
  std::uint16_t mtu = 0, arrival = 0;
  InboxShape shape{};
};

Handshake::Handshake(const Device& device, int rank, std::uint16_t mtu,
                     std::chrono::milliseconds timeout, std::function<void(std::string_view)> log)
    : device_(device), rank_(rank), mtu_(mtu), timeout_(timeout), log_(std::move(log)) {
  static_assert(sizeof(Datagram) + kGrhBytes <= kSlotBytes);
  if (getrandom(&token_, sizeof token_, 0) != static_cast<ssize_t>(sizeof token_))
    throw Error(Code::system, "getrandom failed", kNoPeer, errno);
  channel_.reset(ibv_create_comp_channel(device.context()));
  if (channel_)
    receive_queue_.reset(ibv_create_cq(device.context(), kSlots + 1, nullptr, channel_.get(), 0));
  if (receive_queue_)
    send_queue_.reset(ibv_create_cq(device.context(), kSlots + 1, nullptr, nullptr, 0));
  if (!send_queue_) throw_no_memory("creating a completion queue", kSlots * 64);
  ibv_qp_init_attr wanted{};
  wanted.send_cq = send_queue_.get();
  wanted.recv_cq = receive_queue_.get();
  wanted.qp_type = IBV_QPT_UD;
  wanted.sq_sig_all = 1;
  wanted.cap = {kSlots, kSlots, 1, 1, 0};
  queue_pair_ = create_queue_pair(device, wanted);
  memory_ = own_pages(2 * kSlots * kSlotBytes, "the handshake");  // receives, then sends
  region_ = register_memory(device, memory_.get(), 2 * kSlots * kSlotBytes, IBV_ACCESS_LOCAL_WRITE);

  initialize(device, queue_pair_.get(), kQueueKey);
  for (std::uint32_t i = 0; i < kSlots; ++i) post_receive(i);
  make_ready(queue_pair_.get());
  if (const int error = ibv_req_notify_cq(receive_queue_.get(), 0))
    throw Error(Code::transport_failed,
                fmt::format("ibv_req_notify_cq failed: {}", std::strerror(error)), kNoPeer, error);
  for (const int fd : {channel_->fd, device.context()->async_fd})
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
  wake_fd_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (wake_fd_ < 0)
    throw Error(Code::system, fmt::format("eventfd failed: {}", std::strerror(errno)), kNoPeer,
                errno);
}

Handshake::~Handshake() {
  stop_ = true;
  wake();
  if (thread_.joinable()) thread_.join();
  close(wake_fd_);
}

Card Handshake::card() const noexcept {
  return {device_.gid(), token_, queue_pair_->qp_num, device_.lid(), mtu_};
}

void Handshake::start(std::vector<Card> cards, std::span<std::atomic<VerbsLink*>> links,
                      MakeLink make_link, std::function<void(VerbsLink&)> on_accepted) {
  cards_ = std::move(cards);
  paths_.resize(cards_.size());
  links_ = links;
  make_link_ = std::move(make_link);
  on_accepted_ = std::move(on_accepted);
  thread_ = std::thread([this] { serve(); });
}

void Handshake::begin(VerbsLink& link) {
  attempts_.push_back(
      {&link, Clock::now() + kFirstInterval, Clock::now() + timeout_, kFirstInterval});
  send(Type::request, link);
  wake();
}

void Handshake::wake() noexcept {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(wake_fd_, &one, sizeof one);
}

// --- the thread --------------------------------------------------------------------------------

void Handshake::serve() {
  while (!stop_) {
    int timeout;
    {
      const std::lock_guard guard(mutex_);
      timeout = milliseconds_to_next();
    }
    pollfd fds[] = {
        {channel_->fd, POLLIN, 0}, {device_.context()->async_fd, POLLIN, 0}, {wake_fd_, POLLIN, 0}};
    ::poll(fds, std::size(fds), timeout);
    if (fds[2].revents != 0) {
      std::uint64_t count;
      [[maybe_unused]] const ssize_t drained = read(wake_fd_, &count, sizeof count);
    }
    if (fds[1].revents != 0) watch_device();
    if (fds[0].revents != 0) {
      ibv_cq* queue = nullptr;
      void* context = nullptr;
      if (ibv_get_cq_event(channel_.get(), &queue, &context) == 0) ibv_ack_cq_events(queue, 1);
      // Ask again before reading: what comes in between is then announced.
      ibv_req_notify_cq(receive_queue_.get(), 0);
    }
    receive_all();
    make_path();
    retry();
  }
}

int Handshake::milliseconds_to_next() {
  if (attempts_.empty() && unreachable_.empty()) return -1;
  auto next = Clock::time_point::max();
  for (const Attempt& a : attempts_) next = std::min(next, a.next);
  for (const int peer : unreachable_)
    next = std::min(next, paths_[static_cast<std::size_t>(peer)].next);
  const auto wait =
      std::chrono::duration_cast<std::chrono::milliseconds>(next - Clock::now()).count();
  return static_cast<int>(std::clamp<long long>(wait + 1, 0, 1000));
}

void Handshake::receive_all() {
  ibv_wc completion;
  while (ibv_poll_cq(receive_queue_.get(), 1, &completion) == 1) {
    const auto slot = static_cast<std::uint32_t>(completion.wr_id);
    if (completion.status == IBV_WC_SUCCESS &&
        completion.byte_len == kGrhBytes + sizeof(Datagram)) {
      Datagram datagram;
      std::memcpy(&datagram, memory_.get() + slot * kSlotBytes + kGrhBytes, sizeof datagram);
      const std::lock_guard guard(mutex_);
      take(datagram);
    }
    if (completion.status != IBV_WC_SUCCESS)
      return;  // the queue pair is in error: the device is going away
    post_receive(slot);
  }
}

void Handshake::post_receive(std::uint32_t slot) {
  ibv_sge piece{reinterpret_cast<std::uint64_t>(memory_.get() + slot * kSlotBytes), kSlotBytes,
                region_->lkey};
  ibv_recv_wr wr{slot, nullptr, &piece, 1};
  ibv_recv_wr* bad = nullptr;
  ibv_post_recv(queue_pair_.get(), &wr, &bad);
}

// Anyone on the network can send us a datagram: what does not fit in every respect is dropped.
void Handshake::take(const Datagram& d) {
  if (d.magic != kMagic || d.version != kVersion || d.to != rank_ || d.from < 0 ||
      d.from >= static_cast<int>(cards_.size()) || d.from == rank_)
    return;
  const auto peer = static_cast<std::size_t>(d.from);
  if (d.token != cards_[peer].token) return;
  VerbsLink* link = links_[peer].load(std::memory_order_acquire);
  if (!link) {
    if (d.type != Type::request) return;
    link = make_link_(d.from);
    if (!link) return;
    on_accepted_(*link);
    // The peer began: leave it time to finish before asking ourselves.
    attempts_.push_back(
        {link, Clock::now() + 2 * kFirstInterval, Clock::now() + timeout_, kFirstInterval});
  }
  if (link->failed()) return;
  for (Attempt& a : attempts_)
    if (a.link == link) a.deadline = Clock::now() + timeout_;  // it lives
  if (!(d.shape == link->shape())) {
    link->fail(Code::bad_configuration,
               fmt::format("rank {} of MPI_COMM_WORLD has other eager limits or slots; give all "
                           "ranks the same settings",
                           d.from)
                   .c_str());
    return;
  }
  if (!link->attached() && !attach(*link, d)) return;
  if (link->peer_info().queue_pair != d.info.queue_pair) return;  // from an attempt that is over
  if (d.type == Type::request) send(Type::reply, *link);
  if (d.type == Type::reply) send(Type::confirm, *link);
  if (d.type != Type::request && link->state() == State::connecting) {
    std::erase_if(attempts_, [&](const Attempt& a) { return a.link == link; });
    link->ready();
  }
}

bool Handshake::attach(VerbsLink& link, const Datagram& d) {
  const Card& card = cards_[static_cast<std::size_t>(d.from)];
  // The safer of the two strategies wins: imm over flag over tail.
  const auto rank_of = [](Arrival a) { return a == Arrival::imm ? 2 : a == Arrival::flag ? 1 : 0; };
  const auto theirs = static_cast<Arrival>(d.arrival);
  const Arrival agreed = rank_of(theirs) > rank_of(link.arrival()) ? theirs : link.arrival();
  try {
    link.attach(d.info, agreed, static_cast<ibv_mtu>(std::min(d.mtu, mtu_)), card.lid, card.gid);
    return true;
  } catch (const Error& error) {
    link.fail(error.code, error.message.c_str());
    return false;
  }
}

// One at a time, the least hopeless first, and without the lock: a host that is silent costs a
// second, in which others want answers.
void Handshake::make_path() {
  int peer = -1;
  {
    const std::lock_guard guard(mutex_);
    std::erase_if(unreachable_, [&](int rank) {
      const VerbsLink* link =
          links_[static_cast<std::size_t>(rank)].load(std::memory_order_acquire);
      return !link || link->failed();
    });
    const auto now = Clock::now();
    for (const int rank : unreachable_) {
      const auto path_of = [&](int r) -> const Path& {
        return paths_[static_cast<std::size_t>(r)];
      };
      if (path_of(rank).next <= now &&
          (peer < 0 || path_of(rank).failures < path_of(peer).failures))
        peer = rank;
    }
  }
  if (peer < 0) return;
  const Card& card = cards_[static_cast<std::size_t>(peer)];
  ibv_ah_attr attributes = device_.path_to(card.lid, card.gid);
  AddressHandle made(ibv_create_ah(device_.pd(), &attributes));
  const int error = errno;
  const std::lock_guard guard(mutex_);
  Path& path = paths_[static_cast<std::size_t>(peer)];
  if (!made) {  // no neighbour entry yet, or no route: the deadline decides
    path.error = error;
    path.next = Clock::now() + std::min(++path.failures, 4) * kLongestInterval;
    return;
  }
  path.handle = std::move(made);
  std::erase(unreachable_, peer);
  send(path.pending, *links_[static_cast<std::size_t>(peer)].load(std::memory_order_acquire));
}

void Handshake::send(Type type, VerbsLink& link) {
  ibv_wc completions[16];
  for (int n; (n = ibv_poll_cq(send_queue_.get(), 16, completions)) > 0;)
    sends_under_way_ -= static_cast<std::uint32_t>(n);
  if (sends_under_way_ >= kSlots) return;  // lost, like any datagram: it is repeated
  const auto peer = static_cast<std::size_t>(link.peer());
  Path& path = paths_[peer];
  if (!path.handle) {
    path.pending = type;
    if (std::find(unreachable_.begin(), unreachable_.end(), link.peer()) == unreachable_.end())
      unreachable_.push_back(link.peer());
    return;
  }
  Datagram datagram;
  datagram.type = type;
  datagram.from = rank_;
  datagram.to = link.peer();
  datagram.token = token_;
  datagram.info = link.info();
  datagram.mtu = mtu_;
  datagram.arrival = static_cast<std::uint16_t>(link.arrival());
  datagram.shape = link.shape();
  std::byte* const place = memory_.get() + (kSlots + next_send_slot_) * kSlotBytes;
  std::memcpy(place, &datagram, sizeof datagram);
  ibv_sge piece{reinterpret_cast<std::uint64_t>(place), sizeof datagram, region_->lkey};
  ibv_send_wr wr{};
  wr.sg_list = &piece;
  wr.num_sge = 1;
  wr.opcode = IBV_WR_SEND;
  wr.wr.ud = {path.handle.get(), cards_[peer].queue_pair, kQueueKey};
  ibv_send_wr* bad = nullptr;
  if (ibv_post_send(queue_pair_.get(), &wr, &bad) != 0) return;
  next_send_slot_ = (next_send_slot_ + 1) % kSlots;
  ++sends_under_way_;
}

void Handshake::retry() {
  const std::lock_guard guard(mutex_);
  const auto now = Clock::now();
  for (Attempt& a : attempts_) {
    if (now >= a.deadline) {
      const Card& card = cards_[static_cast<std::size_t>(a.link->peer())];
      std::string gid;
      for (int i = 0; i < 16; i += 2)
        gid += fmt::format("{}{:02x}{:02x}", i ? ":" : "", card.gid.raw[i], card.gid.raw[i + 1]);
      const Path& path = paths_[static_cast<std::size_t>(a.link->peer())];
      const std::string why =
          path.handle ? "it has died, or the network between the devices drops UDP port 4791"
                      : fmt::format("there is no path to it ({})",
                                    path.error ? std::strerror(path.error) : "not tried yet");
      a.link->fail(Code::unreachable,
                   fmt::format("rank {} of MPI_COMM_WORLD (GID {}, LID {}) did not answer within "
                               "{} ms: {}; check with "
                               "ping and ib_write_lat",
                               a.link->peer(), gid, card.lid, timeout_.count(), why)
                       .c_str());
    } else if (now >= a.next) {
      send(Type::request, *a.link);
      a.interval = std::min<std::chrono::milliseconds>(a.interval * 2, kLongestInterval);
      a.next = now + a.interval;
    }
  }
  std::erase_if(attempts_, [](const Attempt& a) { return a.link->failed(); });
}

void Handshake::watch_device() {
  ibv_async_event event;
  while (ibv_get_async_event(device_.context(), &event) == 0) {
    const char* what = ibv_event_type_str(event.event_type);
    log_(fmt::format("device {}: {}", device_.name(), what));
    std::string text;
    switch (event.event_type) {
      case IBV_EVENT_DEVICE_FATAL:
      case IBV_EVENT_CQ_ERR:
        text = fmt::format("device {} reports: {}; all its connections are lost", device_.name(),
                           what);
        for (auto& entry : links_)
          if (VerbsLink* link = entry.load(std::memory_order_acquire))
            link->fail(Code::transport_failed, text.c_str());
        break;
      case IBV_EVENT_PORT_ERR:
        // Packets are sent again for a while: a port that comes back in time costs nothing, and if
        // not, the retries end.
        break;
      case IBV_EVENT_QP_FATAL:
      case IBV_EVENT_QP_REQ_ERR:
      case IBV_EVENT_QP_ACCESS_ERR:
        for (auto& entry : links_)
          if (VerbsLink* link = entry.load(std::memory_order_acquire);
              link && link->info().queue_pair == event.element.qp->qp_num &&
              link->state() != State::closed)
            link->fail(Code::transport_failed,
                       fmt::format("the connection to rank {} of MPI_COMM_WORLD broke: {}",
                                   link->peer(), what)
                           .c_str());
        break;
      default: break;
    }
    ibv_ack_async_event(&event);
  }
}

}  // namespace tutti::transport::verbs
