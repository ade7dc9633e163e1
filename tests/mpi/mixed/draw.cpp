// Each call with its arguments, drawn alike on all ranks.
#include "program.hpp"

namespace mixed {

#define FORMS(Name, name) #name, MPI_##Name, (tutti_##name), (tutti_i##name), (tutti_##name##_init)

std::unique_ptr<Call> Program::draw() {
  auto call = std::make_unique<Call>();
  call->number = ++number_;
  call->members = chance(shared_, 3) ? part_ : everybody_;
  const Side comm{*call->members};
  const int size = call->members->size, me = call->members->rank;
  const int n = kLengths[below(shared_, std::size(kLengths))] / (size > 4 ? 4 : 1);
  const int root = below(shared_, 1000) % size, drawn = below(shared_, 20);
  // Where both neighbours are one rank MPIs differ in the order of its blocks.
  const int kind = drawn > 16 && size < 3 ? drawn - 10 : drawn;
  const bool in_place = chance(shared_, 4), holey = chance(shared_, 3);
  const bool own_operation = chance(shared_, 3);
  const int uneven = below(shared_, 5);
  const auto all = [&](int each) { return static_cast<std::size_t>(each) * kElement; };
  const auto from = [in_place](const Call& c) {
    return in_place ? static_cast<const void*>(MPI_IN_PLACE) : c.send.data();
  };
  const auto type = holey ? holey_type_ : matrix_type_;
  const MPI_Datatype reduced = own_operation ? matrix_type_ : MPI_INT;
  const MPI_Op operation = own_operation ? product_ : chance(shared_, 2) ? MPI_SUM : MPI_MAX;
  // Rank r's block has n + (r + uneven) % 5 elements, and one that is not used follows it.
  std::vector<int> lengths, places, send_lengths, send_places;
  int end = 0;
  for (int r = 0; r < size; ++r) {
    lengths.push_back(n + (r + uneven) % 5);
    places.push_back(end);
    end += lengths.back() + 1;
  }
  const Numbers counts(lengths), displacements(places);
  // Alltoallv: two ranks send each other blocks of one length, so these counts serve both sides.
  for (int r = 0; r < size; ++r) {
    send_lengths.push_back(n + (me + r + uneven) % 5);
    send_places.push_back(r * (n + 5));
  }
  const Numbers pair_counts(send_lengths), pair_displacements(send_places);
  // Alltoallw: the two types, whose data differ in size, alternate by pairs of ranks.
  std::vector<MPI_Datatype> pair_types;
  for (int r = 0; r < size; ++r) {
    pair_types.push_back((me + r) % 2 == 0 ? holey_type_ : matrix_type_);
    send_places[static_cast<std::size_t>(r)] *= static_cast<int>(kElement);
  }
  const Numbers byte_displacements(send_places);
  // Neighbours: the lengths, places and types of the pairs with the rank below and the one above.
  const auto down = static_cast<std::size_t>((me + size - 1) % size),
             up = static_cast<std::size_t>((me + 1) % size);
  const Numbers around_counts({send_lengths[down], send_lengths[up]}), around_places({0, n + 5}),
      around_bytes({0, (n + 5) * static_cast<int>(kElement)});
  const std::vector<MPI_Datatype> around_types{pair_types[down], pair_types[up]};
  const int mine = lengths[static_cast<std::size_t>(me)];
  call->send.resize(all((n + 6) * size));
  call->receive.resize(call->send.size());

  switch (kind) {
    case 0:
      state(*call, FORMS(Barrier, barrier),
            [=](Call&, void*, auto f, auto... r) { return f(comm, r...); });
      break;
    case 1:
      state(*call, FORMS(Bcast, bcast),
            [=](Call&, void* to, auto f, auto... r) { return f(to, n, type, root, comm, r...); });
      break;
    case 2:
      state(*call, FORMS(Scatter, scatter), [=](Call& c, void* to, auto f, auto... r) {
        return f(c.send.data(), n, type, to, n, type, root, comm, r...);
      });
      break;
    case 3:
      state(*call, FORMS(Scatterv, scatterv), [=](Call& c, void* to, auto f, auto... r) {
        return f(c.send.data(), counts, displacements, type, to, mine, type, root, comm, r...);
      });
      break;
    case 4:
      state(*call, FORMS(Gather, gather), [=](Call& c, void* to, auto f, auto... r) {
        return f(c.send.data(), n, type, to, n, type, root, comm, r...);
      });
      break;
    case 5:
      state(*call, FORMS(Gatherv, gatherv), [=](Call& c, void* to, auto f, auto... r) {
        return f(c.send.data(), mine, type, to, counts, displacements, type, root, comm, r...);
      });
      break;
    case 6:
      state(*call, FORMS(Allgather, allgather), [=](Call& c, void* to, auto f, auto... r) {
        return f(from(c), n, type, to, n, type, comm, r...);
      });
      break;
    case 7:
      state(*call, FORMS(Allgatherv, allgatherv), [=](Call& c, void* to, auto f, auto... r) {
        return f(from(c), mine, type, to, counts, displacements, type, comm, r...);
      });
      break;
    case 8:
      state(*call, FORMS(Alltoall, alltoall), [=](Call& c, void* to, auto f, auto... r) {
        return f(from(c), n, type, to, n, type, comm, r...);
      });
      break;
    case 9:
      state(*call, FORMS(Alltoallv, alltoallv), [=](Call& c, void* to, auto f, auto... r) {
        return f(c.send.data(), pair_counts, pair_displacements, type, to, pair_counts,
                 pair_displacements, type, comm, r...);
      });
      break;
    case 10:
      state(*call, FORMS(Reduce, reduce), [=](Call& c, void* to, auto f, auto... r) {
        return f(c.send.data(), to, n, reduced, operation, root, comm, r...);
      });
      break;
    case 11:
      state(*call, FORMS(Allreduce, allreduce), [=](Call& c, void* to, auto f, auto... r) {
        return f(from(c), to, n, reduced, operation, comm, r...);
      });
      break;
    case 12:
      state(*call, FORMS(Reduce_scatter_block, reduce_scatter_block),
            [=](Call& c, void* to, auto f, auto... r) {
              return f(c.send.data(), to, n, reduced, operation, comm, r...);
            });
      break;
    case 13:
      state(*call, FORMS(Reduce_scatter, reduce_scatter),
            [=](Call& c, void* to, auto f, auto... r) {
              return f(c.send.data(), to, counts, reduced, operation, comm, r...);
            });
      break;
    case 14:
      state(*call, FORMS(Scan, scan), [=](Call& c, void* to, auto f, auto... r) {
        return f(from(c), to, n, reduced, operation, comm, r...);
      });
      break;
    case 15:
      state(*call, FORMS(Alltoallw, alltoallw), [=](Call& c, void* to, auto f, auto... r) {
        return f(c.send.data(), pair_counts, byte_displacements, pair_types.data(), to, pair_counts,
                 byte_displacements, pair_types.data(), comm, r...);
      });
      break;
    case 17:
      state(*call, FORMS(Neighbor_allgather, neighbor_allgather),
            [=](Call& c, void* to, auto f, auto... r) {
              return f(c.send.data(), n, type, to, n, type, comm, r...);
            });
      break;
    case 18:
      state(*call, FORMS(Neighbor_alltoallv, neighbor_alltoallv),
            [=](Call& c, void* to, auto f, auto... r) {
              return f(c.send.data(), around_counts, around_places, type, to, around_counts,
                       around_places, type, comm, r...);
            });
      break;
    case 19:
      state(*call, FORMS(Neighbor_alltoallw, neighbor_alltoallw),
            [=](Call& c, void* to, auto f, auto... r) {
              return f(c.send.data(), around_counts, around_bytes, around_types.data(), to,
                       around_counts, around_bytes, around_types.data(), comm, r...);
            });
      break;
    default:
      state(*call, FORMS(Exscan, exscan), [=](Call& c, void* to, auto f, auto... r) {
        return f(c.send.data(), to, n, reduced, operation, comm, r...);
      });
  }
  return call;
}

#undef FORMS

}  // namespace mixed
