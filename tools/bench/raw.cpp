// The wire by itself: plain RDMA writes between ranks 0 and 1, with verbs alone, as a
// floor to judge the collectives by. Both ranks yield while they wait, as Tutti does where ranks
// outnumber cores.
#include <fmt/format.h>
#include <mpi.h>
#include <sched.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <random>

#include "base/error.hpp"
#include "tools/bench/bench.hpp"
#include "transport/verbs/device/memory.hpp"
#include "transport/verbs/device/queue_pair.hpp"

namespace tutti::tools {
namespace {

using namespace transport::verbs;

constexpr std::size_t kMost = std::size_t{1} << 20;
constexpr int kInFlight = 16;
constexpr int kTimeout = 14, kRetries = 5;

struct Card {
  ibv_gid gid;
  std::uint64_t address;
  std::uint32_t key, queue_pair, packet_sequence;
  std::uint16_t lid, mtu;
};

void yield_while(const std::function<bool()>& waiting) {
  while (waiting()) sched_yield();
}

}  // namespace

struct RawWire::Ends {
  Ends(const DeviceChoice& choice, int its_rank)
      : device(choice, [](std::string_view) {}), rank(its_rank), memory(2 * kMost) {
    queue.reset(ibv_create_cq(device.context(), 4 * kInFlight, nullptr, nullptr, 0));
    if (!queue) throw_no_memory("creating a completion queue", 4 * kInFlight * 64);
    ibv_qp_init_attr wanted{};
    wanted.send_cq = wanted.recv_cq = queue.get();
    wanted.qp_type = IBV_QPT_RC;
    wanted.cap = {4 * kInFlight, 1, 1, 1, 8};
    pair = create_queue_pair(device, wanted);
    region = register_memory(device, memory.data(), memory.size(),
                             IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
    mine = {device.gid(),
            reinterpret_cast<std::uint64_t>(memory.data() + kMost),
            region->rkey,
            pair->qp_num,
            std::random_device{}() & 0xffffff,
            device.lid(),
            static_cast<std::uint16_t>(device.mtu())};
  }

  void connect(const Card& peer) {
    theirs = peer;
    initialize(device, pair.get());
    make_ready(pair.get(), {1 - rank, device.path_to(peer.lid, peer.gid),
                            static_cast<ibv_mtu>(std::min(mine.mtu, peer.mtu)), peer.queue_pair,
                            peer.packet_sequence, mine.packet_sequence, kTimeout, kRetries});
  }

  // The last 8 bytes are `mark`, which only grows: the peer waits for them at the end of its own
  // memory's second half.
  void write(std::size_t bytes) {
    std::byte* from = memory.data() + kMost - bytes;
    std::memcpy(memory.data() + kMost - sizeof mark, &mark, sizeof mark);
    ibv_sge piece{reinterpret_cast<std::uint64_t>(from), static_cast<std::uint32_t>(bytes),
                  region->lkey};
    ibv_send_wr wr{}, *bad = nullptr;
    wr.sg_list = &piece;
    wr.num_sge = 1;
    wr.opcode = IBV_WR_RDMA_WRITE;
    wr.send_flags = IBV_SEND_SIGNALED | (bytes <= 8 ? unsigned{IBV_SEND_INLINE} : 0u);
    wr.wr.rdma = {theirs.address + kMost - bytes, theirs.key};
    if (const int error = ibv_post_send(pair.get(), &wr, &bad))
      throw Error(Code::transport_failed,
                  fmt::format("a raw write is refused: {}", std::strerror(error)), kNoPeer, error);
  }

  int completions() {
    ibv_wc all[kInFlight];
    const int count = ibv_poll_cq(queue.get(), kInFlight, all);
    for (int i = 0; i < count; ++i)
      if (all[i].status != IBV_WC_SUCCESS)
        throw Error(Code::transport_failed,
                    fmt::format("a raw write failed: {}", ibv_wc_status_str(all[i].status)));
    return count;
  }

  bool arrived() const {
    return __atomic_load_n(
               reinterpret_cast<const std::uint64_t*>(memory.data() + 2 * kMost - sizeof mark),
               __ATOMIC_ACQUIRE) == mark;
  }

  // There and back, `turns` times. Seconds.
  double ping_pong(std::size_t bytes, int turns) {
    const double begin = MPI_Wtime();
    for (int i = 0; i < turns; ++i) {
      ++mark;
      if (rank == 1) yield_while([&] { return !arrived(); });
      write(bytes);
      if (rank == 0) yield_while([&] { return !arrived(); });
      yield_while([&] { return completions() == 0; });
    }
    return MPI_Wtime() - begin;
  }

  // One way, several in flight; until the last is acknowledged.
  double stream(std::size_t bytes, int count) {
    if (rank != 0) return 0;
    const double begin = MPI_Wtime();
    int posted = 0, done = 0;
    while (done < count) {
      while (posted < count && posted - done < kInFlight) {
        write(bytes);
        ++posted;
      }
      const int now = completions();
      done += now;
      if (now == 0) sched_yield();
    }
    return MPI_Wtime() - begin;
  }

  Device device;
  const int rank;
  std::vector<std::byte> memory;  // the source of writes, and the target of the peer's
  CompletionQueue queue;
  MemoryRegion region;
  QueuePair pair;
  Card mine{}, theirs{};
  std::uint64_t mark = 0;
};

RawWire::RawWire(const std::string& device, int port, int gid_index) {
  int rank = 0, P = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &P);
  if (P < 2)
    throw Error(Code::unsupported, "--raw writes from rank 0 to rank 1: start two ranks at least");
  if (rank > 1) return;
  ends_ = std::make_unique<Ends>(DeviceChoice{device, port, gid_index}, rank);
  Card peer{};
  MPI_Sendrecv(&ends_->mine, sizeof peer, MPI_BYTE, 1 - rank, 7, &peer, sizeof peer, MPI_BYTE,
               1 - rank, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  ends_->connect(peer);
}

RawWire::~RawWire() = default;

void RawWire::run(double seconds) {
  constexpr int kTurns = 50, kWrites = 32;
  double times[2] = {0, 0};  // of one round, so that both ranks make the same number of rounds
  const auto round = [&] {
    MPI_Barrier(MPI_COMM_WORLD);
    if (ends_) times[0] = ends_->ping_pong(8, kTurns);
    MPI_Barrier(MPI_COMM_WORLD);
    if (ends_) times[1] = ends_->stream(kMost, kWrites);
    MPI_Barrier(MPI_COMM_WORLD);
  };
  round();
  int rounds = std::max(5, static_cast<int>(seconds / (times[0] + times[1] + 1e-9)));
  MPI_Bcast(&rounds, 1, MPI_INT, 0, MPI_COMM_WORLD);
  for (int i = 0; i < rounds; ++i) {
    round();
    latencies_.push_back(times[0] * 1e6 / (2 * kTurns));
    streams_.push_back(times[1] * 1e6 / kWrites);
  }
}

RawRow RawWire::result() const { return {timing_of(latencies_, 1), timing_of(streams_, 1)}; }

}  // namespace tutti::tools
