// Counts and displacements of the v-forms, and calls with them.
#include "tools/bench/v_forms.hpp"

#include <algorithm>
#include <numeric>

#include "tools/bench/job.hpp"

namespace tutti::tools {
namespace {

using collectives::Collective;

// The counts of one block at both ends, whose elements may differ in size.
struct Ends {
  MPI_Count send, receive;
};
Ends ends_of(VForm form, const Job& job, int number) {
  const MPI_Count send = job.from.count(), receive = job.to.count();
  const MPI_Count parts =
      form == VForm::unequal ? std::max<MPI_Count>(std::gcd(send, receive), 1) : 1;
  const MPI_Count more = parts / 2 * (number % 2 == 0 ? 1 : -1);
  return {send + send / parts * more, receive + receive / parts * more};
}

}  // namespace

const std::vector<std::string>& v_forms() {
  static const std::vector<std::string> names{"equal", "reversed", "unequal"};
  return names;
}

bool has_v_form(const std::string& collective) {
  return collective == "scatter" || collective == "gather" || collective == "allgather" ||
         collective == "alltoall";
}

void VBlocks::add(MPI_Count count) {
  counts.push_back(count);
  small_counts.push_back(static_cast<int>(count));
}

void VBlocks::place(bool reversed) {
  const std::size_t blocks = counts.size();
  places.resize(blocks);
  small_places.resize(blocks);
  MPI_Count next = 0;
  for (std::size_t i = 0; i < blocks; ++i) {
    const std::size_t block = reversed ? blocks - 1 - i : i;
    places[block] = next;
    small_places[block] = static_cast<int>(next);
    next += counts[block];
  }
}

VArguments::VArguments(VForm form, const Job& job) {
  const bool exchanges = job.which == Collective::alltoall;
  for (int i = 0; i < job.P; ++i) {
    const Ends ends = ends_of(form, job, exchanges ? i + job.rank : i);
    sends_.add(ends.send);
    receives_.add(ends.receive);
  }
  sends_.place(form != VForm::equal);
  receives_.place(form != VForm::equal);
  const Ends own = ends_of(form, job, job.rank);
  send_own_ = own.send;
  receive_own_ = own.receive;
}

int VArguments::run_tutti(Job& job) const {
  unsigned char *const s = job.send.data(), *const r = job.receive.data();
  const MPI_Datatype sent = job.from.type(), received = job.to.type();
  const MPI_Count *const counts = receives_.counts.data(), *const places = receives_.places.data();
  switch (job.which) {
    case Collective::scatter:
      return tutti_scatterv(s, sends_.counts.data(), sends_.places.data(), sent, r, receive_own_,
                            received, job.root, job.comm);
    case Collective::gather:
      return tutti_gatherv(s, send_own_, sent, r, counts, places, received, job.root, job.comm);
    case Collective::allgather:
      return tutti_allgatherv(s, send_own_, sent, r, counts, places, received, job.comm);
    default:
      return tutti_alltoallv(s, sends_.counts.data(), sends_.places.data(), sent, r, counts, places,
                             received, job.comm);
  }
}

void VArguments::run_mpi(Job& job) const {
  unsigned char *const s = job.send.data(), *const r = job.receive.data();
  const MPI_Datatype sent = job.from.type(), received = job.to.type();
  const int send_own = static_cast<int>(send_own_), receive_own = static_cast<int>(receive_own_);
  const int *const out = sends_.small_counts.data(), *const from = sends_.small_places.data();
  const int *const in = receives_.small_counts.data(), *const to = receives_.small_places.data();
  switch (job.which) {
    case Collective::scatter:
      MPI_Scatterv(s, out, from, sent, r, receive_own, received, job.root, job.mpi);
      return;
    case Collective::gather:
      MPI_Gatherv(s, send_own, sent, r, in, to, received, job.root, job.mpi);
      return;
    case Collective::allgather:
      MPI_Allgatherv(s, send_own, sent, r, in, to, received, job.mpi);
      return;
    default: MPI_Alltoallv(s, out, from, sent, r, in, to, received, job.mpi);
  }
}

}  // namespace tutti::tools
