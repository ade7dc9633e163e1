// Every number with its unit and its source. `tutti measure --save` replaces them on a machine;
// tutti explain(1) says which ones count. Pure.
#include "models/decision/shipped.hpp"

#include <algorithm>
#include <array>

namespace tutti::models {
namespace {

// Microseconds, and microseconds per byte.
//   L, o, g   half of a barrier of 2 ranks less the overheads; a broadcast of 8 bytes to one rank,
//             call after call, is g; tutti bench --collective barrier,bcast --bytes 8, 2 ranks on
//             two cores of an AMD EPYC (docs/measured.md, "Shared memory").
//   O         a broadcast of 64 KiB and of 1 MiB to one rank, the same way: cores move the bytes,
//   so
//             that an exchange takes twice as long, and no byte moves without one (G = 0).
const LogGPO kShm{.L = 0.03, .o_s = 0.03, .o_r = 0.03, .g = 0.04, .G = 0, .O = 0.00002};
// γ: a reduce of 64 KiB by two ranks less its transfer; copying: as O.
constexpr double kReducePerByte = 0.00001, kCopyPerByte = 0.00002;
// A turn on a core that ranks share: a barrier of 4 ranks on two cores has two rounds of them.
constexpr double kWake = 1.2;
// The default of the setting `shm_eager_limit`: what one slot holds.
constexpr Bytes kPiece = 16 * 1024;

// A message between the two ends of rxe costs some 20 us of a core, be it of either end, and 5.2 ns
// a byte: tests/rdma/host -- tests/rdma/compare build 4 mpich (docs/measured.md, "SoftRoCE"), where
// all hosts share one core, so that the time of a collective is the sum of its messages. The
// program's own time is small against it.
const LogGP kRxe{.L = 19, .o_s = 0.5, .o_r = 0.5, .g = 10, .G = 0.0052};
// Turns: a word that goes round among 2, 4 and 8 processes of one host that yield while they wait.
constexpr Cores kRxeCores{.wake = 12, .per_message = 19, .per_byte = 0.0052};

// L, G: NVIDIA ConnectX-6 user manual, introduction: latency below 0.6 us, 200 Gb/s; a switch adds
// 0.13 us (Quantum QM8700). o, g: from posting a write to its doorbell, some 0.2 us on such a host
// (Kalia, Kaminsky, Andersen, "Design Guidelines for High Performance RDMA Systems", USENIX ATC
// 2016, figure 4).
const LogGP kAdapter{.L = 0.73, .o_s = 0.2, .o_r = 0.2, .g = 0.2, .G = 0.00004};

// Memory of one connection: over shared memory (docs/measured.md, "Many ranks"), and over verbs, of
// one that has not grown (transport/verbs/connection/connection.hpp, Connection::bytes()).
constexpr Bytes kShmConnection = 11 * 1024, kVerbsConnection = 29 * 1024;

// The first message to a peer, us. Over shared memory: the first call of 2 ranks on two cores less
// the first one of a new plan over the same connection, 80 to 190 us where others used the cores as
// well. Over verbs nobody has measured it yet: a queue pair, its memory, three changes of its state
// and three datagrams are taken to be half a millisecond.
constexpr double kShmConnect = 100, kVerbsConnect = 500;

Platform platform(std::string_view name, std::string_view source, const Budget& budget) {
  Platform made;
  made.name = name;
  made.source = source;
  made.between = kShm;
  made.within = kShm;
  made.reduce_per_byte = kReducePerByte;
  made.copy_per_byte = kCopyPerByte;
  made.piece = kPiece;
  made.cores = Cores{.wake = kWake};
  made.budget = budget;
  return made;
}

std::array<Platform, 3> make_all() {
  const Budget over_shm{.connect = kShmConnect, .connection = kShmConnection};
  const Budget over_verbs{.connect = kVerbsConnect, .connection = kVerbsConnection};
  Platform shm = platform("shm", "shipped: shared memory, two cores of an AMD EPYC", over_shm);
  Platform rxe = platform("rxe", "shipped: SoftRoCE in a virtual machine", over_verbs);
  rxe.between = kRxe;
  rxe.cores = kRxeCores;
  Platform hardware = platform("hardware", "shipped: ConnectX-6, 200 Gb/s, one switch", over_verbs);
  hardware.between = kAdapter;
  hardware.shared_ports = true;
  return {shm, rxe, hardware};
}

}  // namespace

std::string_view wire_of(bool several_nodes, bool software) noexcept {
  return !several_nodes ? "shm" : software ? "rxe" : "hardware";
}

std::span<const Platform> shipped_platforms() {
  static const auto& all = *new auto(make_all());
  return all;
}

Platform completed(Platform platform, std::string_view wire) {
  const Platform* const usual = find_shipped(wire);
  if (!usual) return platform;
  // Over shared memory all messages are of the one kind that was measured.
  const bool between_nodes = !platform.origin.wire.empty() && platform.origin.wire != "shm";
  if (between_nodes && !platform.within) platform.within = usual->within;
  if (!platform.cores) {
    platform.cores = usual->cores;
    // If packets cost CPU time, time beyond the program's own work is the cores', too. It may all
    // be the program's own: then readings leave nothing, or less, for more bytes.
    if (platform.cores->per_message > 0) {
      constexpr Bytes kLong = 64 * 1024;
      const auto left = [&](Bytes bytes) {
        return std::max(0.0, costs_of(platform.between, bytes).flight);
      };
      platform.cores->per_message = left(0);
      platform.cores->per_byte = std::max(0.0, left(kLong) - left(0)) / static_cast<double>(kLong);
    }
  }
  if (!platform.budget) platform.budget = usual->budget;
  if (platform.piece == 0) platform.piece = usual->piece;
  return platform;
}

const Platform* find_shipped(std::string_view name) {
  const auto all = shipped_platforms();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Platform& p) { return p.name == name; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace tutti::models
