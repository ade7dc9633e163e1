// Which ranks share a node: the options --ppn and --mapping, alike in all commands.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.hpp"
#include "models/simulation/layout.hpp"
#include "models/platform/platform.hpp"

namespace tutti::tools {

// Words for the help.
inline constexpr const char* kMappingIs =
    "which ranks share a node: blocks (one after the other), in-turn (each on the next node), "
    "shuffled or shuffled:SEED (anywhere; seed 1), or a file with a line for each node: its ranks, "
    "such as 0-3,8";

// Words for the help.
inline constexpr const char* kRanksPerNodeAre =
    "ranks per node (default: 1 if parameters are named, else all: this machine)";

// Words for the help.
inline constexpr const char* kSocketsAre =
    "sockets of a node: its ranks lie on one after the other; messages between them take what "
    "the parameters say of between_sockets";

// The number of --ppn, or where it was not given, its default: named parameters describe a
// cluster, and others this machine, on which a job that is started here has all its ranks.
inline constexpr int kNotSaid = 0, kAllOnOneNode = 1 << 30;
constexpr int ranks_per_node(int said, bool machine_is_named) noexcept {
  return said != kNotSaid ? said : machine_is_named ? 1 : kAllOnOneNode;
}

struct NamedMapping {
  models::Layout layout = models::Layout::blocks;
  std::uint64_t seed = models::kUsualSeed;
};
// blocks, in-turn, shuffled or shuffled:SEED; nothing: it is a file. Throws
// Error{bad_configuration}: the seed is no number.
std::optional<NamedMapping> named_mapping(std::string_view mapping);
std::string to_string(const NamedMapping& mapping);

inline bool is_mapping_file(const std::string& mapping) { return !named_mapping(mapping); }

// Throws Error{bad_configuration} if there are several and the parameters know no messages between
// them.
void require_sockets(int sockets, const models::Platform& platform);

// The node of each of P ranks, from 0 in the order of nodes. A file says itself how many ranks are
// on a node, and is read once, as it may be a pipe. Throws Error{bad_configuration}: the file
// cannot be read, names a rank twice or one that there is not, misses one, or has another number of
// ranks.
std::vector<int> nodes_by_mapping(const std::string& mapping, int P, int ranks_per_node);

// The mapping in a file's text. The caller adds the file's name to errors.
std::vector<int> parse_mapping(std::string_view text, int P);

}  // namespace tutti::tools
