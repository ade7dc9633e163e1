// The collectives of neighbours: arguments are checked, and become what is to be run and how it is
// delivered.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "src/api/arguments.hpp"
#include "src/api/prepare.hpp"

namespace tutti {
namespace {

using collectives::Collective;
using collectives::kNoNeighbour;
using collectives::Neighbourhood;

const Neighbourhood& must_have_neighbours(const Communicator& comm) {
  if (!comm.neighbours())
    throw Error(Code::bad_communicator,
                "the communicator has no topology, so no rank has neighbours; make it from an MPI "
                "communicator of MPI_Cart_create, MPI_Graph_create or MPI_Dist_graph_create");
  return *comm.neighbours();
}

// One side of a call, with a block for each rank of `ranks`.
class Around {
 public:
  // `own_types`: see Arguments. `name` is the buffer's.
  Around(const Library& state, const Side& side, const std::vector<Rank>& ranks, bool own_types,
         const char* name)
      : state_(state), side_(side), ranks_(ranks), own_types_(own_types), name_(name) {}

  // Makes blocks with counts of their own; `counts_name` is that argument's.
  void emplace_by_rank(Maybe<Blocked>& place, const char* counts_name) {
    if (ranks_.empty()) return emplace_nothing(place);
    copy_counts(must_have(side_.counts, counts_name));
    emplace(place, counts_.data(), side_.displacements);
  }
  // Makes equal blocks. If some come from nobody, and others must be unpacked, these must be told
  // from them: nothing may be unpacked there.
  void emplace_equal(Maybe<Blocked>& place) {
    if (ranks_.empty()) return emplace_nothing(place);
    const Layout layout = state_.datatypes.layout(side_.type, {name_});
    const bool holes = std::ranges::find(ranks_, kNoNeighbour) != ranks_.end();
    if (!holes || layout.contiguous) {
      place.emplace(state_.datatypes, layout, side_.buffer, side_.count, side_.type, size(), name_);
      return;
    }
    bytes_of(side_.count, layout, size(), name_);  // throws if the bytes overflow
    std::vector<MPI_Count> places;
    places.reserve(ranks_.size());
    for (int i = 0; i < size(); ++i) places.push_back(i * side_.count);
    const std::vector<MPI_Count> equal(ranks_.size(), side_.count);
    copy_counts(equal.data());
    emplace(place, counts_.data(), places.data());
  }

 private:
  int size() const noexcept { return static_cast<int>(ranks_.size()); }
  void emplace_nothing(Maybe<Blocked>& place) const {
    place.emplace(state_.datatypes, side_.buffer, 0, MPI_BYTE, 0, name_);
  }
  // A block for nobody is empty.
  void copy_counts(const MPI_Count* counts) {
    counts_.assign(counts, counts + ranks_.size());
    for (std::size_t i = 0; i < ranks_.size(); ++i)
      if (ranks_[i] == kNoNeighbour) counts_[i] = 0;
  }
  void emplace(Maybe<Blocked>& place, const MPI_Count* counts, const MPI_Count* places) const {
    if (own_types_)
      place.emplace(state_.datatypes, side_.buffer, counts, places, side_.types, size(), name_);
    else
      place.emplace(state_.datatypes, side_.buffer, counts, places, side_.type, size(), name_);
  }

  const Library& state_;
  const Side& side_;
  const std::vector<Rank>& ranks_;
  const bool own_types_;
  const char* const name_;
  std::vector<MPI_Count> counts_;
};

std::vector<Bytes> lengths_of(const Blocked& buffer, std::size_t blocks) {
  return buffer.counts().empty() ? std::vector<Bytes>(blocks, buffer.block_bytes())
                                 : buffer.counts();
}

// A rank's blocks for itself are as many at both ends, and as long.
void check_own_blocks(const collectives::Task& task, const Communicator& comm) {
  const Neighbourhood& around = *task.neighbours;
  const auto given = std::ranges::count(around.to, comm.rank()),
             taken = std::ranges::count(around.from, comm.rank());
  if (given != taken)
    throw Error(Code::size_mismatch,
                fmt::format("by the topology this rank gives itself {} blocks, and takes {}", given,
                            taken));
  if (given == 0) return;
  const collectives::Problem problem{task, comm.size(), comm.rank()};
  const auto sent = blocks_in(collectives::Buffer::input, problem),
             received = blocks_in(collectives::Buffer::output, problem);
  const bool one = task.collective == Collective::neighbor_allgather;
  for (const auto& [from, to] : collectives::own_blocks(around, comm.rank()))
    check_equal(sent[one ? 0 : from].length, received[to].length);
}

}  // namespace

void prepare_neighbours(Library& state, UserRequest& request, const Arguments& a) {
  const Communicator& comm = request.communicator();
  const Neighbourhood& around = must_have_neighbours(comm);
  forbid_in_place(a.send.buffer, "sendbuf");
  forbid_in_place(a.receive.buffer, "recvbuf");
  const bool one = a.collective == Collective::neighbor_allgather;
  Around sent(state, a.send, around.to, a.own_types, "sendbuf"),
      received(state, a.receive, around.from, a.own_types, "recvbuf");
  if (one)
    request.from.emplace(state.datatypes, a.send.buffer, a.send.count, a.send.type, 1, "sendbuf");
  else if (a.by_rank)
    sent.emplace_by_rank(request.from, "sendcounts");
  else
    sent.emplace_equal(request.from);
  if (a.by_rank)
    received.emplace_by_rank(request.to, "recvcounts");
  else
    received.emplace_equal(request.to);
  Blocked &from = *request.from, &to = *request.to;
  if (!state.manner.lenient) to.must_not_overlap();
  keep_apart(state, from, to, false);

  collectives::Task& task = request.task;
  task.collective = a.collective;
  task.neighbours = around;
  const std::size_t blocks = one ? 1 : around.to.size();
  if (from.counts().empty() && to.counts().empty() && from.block_bytes() == to.block_bytes()) {
    task.bytes = from.block_bytes();
  } else {
    task.counts = lengths_of(from, blocks);
    task.receive_counts = lengths_of(to, around.from.size());
  }
  check_own_blocks(task, comm);
  request.reads(from);
  request.writes(to);
}

}  // namespace tutti
