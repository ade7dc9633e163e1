// Placement: where the ranks of the job run. Which ranks share a node, and whether every rank has a
// hardware thread to itself.
//
// Each rank fills in one card about itself; the bootstrap exchanges the cards; the rest is pure.
// Knows no transport.
#pragma once

#include <algorithm>
#include <bitset>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tutti::transport {

// A rank's place, as all others are told it. Plain, of fixed size: the bootstrap copies it.
struct PlacementCard {
  // Equal on ranks that share memory. At first on those that may: they share a kernel, a host name
  // and what is mounted at /dev/shm; divide_nodes() tries it. Network namespaces of one machine
  // that have host names of their own count as nodes, as they have devices of their own.
  std::uint64_t node = 0;
  // Equal on ranks that share a kernel and a host name.
  std::uint64_t host = 0;
  // Equal on ranks that share a kernel and what is mounted at /dev/shm.
  std::uint64_t mount = 0;
  // Equal on ranks that share a kernel, and so its cores, whatever their nodes are called.
  std::uint64_t machine = 0;
  // The hardware threads the rank may run on, modulo 256: precise enough to count them.
  std::bitset<256> threads;
  // Random: the name of a file, and what it says.
  std::uint64_t beacon = 0, secret = 0;
  // errno of making that file, or of opening another one that is there; 0: neither failed.
  // divide_nodes() sets it.
  int obstacle = 0;
};

// The card of this process. `node_name` (the setting `node`) replaces the host name unless empty.
// Throws Error{system}.
PlacementCard card_of_this_process(const std::string& node_name);

class Placement {
 public:
  // `cards` by world rank, this rank's among them.
  Placement(int rank, std::span<const PlacementCard> cards);

  int rank() const noexcept { return rank_; }
  int size() const noexcept { return static_cast<int>(node_of_.size()); }
  // Nodes are numbered from 0 in the order of their first ranks, alike on all ranks.
  int nodes() const noexcept { return nodes_; }
  int node_of(int rank) const noexcept { return node_of_[static_cast<std::size_t>(rank)]; }
  bool shares_node(int rank) const noexcept { return node_of(rank) == node_of(rank_); }
  // The ranks of this rank's node, this one included, ascending.
  std::span<const int> node_ranks() const noexcept { return node_ranks_; }
  // This rank's number among them, from 0.
  int local_rank() const noexcept {
    return static_cast<int>(std::ranges::lower_bound(node_ranks_, rank_) - node_ranks_.begin());
  }
  // A rank of this host that is not of this node, as they cannot share memory; -1: there is none.
  int apart() const noexcept { return apart_; }
  // A rank that may share memory with this one, but whose host has another name; -1: there is none.
  int renamed() const noexcept { return renamed_; }
  // Why ranks of this host cannot share memory, though one /dev/shm may be all of theirs: errno of
  // one of them; 0: nothing is known.
  int obstacle() const noexcept { return obstacle_; }
  // Some machine has more ranks, on one or several nodes, than hardware threads they may run on.
  // The same answer on every rank.
  bool oversubscribed() const noexcept { return oversubscribed_; }
  // The machine of a node, numbered as nodes are, and the hardware threads that ranks of the job
  // may run on there. Several nodes may be on one machine, as network namespaces are.
  int machine_of(int node) const noexcept { return machine_of_[static_cast<std::size_t>(node)]; }
  int threads_of(int machine) const noexcept {
    return threads_of_[static_cast<std::size_t>(machine)];
  }

  // Memory kept for each rank of the job.
  static constexpr std::size_t kBytesPerRank = sizeof(int);

 private:
  int rank_, nodes_ = 0;
  std::vector<int> node_of_;  // by world rank
  std::vector<int> node_ranks_;
  std::vector<int> machine_of_;  // by node
  std::vector<int> threads_of_;  // by machine
  int apart_ = -1, renamed_ = -1, obstacle_ = 0;
  bool oversubscribed_ = false;
};

}  // namespace tutti::transport
