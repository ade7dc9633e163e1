// A communicator: its ranks, its cached executions, its failure. Runs one collective at a time.
// Knows collectives (registry, selection, executor) and the engine; knows no MPI type.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "collectives/executor.hpp"
#include "collectives/registry.hpp"
#include "collectives/selection/selection.hpp"
#include "src/engine.hpp"

namespace tutti {

class Communicator {
 public:
  // `world_ranks`: the members, by rank of this communicator. `id`: agreed by all members.
  Communicator(Engine& engine, CommunicatorId id, int rank, std::vector<int> world_ranks,
               std::map<collectives::Collective, collectives::Choice> forced);
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  // Runs a collective to its end. Throws Error; after any but an argument's error the communicator has failed.
  void run(collectives::Collective collective, Bytes bytes, int root, bool in_place, const void* input, void* output);

  int size() const noexcept { return static_cast<int>(world_ranks_.size()); }
  int rank() const noexcept { return rank_; }
  CommunicatorId id() const noexcept { return id_; }
  bool has_member(int world_rank) const noexcept;
  const std::vector<int>& world_ranks() const noexcept { return world_ranks_; }

  // Records the first cause; later ones are ignored.
  void fail(Code code, int culprit, const std::string& text) noexcept;
  bool failed() const noexcept { return failure_code_ != Code::success; }
  Code failure_code() const noexcept { return failure_code_; }
  int failure_culprit() const noexcept { return failure_culprit_; }
  std::string describe() const;

 private:
  struct Key {
    collectives::Collective collective;
    bool in_place;
    int root;
    Bytes bytes;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const noexcept;
  };
  struct Prepared {
    Key key;
    collectives::Choice choice;
    std::unique_ptr<collectives::Execution> execution;
    std::uint64_t last_use = 0;
  };

  Prepared& prepared(const Key& key);
  Prepared& prepare(const Key& key);
  [[noreturn]] void throw_failure();

  Engine& engine_;
  const CommunicatorId id_;
  const int rank_;
  const std::vector<int> world_ranks_;
  const std::map<collectives::Collective, collectives::Choice> forced_;
  collectives::Facts facts_;
  CollectiveNumber number_ = 0;
  static constexpr std::size_t kMaxPrepared = 64;
  std::unordered_map<Key, Prepared, KeyHash> prepared_;
  std::array<Prepared*, 3> last_{};  // by collective: what ran last, which mostly runs again
  std::uint64_t uses_ = 0;
  Code failure_code_ = Code::success;
  int failure_culprit_ = kNoPeer;
  std::string failure_text_;
  bool spread_ = false;  // the members were told
};

}  // namespace tutti
