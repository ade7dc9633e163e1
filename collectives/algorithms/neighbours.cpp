// Collectives of neighbours: each rank has data for some ranks, and gets data of some. Pure.
#include <map>

#include "collectives/algorithms/combining.hpp"
#include "collectives/algorithms/common.hpp"

namespace tutti::collectives {
namespace {

// Nothing: they do not follow each other.
std::optional<Slice> as_one(const std::vector<Slice>& slices) {
  Slice whole = slices.front();
  for (const Slice& slice : std::span(slices).subspan(1)) {
    if (slice.buffer != whole.buffer || slice.offset != whole.end()) return std::nullopt;
    whole.length += slice.length;
  }
  return whole;
}

// The blocks that one rank has on their way.
class Carried {
 public:
  Carried(Builder& builder, Bytes bytes) : builder_(builder), bytes_(bytes) {}

  void put(const Travelling& block, const Slice& place) { places_[block] = place; }
  const Slice& at(const Travelling& block) const { return places_.at(block); }

  // Blocks as one message: where they are, or packed, once for all messages of the same blocks.
  Slice packed(const std::vector<Travelling>& blocks) {
    std::vector<Slice> places;
    places.reserve(blocks.size());
    for (const Travelling& block : blocks) places.push_back(at(block));
    if (const auto whole = as_one(places)) return *whole;
    const auto [known, is_new] = packed_.try_emplace(blocks);
    if (!is_new) return known->second;
    known->second = builder_.scratch(static_cast<Bytes>(blocks.size()) * bytes_);
    for (std::size_t i = 0; i < blocks.size(); ++i)
      builder_.copy(places[i], part(known->second, i));
    return known->second;
  }
  // Block i of a message.
  Slice part(const Slice& message, std::size_t i) const {
    return {message.buffer, message.offset + static_cast<Bytes>(i) * bytes_, bytes_};
  }

 private:
  Builder& builder_;
  const Bytes bytes_;  // of a block
  std::map<Travelling, Slice> places_;
  std::map<std::vector<Travelling>, Slice> packed_;
};

// The places in the output of those blocks that go there and no further.
std::map<Travelling, Slice> last_places(const Blocks& output,
                                        const std::vector<Travelling>& arrivals,
                                        const std::vector<Phase>& phases) {
  std::map<Travelling, int> uses;
  std::map<Travelling, Slice> places;
  for (std::size_t i = 0; i < arrivals.size(); ++i) {
    ++uses[arrivals[i]];
    places[arrivals[i]] = output[static_cast<int>(i)];
  }
  for (const Phase& phase : phases)
    for (const Hop& hop : phase)
      for (const Travelling& block : hop.blocks) ++uses[block];
  std::erase_if(places, [&](const auto& place) { return uses.at(place.first) > 1; });
  return places;
}

std::vector<Travelling> after(const Hop& hop) {
  std::vector<Travelling> blocks = hop.blocks;
  for (Travelling& block : blocks) block.way += hop.offset;
  return blocks;
}

}  // namespace

// At once: a message for each neighbour, in the order of the blocks, so that those for one rank
// arrive in that order. 1 round of as many messages as a rank has neighbours. A rank copies what it
// gives to itself while they are on their way. Any P, any neighbourhoods that match.
Schedule neighbours_at_once(const Problem& problem, const Parameters&) {
  const Rank r = problem.rank;
  Builder s = solve(problem);
  const Neighbourhood neighbours = neighbours_of(problem);
  const Blocks out = blocks_in(Buffer::input, problem), in = blocks_in(Buffer::output, problem);
  const bool one = problem.collective == Collective::neighbor_allgather;  // block for all
  const auto degree = [](const std::vector<Rank>& ranks) { return static_cast<int>(ranks.size()); };
  const auto is_other = [r](Rank peer) { return peer != r && peer != kNoNeighbour; };
  for (int i = 0; i < degree(neighbours.to); ++i)
    if (const Rank peer = neighbours.to[index(i)]; is_other(peer)) s.send(peer, out[one ? 0 : i]);
  for (int i = 0; i < degree(neighbours.from); ++i) {
    const int block = neighbours.matched(i);
    if (const Rank peer = neighbours.from[index(block)]; is_other(peer)) s.recv(peer, in[block]);
  }
  for (const auto& [from, to] : own_blocks(neighbours, r)) s.copy(out[one ? 0 : from], in[to]);
  return s.finish();
}

// Message combining: a phase for each dimension of the torus, in which a rank sends one message for
// each distance that any of its neighbours has along that dimension: to the rank that far away, the
// blocks that have that way to go, its own and those that have come in phases before. So all 26
// neighbours in three dimensions take 6 messages in 3 rounds. In an alltoall each block is sent
// once for each dimension along which it goes; in an allgather a block for several ranks is sent
// once as far as they have one way, which makes 26 blocks for these 26. Any torus and any offsets,
// also if several neighbours are one rank.
Schedule neighbours_combined(const Problem& problem, const Parameters&) {
  const Rank r = problem.rank;
  Builder s = solve(problem);
  const Neighbourhood neighbours = neighbours_of(problem);
  const Torus& torus = neighbours.torus;
  const Blocks out = blocks_in(Buffer::input, problem), in = blocks_in(Buffer::output, problem);
  const bool one = problem.collective == Collective::neighbor_allgather;
  const std::vector<Travelling> wanted = arrivals(neighbours, r, one);
  const std::vector<Phase> phases = phases_of(torus, wanted);
  const std::map<Travelling, Slice> last = last_places(in, wanted, phases);
  Carried carried(s, problem.bytes);
  for (int i = 0; i < out.parts(); ++i) carried.put({i, 0}, out[i]);
  for (const Phase& phase : phases) {
    for (const Hop& hop : phase) s.send(plus(torus, r, hop.offset), carried.packed(hop.blocks));
    for (const Hop& hop : phase) {
      const std::vector<Travelling> blocks = after(hop);
      std::vector<Slice> places;
      for (const Travelling& block : blocks)
        if (const auto place = last.find(block); place != last.end())
          places.push_back(place->second);
      std::optional<Slice> target;
      if (places.size() == blocks.size()) target = as_one(places);
      if (!target) target = s.scratch(static_cast<Bytes>(blocks.size()) * problem.bytes);
      s.recv(minus(torus, r, hop.offset), *target);
      for (std::size_t i = 0; i < blocks.size(); ++i)
        carried.put(blocks[i], carried.part(*target, i));
    }
  }
  for (std::size_t i = 0; i < wanted.size(); ++i)
    s.copy(carried.at(wanted[i]), in[static_cast<int>(i)]);
  return s.finish();
}

}  // namespace tutti::collectives
