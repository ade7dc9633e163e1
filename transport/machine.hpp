// Machine: this machine's processors, read at the first call that needs them. A job that needs none
// spends no time on them, and one rank of a node reads for all ranks that ask.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

#include "transport/processors.hpp"
#include "transport/topology_reader.hpp"

namespace tutti::transport {

class Machine {
 public:
  using Words = std::vector<std::byte>;
  // Returns the result of find_out() on some rank of the node, this one or another. An empty result
  // means that the rank has found out nothing, and is not shared.
  using Share = std::function<Words(const std::function<Words()>& find_out)>;

  // `log` gets a line if one level is assumed.
  explicit Machine(std::function<void(std::string_view)> log, TopologySource source = {})
      : log_(std::move(log)), source_(std::move(source)) {}

  // From now on the ranks of the node share by this function; null: they share nothing.
  void share_by(Share share);
  // May be called by several threads. The reference is valid as long as this object. Throws
  // bad_alloc.
  const Processors& processors();

 private:
  Processors find_out() const;

  const std::function<void(std::string_view)> log_;
  const TopologySource source_;
  std::mutex mutex_;
  Share share_;
  std::optional<Processors> processors_;
};

}  // namespace tutti::transport
