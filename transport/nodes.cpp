// Tries which ranks share /dev/shm, by files with secrets there, round by round.
#include "transport/nodes.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/hash.hpp"
#include "base/no_size_signal.hpp"
#include "transport/named_file.hpp"

namespace tutti::transport {
namespace {

std::string beacon_name(const PlacementCard& card) {
  return fmt::format("{}{:016x}", kBeaconName, card.beacon);
}

// A file that says the secret of this card, for as long as it exists. Where it cannot be made,
// nobody will see it.
class Beacon {
 public:
  explicit Beacon(const PlacementCard& card) : name_(beacon_name(card)) {
    const NoSizeSignal no_signal;
    file_ = create_named(name_);
    if (file_ < 0 || write(file_, &card.secret, sizeof card.secret) < 0) obstacle_ = errno;
  }
  ~Beacon() {
    if (file_ < 0) return;
    shm_unlink(name_.c_str());
    close(file_);
  }
  Beacon(const Beacon&) = delete;
  Beacon& operator=(const Beacon&) = delete;
  int obstacle() const noexcept { return obstacle_; }  // errno; 0: it is lit

 private:
  const std::string name_;
  int file_ = -1, obstacle_ = 0;
};

// A rank's findings in a round.
struct Found {
  std::int32_t joins = 0;
  std::int32_t obstacle = 0;  // errno
};

Found look_for_beacon(const PlacementCard& card) {
  const int file = shm_open(beacon_name(card).c_str(), O_RDWR | O_CLOEXEC, 0);
  if (file < 0) return {0, errno == ENOENT ? 0 : errno};
  std::uint64_t secret = 0;
  const bool same = read(file, &secret, sizeof secret) == sizeof secret && secret == card.secret;
  close(file);
  return {same, 0};
}

bool is_first_of_node(std::span<const PlacementCard> cards, std::size_t rank) {
  return std::ranges::find(cards, cards[rank].node, &PlacementCard::node) ==
         cards.begin() + static_cast<std::ptrdiff_t>(rank);
}

}  // namespace

void divide_nodes(Bootstrap& bootstrap, std::span<PlacementCard> cards) {
  const auto me = static_cast<std::size_t>(bootstrap.rank());
  if (is_first_of_node(cards, me)) remove_leftovers();
  std::vector<bool> placed(cards.size());
  for (;;) {
    // The lowest rank of each node that is not placed yet, and how many there are.
    std::map<std::uint64_t, std::pair<std::size_t, int>> first;
    for (std::size_t r = 0; r < cards.size(); ++r)
      if (!placed[r]) ++first.try_emplace(cards[r].node, r, 0).first->second.second;
    bool doubtful = false;
    for (const auto& [node, ranks] : first) doubtful |= ranks.second > 1;
    if (!doubtful) return;

    std::vector<Found> all(cards.size());
    {
      const bool open = !placed[me];
      const std::size_t leader = open ? first.at(cards[me].node).first : me;
      std::optional<Beacon> beacon;
      if (open && leader == me) beacon.emplace(cards[me]);
      bootstrap.maximum(0);  // all beacons are lit
      Found mine;
      if (beacon)
        mine = {1, beacon->obstacle()};
      else if (open)
        mine = look_for_beacon(cards[leader]);
      bootstrap.allgather(&mine, sizeof mine, all.data());
    }
    // Ranks that stay out get a name of their own, so that they cannot meet those who joined.
    for (std::size_t r = 0; r < cards.size(); ++r) {
      if (placed[r]) continue;
      if (all[r].obstacle != 0) cards[r].obstacle = all[r].obstacle;
      if (all[r].joins)
        placed[r] = true;
      else
        cards[r].node = Hash().add(cards[r].node).value();
    }
  }
}

}  // namespace tutti::transport
