// Which node each rank is on. Pure data.
#pragma once

#include <initializer_list>
#include <memory>
#include <mutex>
#include <vector>

#include "base/index.hpp"
#include "base/types.hpp"

namespace tutti::collectives {

// The node of each rank, numbered from 0 in the order of their first ranks. Copies share what they
// hold, because many problems are made for one communicator, and few ranks look at all others.
class Nodes {
 public:
  Nodes() = default;
  Nodes(std::vector<int> node_of) {
    if (!node_of.empty()) held_ = std::make_shared<Held>(std::move(node_of));
  }
  Nodes(std::initializer_list<int> node_of) : Nodes(std::vector<int>(node_of)) {}

  bool empty() const noexcept { return !held_; }
  std::size_t size() const noexcept { return of_rank().size(); }
  int operator[](std::size_t rank) const noexcept { return held_->node_of[rank]; }
  auto begin() const noexcept { return of_rank().begin(); }
  auto end() const noexcept { return of_rank().end(); }
  const std::vector<int>& of_rank() const noexcept { return held_ ? held_->node_of : kNone; }
  // The ranks of each node, in ascending order. May be called from any thread.
  const std::vector<std::vector<Rank>>& ranks() const;
  // Whether there are several nodes, and each has as many ranks. May be called from any thread.
  bool are_alike() const;

  void clear() noexcept { held_.reset(); }
  // Copies: for few ranks.
  void push_back(int node);

 private:
  struct Held {
    explicit Held(std::vector<int> nodes) : node_of(std::move(nodes)) {}
    std::vector<int> node_of;
    std::once_flag once;
    std::vector<std::vector<Rank>> ranks;
    bool alike = false;
  };
  inline static const std::vector<int> kNone{};
  std::shared_ptr<Held> held_;
};

}  // namespace tutti::collectives
