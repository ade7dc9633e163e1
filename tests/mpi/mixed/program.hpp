// The program of mixed_test: calls that it draws, begins and waits for.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

extern "C" {
#include "../job.h"
}

namespace mixed {

using Bytes = std::vector<std::byte>;

inline constexpr int kAhead = 12;  // calls of a batch
inline constexpr std::size_t kMostOpen =
    24;  // calls that are left open, at most, after one has begun
inline constexpr std::size_t kMostKept = 10;  // persistent requests
inline constexpr int kLengths[] = {0, 1, 1, 2, 7, 64, 129, 1000, 9000};

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
inline void multiply(void* in, void* inout, int* length, MPI_Datatype*) {
  auto* a = static_cast<const std::uint32_t*>(in);
  auto* b = static_cast<std::uint32_t*>(inout);
  for (int i = 0; i < *length; ++i, a += 4, b += 4) {
    const std::uint32_t product[] = {a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3],
                                     a[2] * b[0] + a[3] * b[2], a[2] * b[1] + a[3] * b[3]};
    std::memcpy(b, product, sizeof product);
  }
}

// Two ints, and a hole of as much after the first: an element of 16 bytes.
inline MPI_Datatype holey_type() {
  MPI_Datatype cut, type;
  MPI_Type_vector(2, 1, 2, MPI_INT, &cut);
  MPI_Type_create_resized(cut, 0, 16, &type);
  MPI_Type_free(&cut);
  MPI_Type_commit(&type);
  return type;
}
inline MPI_Datatype matrix_type() {
  MPI_Datatype type;
  MPI_Type_contiguous(4, MPI_UINT32_T, &type);
  MPI_Type_commit(&type);
  return type;
}
inline constexpr std::size_t kElement = 16;  // bytes of each of these types

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
  std::unique_ptr<Call> draw();

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

  // Requests that are inactive here may be active elsewhere. Started alike on all ranks.
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
  void meet();
  // Any test takes all calls further.
  void take_further();
  std::vector<tutti_request> open_requests() const;
  void wait_for(std::size_t place);
  // Requests that were taken out of `requests` are complete.
  void take_back(std::vector<tutti_request>& requests);
  void complete_some();

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

}  // namespace mixed
