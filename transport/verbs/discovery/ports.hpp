// Candidates: the ports of this machine that could carry the job, by the networks that they are on,
// and which of them a rank takes. Pure: survey.hpp reads what stands here.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "transport/verbs/device/fabric.hpp"

namespace tutti::transport::verbs {

// A port with one of its GIDs: the best of those on the same fabric.
struct Candidate {
  std::string device;
  int port = 1;
  std::string problem;          // why it cannot carry the job; empty: it can
  Code code = Code::no_device;  // of that problem
  bool software = false;
  bool unassigned = false;  // no network device has the GID's address
  std::uint64_t rate = 0;   // Mbit/s
  int distance = 0;         // from the cores of this rank; 0: none is nearer
  int gid_index = -1;
  Fabric fabric{};
};
bool same_port(const Candidate& a, const Candidate& b) noexcept;

// The settings `device` (a list, or empty) and `port` (or 0): the candidates that they name, in the
// order of the list.
std::vector<Candidate> named(std::vector<Candidate> candidates,
                             std::span<const std::string> devices, int port);

// Ports that these settings name and this host lacks, in words, with those that it has; or empty.
// `all`: the ports of the host.
std::string not_there(std::span<const Candidate> all, std::span<const std::string> devices,
                      int port);

// The best first: hardware before software, then known fabrics before unknown ones, addresses that
// a network device has before others and RoCE v2 before v1, then by rate, then the nearest.
// Ports of no use are left out. `in_order`: the user named the devices, and their order takes the
// place of hardware, rate and distance.
std::vector<Candidate> ranked(std::vector<Candidate> candidates, bool in_order);

// The places in `ranked` of the ports on `fabric` that are as good as the best one there;
// `in_order`: of all of them.
std::vector<std::size_t> equals(std::span<const Candidate> ranked, const Fabric& fabric,
                                bool in_order);

// The offer of a rank of `node`; `rails`: as set, or 0.
Offer offer_of(std::span<const Candidate> ranked, int rails, bool in_order, int node = 0);

// The port for each rail, all different. Places in `ranked`, which must have ports on these
// fabrics. The ranks of a node that have the same equally good ports take them in turn. On an
// unknown fabric all ranks of all hosts take the first ones, because others may not reach each
// other. `node`: what the node's ranks offer, by local rank.
std::vector<std::size_t> share(std::span<const Candidate> ranked, std::span<const Fabric> rails,
                               std::span<const Offer> node, int local_rank, bool in_order);

// Why this one, in words.
std::string reason(std::span<const Candidate> ranked, std::size_t chosen, bool in_order);

}  // namespace tutti::transport::verbs
