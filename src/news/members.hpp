// Members: who a communicator is. Its number and its name, its ranks of MPI_COMM_WORLD, and which
// of them is this one.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/index.hpp"
#include "protocols/news.hpp"

namespace tutti {

class Members {
 public:
  // `world_ranks`: by rank of the communicator. `id`: agreed by all members.
  Members(CommunicatorId id, int rank, std::vector<int> world_ranks)
      : id_(id), rank_(rank), world_ranks_(std::move(world_ranks)) {}

  CommunicatorId id() const noexcept { return id_; }
  void set_id(CommunicatorId id) noexcept { id_ = id; }  // before the first call
  // The communicator's name for people; empty: it has no name.
  const std::string& name() const noexcept { return name_; }
  void set_name(std::string name) noexcept { name_ = std::move(name); }

  int rank() const noexcept { return rank_; }  // this one
  int world_rank() const noexcept { return world_ranks_[index(rank_)]; }
  int size() const noexcept { return static_cast<int>(world_ranks_.size()); }
  const std::vector<int>& world_ranks() const noexcept { return world_ranks_; }
  bool has(int world_rank) const noexcept {
    return std::find(world_ranks_.begin(), world_ranks_.end(), world_rank) != world_ranks_.end();
  }

 private:
  CommunicatorId id_;
  int rank_;
  std::vector<int> world_ranks_;
  std::string name_;
};

}  // namespace tutti
