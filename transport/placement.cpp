// Makes a rank's card (boot id, host name, binding), and the placement from the cards of all.
#include "transport/placement.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <type_traits>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/random.hpp"
#include "transport/processors.hpp"

namespace tutti::transport {
namespace {

static_assert(std::is_trivially_copyable_v<PlacementCard>);
using Threads = decltype(PlacementCard::threads);

// Empty if there is no such file. Throws Error{system}: a rank that has no descriptor left, or
// cannot read the file, would seem to be on another machine.
std::string boot_id() {
  constexpr const char* kPath = "/proc/sys/kernel/random/boot_id";
  std::string id;
  errno = 0;
  std::ifstream file(kPath);
  if (!file && (errno == EMFILE || errno == ENFILE || errno == ENOMEM))
    throw Error(Code::system,
                fmt::format("cannot open {}: {}; raise the limit on open files (ulimit -n)", kPath,
                            std::strerror(errno)),
                kNoPeer, errno);
  errno = 0;
  if (file && !(file >> id) && errno != 0)
    throw Error(Code::system, fmt::format("cannot read {}: {}", kPath, std::strerror(errno)),
                kNoPeer, errno);
  return id;
}

std::string host_name() {
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  return name;
}

}  // namespace

PlacementCard card_of_this_process(const std::string& node_name) {
  const std::string boot = boot_id();
  PlacementCard card;
  // Containers may have boot ids of their own, so a name that is given stands for all.
  card.host =
      node_name.empty() ? Hash().add(boot).add(host_name()).value() : Hash().add(node_name).value();
  struct stat mounted {};
  stat("/dev/shm", &mounted);
  card.mount = Hash().add(boot).add(mounted.st_dev).add(mounted.st_ino).value();
  card.node = Hash().add(card.host).add(mounted.st_dev).add(mounted.st_ino).value();
  card.beacon = random_number();
  card.secret = random_number();
  card.machine = Hash().add(boot).value();
  const ThreadList bound = bound_threads();
  for (const int t : bound) card.threads.set(static_cast<std::size_t>(t) % card.threads.size());
  if (bound.empty()) card.threads.set();
  return card;
}

Placement::Placement(int rank, std::span<const PlacementCard> cards)
    : rank_(rank), node_of_(cards.size()) {
  const PlacementCard& mine = cards[static_cast<std::size_t>(rank)];
  struct Load {
    Threads threads;
    std::size_t ranks = 0;
    int number = 0;
  };
  std::map<std::uint64_t, Load> load_of_machine;
  std::map<std::uint64_t, int> number_of_node;
  int machines = 0;
  for (std::size_t r = 0; r < cards.size(); ++r) {
    const PlacementCard& card = cards[r];
    Load& load = load_of_machine[card.machine];
    if (load.ranks == 0) load.number = machines++;
    load.threads |= card.threads;
    ++load.ranks;
    node_of_[r] = number_of_node.try_emplace(card.node, static_cast<int>(number_of_node.size()))
                      .first->second;
    if (node_of_[r] == static_cast<int>(machine_of_.size())) machine_of_.push_back(load.number);
    if (card.host == mine.host && card.node != mine.node && apart_ < 0)
      apart_ = static_cast<int>(r);
    if (card.host != mine.host && card.mount == mine.mount && renamed_ < 0)
      renamed_ = static_cast<int>(r);
    if (card.host == mine.host && obstacle_ == 0) obstacle_ = card.obstacle;
    if (card.node != mine.node) continue;
    node_ranks_.push_back(static_cast<int>(r));
  }
  nodes_ = static_cast<int>(number_of_node.size());
  threads_of_.resize(load_of_machine.size());
  for (const auto& [machine, load] : load_of_machine) {
    threads_of_[static_cast<std::size_t>(load.number)] = static_cast<int>(load.threads.count());
    if (load.ranks > load.threads.count()) oversubscribed_ = true;
  }
}

}  // namespace tutti::transport
