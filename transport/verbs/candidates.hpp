// Candidates: the ports of this machine that could carry the job, which fabric all ranks have in
// common, and which of its ports a rank takes. Pure: survey.hpp reads what stands here.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "transport/memory.hpp"

namespace tutti::transport::verbs {

// What ports must share to reach each other: the link layer, and the subnet of InfiniBand or of IP.
struct Fabric {
  bool ethernet = false;
  std::uint64_t subnet = 0;
  friend bool operator==(const Fabric&, const Fabric&) = default;
  friend bool operator<(const Fabric& a, const Fabric& b) {
    return a.ethernet != b.ethernet ? b.ethernet : a.subnet < b.subnet;
  }
};

struct Candidate {
  std::string device;
  int port = 1;
  std::string problem;  // why it cannot carry the job; empty: it can
  bool software = false;
  std::uint64_t rate = 0;  // Mbit/s
  int distance = 0;        // from the cores of this rank; 0: none is nearer
  Fabric fabric{};
};

// The settings `device` (a list, or empty) and `port` (or 0): the candidates that they name, in the
// order of the list.
std::vector<Candidate> named(std::vector<Candidate> candidates,
                             std::span<const std::string> devices, int port);

// The best first: hardware before software, then by rate, then the nearest. What cannot be used is
// left out. `in_order`: as they stand, because the user named them.
std::vector<Candidate> ranked(std::vector<Candidate> candidates, bool in_order);

// The places in `ranked` of the ports on `fabric` that are as good as the best one there;
// `in_order`: of all of them.
std::vector<std::size_t> equals(std::span<const Candidate> ranked, const Fabric& fabric,
                                bool in_order);

// What a rank tells all others, of fixed size: its fabrics, the best first, with the number of
// equally good ports on each.
struct Offer {
  static constexpr std::size_t kMost = 8;
  std::uint32_t count = 0;
  std::uint32_t rails = 1;  // how many ports this rank wants to use for a large message
  std::array<Fabric, kMost> fabrics{};
  std::array<std::uint32_t, kMost> ports{};
};
Offer offer_of(std::span<const Candidate> ranked, int rails, bool in_order);
// How many rails a rank wants that is set to none: its share of the node's equal ports, or one
// where packets cost CPU time.
int rails_of_a_rank(std::span<const Candidate> ranked, int ranks_of_node, bool in_order);

// The fabric that all ranks have, and that is the best for the rank that likes it least. If there
// is none, subnets may be joined by routers: then the first fabric of rank `mine` with the link
// layer that all have. Nullopt if even that is missing. Offers of nothing are left out: those ranks
// say themselves what they lack.
std::optional<Fabric> common_fabric(std::span<const Offer> offers, std::size_t mine);

// The fabrics of the rails, equal on all ranks that offer anything: common_fabric() first, then as
// many more as every rank has ports for. Empty: there is none.
std::vector<Fabric> common_rails(std::span<const Offer> offers, std::size_t mine);

// The port for each rail: of the equally good ones by turns, so that the ranks of a node use all of
// them. Places in `ranked`, which must have ports on these fabrics.
std::vector<std::size_t> share(std::span<const Candidate> ranked, std::span<const Fabric> rails,
                               int local_rank, bool in_order);

// Why this one, in words.
std::string reason(std::span<const Candidate> ranked, std::size_t chosen, bool in_order);

}  // namespace tutti::transport::verbs
