// Which arguments must match, collective by collective (MPI 4.0, chapter 6), as numbers and in
// words.
#include "src/api/claims.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/hash.hpp"

namespace tutti {
namespace {

using collectives::Collective;

std::string words_of_type(MPI_Datatype type, Bytes size, const Signature& signature) {
  char name[MPI_MAX_OBJECT_NAME] = {};
  int length = 0;
  PMPI_Type_get_name(type, name, &length);
  if (length > 0) return name;
  return signature.is_known() ? fmt::format("a derived type of {} bytes (signature {:x})", size,
                                            signature.value() & 0xffffffff)
                              : fmt::format("a derived type of {} bytes", size);
}

// Takes in what must be equal on all ranks.
class Claiming {
 public:
  Claiming(const Library& state, const Communicator& comm, const Arguments& arguments)
      : state_(state), comm_(comm), a_(arguments) {}

  Claim claim(const collectives::Task& task) {
    add(static_cast<std::uint64_t>(a_.collective));
    add(a_.by_rank);
    if (collectives::is_rooted(a_.collective)) add(static_cast<std::uint64_t>(a_.root));
    if (has_common_in_place()) add(a_.in_place());
    if (collectives::reduces(a_.collective)) add_operation(task.commutative);
    each_block([&](MPI_Count count, MPI_Datatype type, const char*) { add(count, type); });
    return {typed_.value(), bytes_.value(), by_bytes_};
  }

  std::string words() const {
    std::vector<std::string> parts;
    if (a_.common_counts()) parts.push_back(counts_in_words());
    MPI_Datatype last{};
    each_block([&](MPI_Count count, MPI_Datatype type, const char* what) {
      if (!a_.by_rank) parts.push_back(fmt::format("{}count {}", what, count));
      if (type != last) parts.push_back(words_of_type(type, layout(type).size, signature(type)));
      last = type;
    });
    if (collectives::reduces(a_.collective)) {
      const char* const operation = name_of_operation(a_.operation);
      parts.emplace_back(operation ? operation : "a user-defined operation");
    }
    if (a_.in_place()) parts.emplace_back("MPI_IN_PLACE");
    if (collectives::is_rooted(a_.collective)) parts.push_back(fmt::format("root {}", a_.root));
    return fmt::format("{}({})", name_of(a_), fmt::join(parts, ", "));
  }

 private:
  bool is_root() const { return comm_.rank() == a_.root; }
  // MPI wants it on all ranks or on none. For a reduce_scatter it does not, as ranks may get
  // nothing.
  bool has_common_in_place() const {
    switch (a_.collective) {
      case Collective::allgather:
      case Collective::alltoall:
      case Collective::allreduce: return true;
      case Collective::reduce_scatter: return !a_.by_rank;
      default: return false;
    }
  }

  // Visits the blocks that must have one signature on all ranks, or of which all ranks have the
  // same ones: count, type, and a word for people.
  template <class Visit>
  void each_block(Visit&& visit) const {
    const bool rooted_block =
        a_.collective == Collective::scatter || a_.collective == Collective::gather;
    if (a_.by_rank) {
      const MPI_Datatype type =
          a_.collective == Collective::allgather ? a_.receive.type : a_.send.type;
      const MPI_Count* const counts = a_.common_counts();
      for (int i = 0; counts && i < comm_.size(); ++i) visit(counts[i], type, "");
    } else if (rooted_block) {
      // All blocks are at the root, one is on each other rank.
      const bool sent = (a_.collective == Collective::scatter) == is_root();
      const Side& side = sent ? a_.send : a_.receive;
      visit(side.count, side.type, "");
    } else if (a_.collective == Collective::allgather || a_.collective == Collective::alltoall) {
      if (!a_.in_place()) visit(a_.send.count, a_.send.type, "send");
      visit(a_.receive.count, a_.receive.type, "receive");
    } else if (a_.collective == Collective::bcast) {
      visit(a_.receive.count, a_.receive.type, "");
    } else if (collectives::reduces(a_.collective)) {
      visit(a_.send.count, a_.send.type, "");
    }
  }

  Layout layout(MPI_Datatype type) const { return state_.datatypes.layout(type); }
  Signature signature(MPI_Datatype type) const { return state_.datatypes.signature(type); }

  void add(std::uint64_t word) {
    typed_.add(word);
    bytes_.add(word);
  }
  // Without elements the type does not matter.
  void add(MPI_Count count, MPI_Datatype type) {
    const auto elements = static_cast<std::uint64_t>(count);
    Signature all;
    if (count != 0) all = signature(type).times(elements);
    by_bytes_ |= !all.is_known();
    typed_.add(all.value());
    bytes_.add(count == 0 ? 0 : elements * static_cast<std::uint64_t>(layout(type).size));
  }
  // Handles of user-defined ones say nothing on another rank.
  void add_operation(bool commutative) {
    const char* const name = name_of_operation(a_.operation);
    typed_.add(name ? name : "");
    bytes_.add(name ? name : "");
    add(commutative);
  }

  std::string counts_in_words() const {
    constexpr int kMost = 4;
    const int some = std::min(comm_.size(), kMost);
    MPI_Count sum = 0;
    const MPI_Count* const counts = a_.common_counts();
    for (int i = 0; i < comm_.size(); ++i) sum += counts[i];
    return fmt::format("counts {}{}", fmt::join(counts, counts + some, ", "),
                       comm_.size() > kMost ? fmt::format(", ... ({} in all)", sum) : "");
  }

  const Library& state_;
  const Communicator& comm_;
  const Arguments& a_;
  Hash typed_, bytes_;
  bool by_bytes_ = false;
};

}  // namespace

std::string name_of(const Arguments& arguments) {
  std::string text(collectives::name_of(arguments.collective));
  if (arguments.collective == Collective::reduce_scatter)
    text += arguments.by_rank ? "" : "_block";
  else if (arguments.by_rank)
    text += arguments.own_types ? 'w' : 'v';
  return text;
}

void compare_on_all(Library& state, tutti_comm_object& handle, const collectives::Task& task,
                    const Arguments& arguments) {
  if (!handle.check) handle.check = std::make_unique<CallCheck>(*handle.communicator);
  Claiming claiming(state, *handle.communicator, arguments);
  const Claim claim = claiming.claim(task);
  handle.check->compare(claim, task, [&] { return claiming.words(); });
}

}  // namespace tutti
