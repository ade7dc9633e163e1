// Random collectives by a seed: blocking, non-blocking and persistent ones, many under way at a
// time, on communicators that come and go, with derived datatypes and operations of the program.
// Each result is the MPI's, byte for byte.
//
//   mixed_test CALLS SEED
//
// A seed decides what is called, alike on all ranks. Each rank decides alone when it waits, and for
// what. The MPI's results are computed some calls ahead, so that ranks may be far apart in Tutti.
// No rank waits in the MPI while another may wait for Tutti's progress on this rank: see meet().
#include <array>
#include <cstddef>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

extern "C" {
#include "job.h"
}

namespace {

using Bytes = std::vector<std::byte>;

constexpr int kAhead = 12;             // calls of a batch
constexpr std::size_t kMostOpen = 24;  // calls that are left open, at most, after one has begun
constexpr std::size_t kMostKept = 10;  // persistent requests
constexpr int kLengths[] = {0, 1, 1, 2, 7, 64, 129, 1000, 9000};

// Counts or displacements as either interface has them.
struct Numbers {
  std::vector<int> plain;
  std::vector<MPI_Count> large;
  std::vector<MPI_Aint> addresses;
  explicit Numbers(const std::vector<int>& values)
      : plain(values), large(begin(values), end(values)), addresses(begin(values), end(values)) {}
  template <class Number>  // which may be one type for both
  operator const Number*() const {
    if constexpr (std::is_same_v<Number, int>)
      return plain.data();
    else if constexpr (std::is_same_v<Number, MPI_Count>)
      return large.data();
    else
      return addresses.data();
  }
};

struct Members {
  MPI_Comm mpi = MPI_COMM_NULL;
  tutti_comm tutti = TUTTI_COMM_NULL;
  int rank = 0, size = 0;
};

// The communicator on either side.
struct Side {
  const Members& members;
  operator MPI_Comm() const { return members.mpi; }
  operator tutti_comm() const { return members.tutti; }
};

struct Call {
  std::string what;
  int number = 0;
  bool persistent = false, active = false;
  Bytes send, receive, wanted;
  tutti_request request = TUTTI_REQUEST_NULL;
  std::shared_ptr<const Members> members;
  // Into that receive buffer.
  std::function<int(Call&, void*)> by_mpi, by_tutti;
};

// 2 x 2 matrices modulo 2^32: their product is associative, and its order counts.
void multiply(void* in, void* inout, int* length, MPI_Datatype*) {
  auto* a = static_cast<const std::uint32_t*>(in);
  auto* b = static_cast<std::uint32_t*>(inout);
  for (int i = 0; i < *length; ++i, a += 4, b += 4) {
    const std::uint32_t product[] = {a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3],
                                     a[2] * b[0] + a[3] * b[2], a[2] * b[1] + a[3] * b[3]};
    std::memcpy(b, product, sizeof product);
  }
}

// Two ints, and a hole of as much after the first: an element of 16 bytes.
MPI_Datatype holey_type() {
  MPI_Datatype cut, type;
  MPI_Type_vector(2, 1, 2, MPI_INT, &cut);
  MPI_Type_create_resized(cut, 0, 16, &type);
  MPI_Type_free(&cut);
  MPI_Type_commit(&type);
  return type;
}
MPI_Datatype matrix_type() {
  MPI_Datatype type;
  MPI_Type_contiguous(4, MPI_UINT32_T, &type);
  MPI_Type_commit(&type);
  return type;
}
constexpr std::size_t kElement = 16;  // bytes of each of these types

class Program {
 public:
  Program(int calls, unsigned seed)
      : shared_(seed), own_(seed * 77 + static_cast<unsigned>(job_rank)), calls_(calls) {
    MPI_Comm_dup(MPI_COMM_WORLD, &meeting_);
    everybody_ = make_members(MPI_COMM_WORLD);
    renew_part();
  }

  void run() {
    while (number_ < calls_) {
      std::vector<std::unique_ptr<Call>> batch;
      for (int i = 0; i < kAhead; ++i) batch.push_back(draw());
      meet();
      for (const auto& call : batch) fill(*call);
      for (auto& call : batch) begin(std::move(call));
      restart_some();
      if (chance(shared_, 12)) renew_part();
    }
    meet();
    while (!open_.empty()) wait_for(open_.size() - 1);
    for (auto& call : kept_) forget(*call);
    free_members(*part_);
    free_members(*everybody_);
    MPI_Op_free(&product_);
    for (MPI_Datatype* type : {&holey_type_, &matrix_type_}) MPI_Type_free(type);
    MPI_Comm_free(&meeting_);
  }

 private:
  using Random = std::mt19937;
  static int below(Random& random, int bound) {
    return static_cast<int>(random() % static_cast<unsigned>(bound));
  }
  static bool chance(Random& random, int one_in) { return below(random, one_in) == 0; }

  // --- communicators

  // A closed ring.
  static std::shared_ptr<Members> make_members(MPI_Comm from) {
    auto members = std::make_shared<Members>();
    const int periodic = 1;
    int size = 0;
    MPI_Comm_size(from, &size);
    MPI_Cart_create(from, 1, &size, &periodic, 0, &members->mpi);
    MPI_Comm_rank(members->mpi, &members->rank);
    MPI_Comm_size(members->mpi, &members->size);
    MUST(tutti_comm_create(members->mpi, &members->tutti));
    return members;
  }
  // Calls may be under way there, and are waited for later, or not before the end.
  static void free_members(Members& members) {
    MUST(tutti_comm_free(&members.tutti));
    MPI_Comm_free(&members.mpi);
  }
  // Other members, in another order.
  void renew_part() {
    meet();
    const int color = (below(shared_, 1000) + job_rank) % 2, turned = below(shared_, 2);
    if (part_) {
      std::erase_if(kept_, [&](const std::unique_ptr<Call>& call) {
        if (call->members != part_) return false;
        forget(*call);
        return true;
      });
      free_members(*part_);
    }
    MPI_Comm some;
    MPI_Comm_split(MPI_COMM_WORLD, color, turned ? -job_rank : job_rank, &some);
    part_ = make_members(some);
    MPI_Comm_free(&some);
  }

  // --- calls

  template <class Mpi, class Blocking, class Begun, class Kept, class Arguments>
  void state(Call& call, const char* what, Mpi mpi, Blocking blocking, Begun begun, Kept kept,
             Arguments arguments) {
    call.what = what;
    call.by_mpi = [=](Call& c, void* to) { return arguments(c, to, mpi); };
    const int form = below(shared_, 4);
    call.persistent = form == 3 && kept_.size() + drawn_kept_ < kMostKept;
    if (call.persistent) {
      ++drawn_kept_;
      call.by_tutti = [=](Call& c, void* to) { return arguments(c, to, kept, &c.request); };
    } else if (form == 2) {
      call.by_tutti = [=](Call& c, void* to) { return arguments(c, to, blocking); };
    } else {
      call.by_tutti = [=](Call& c, void* to) { return arguments(c, to, begun, &c.request); };
    }
  }

#define FORMS(Name, name) #name, MPI_##Name, (tutti_##name), (tutti_i##name), (tutti_##name##_init)

  std::unique_ptr<Call> draw() {
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
          return f(c.send.data(), pair_counts, byte_displacements, pair_types.data(), to,
                   pair_counts, byte_displacements, pair_types.data(), comm, r...);
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

  // New data, and the MPI's result of it.
  void fill(Call& call) {
    for (Bytes* buffer : {&call.send, &call.receive})
      for (std::size_t i = 0; i < buffer->size(); i += sizeof(std::uint32_t)) {
        const auto word = static_cast<std::uint32_t>(own_());
        std::memcpy(buffer->data() + i, &word, sizeof word);
      }
    call.wanted = call.receive;
    CHECK(call.by_mpi(call, call.wanted.data()) == MPI_SUCCESS, "the MPI fails");
  }

  void begin(std::unique_ptr<Call> call) {
    if (chance(own_, 6)) usleep(static_cast<unsigned>(below(own_, 400)));
    MUST(call->by_tutti(*call, call->receive.data()));
    if (call->persistent) {
      MUST(tutti_start(&call->request));
      call->active = true;
      kept_.push_back(std::move(call));
    } else if (call->request != TUTTI_REQUEST_NULL) {
      open_.push_back(std::move(call));
    } else {
      look_at(*call);
    }
    complete_some();
  }

  // Those that are inactive here may be active elsewhere. Started alike on all ranks.
  void restart_some() {
    drawn_kept_ = 0;
    std::vector<Call*> again;
    for (const auto& call : kept_)
      if (chance(shared_, 2)) again.push_back(call.get());
    for (Call* call : again)
      if (call->active) end(*call);
    meet();
    for (Call* call : again) fill(*call);
    for (Call* call : again) {
      call->number = ++number_;
      MUST(tutti_start(&call->request));
      call->active = true;
      complete_some();
    }
    if (!kept_.empty() && chance(shared_, 3)) {
      const auto gone = kept_.begin() + below(shared_, static_cast<int>(kept_.size()));
      forget(**gone);
      kept_.erase(gone);
    }
  }

  static void look_at(const Call& call) {
    const auto wrong = std::mismatch(call.receive.begin(), call.receive.end(), call.wanted.begin());
    CHECK(wrong.first == call.receive.end(), "call %d, %s%s: byte %zd of %zu is not the MPI's",
          call.number, call.persistent ? "persistent " : "", call.what.c_str(),
          wrong.first - call.receive.begin(), call.receive.size());
  }
  static void end(Call& call) {
    MUST(tutti_wait(&call.request));
    call.active = false;
    look_at(call);
  }
  static void forget(Call& call) {
    if (call.active) end(call);
    MUST(tutti_request_free(&call.request));
  }

  // --- waiting, as this rank likes

  // All ranks are here, and none waits in a call of Tutti; meanwhile its calls go on.
  void meet() {
    MPI_Request all;
    MPI_Ibarrier(meeting_, &all);
    for (int here = 0; here == 0;) {
      MPI_Test(&all, &here, MPI_STATUS_IGNORE);
      take_further();
    }
  }
  // Any test takes all calls further.
  void take_further() {
    int ended = 0;
    if (!open_.empty()) {
      std::vector<tutti_request> requests = open_requests();
      int which = 0;
      MUST(tutti_testany(static_cast<int>(requests.size()), requests.data(), &which, &ended));
      take_back(requests);
      return;
    }
    for (const auto& call : kept_) {
      if (!call->active) continue;
      MUST(tutti_test(&call->request, &ended));
      call->active = ended == 0;
      if (ended != 0) look_at(*call);
      return;
    }
  }
  std::vector<tutti_request> open_requests() const {
    std::vector<tutti_request> requests;
    requests.reserve(open_.size());
    for (const auto& call : open_) requests.push_back(call->request);
    return requests;
  }

  void wait_for(std::size_t place) {
    end(*open_[place]);
    open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(place));
  }

  // Those that were taken out of `requests` are complete.
  void take_back(std::vector<tutti_request>& requests) {
    for (std::size_t i = open_.size(); i-- > 0;) {
      open_[i]->request = requests[i];
      if (requests[i] != TUTTI_REQUEST_NULL) continue;
      look_at(*open_[i]);
      open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }

  void complete_some() {
    for (const auto& call : kept_)
      if (call->active && chance(own_, 5)) end(*call);
    if (open_.empty()) return;
    while (open_.size() >= kMostOpen) wait_for(static_cast<std::size_t>(below(own_, kMostOpen)));
    std::vector<tutti_request> requests = open_requests();
    const int count = static_cast<int>(requests.size());
    std::vector<int> places(requests.size());
    int one = 0, some = 0;
    switch (below(own_, 12)) {
      case 0: wait_for(static_cast<std::size_t>(below(own_, count))); return;
      case 1: MUST(tutti_waitall(count, requests.data())); break;
      case 2: MUST(tutti_waitany(count, requests.data(), &one)); break;
      case 3: MUST(tutti_waitsome(count, requests.data(), &some, places.data())); break;
      case 4: MUST(tutti_testall(count, requests.data(), &one)); break;
      case 5: MUST(tutti_testany(count, requests.data(), &one, &some)); break;
      case 6: MUST(tutti_testsome(count, requests.data(), &some, places.data())); break;
      case 7: MUST(tutti_test(&requests.back(), &one)); break;
      default: return;
    }
    take_back(requests);
  }

  Random shared_, own_;  // alike on all ranks, and this rank's
  const int calls_;
  int number_ = 0;
  std::size_t drawn_kept_ = 0;  // persistent ones of the batch
  MPI_Datatype holey_type_ = holey_type(), matrix_type_ = matrix_type();
  MPI_Op product_ = [] {
    MPI_Op op;
    MPI_Op_create(multiply, 0, &op);
    return op;
  }();
  MPI_Comm meeting_ = MPI_COMM_NULL;
  std::shared_ptr<Members> everybody_, part_;
  std::vector<std::unique_ptr<Call>> open_, kept_;
};

}  // namespace

int main(int argc, char** argv) {
  job_begin(&argc, &argv);
  CHECK(argc == 3, "usage: mixed_test CALLS SEED");
  MUST(tutti_init(nullptr));
  Program(std::atoi(argv[1]), static_cast<unsigned>(std::strtoul(argv[2], nullptr, 10))).run();
  job_end("mixed");
}
