// Connections over verbs that begin small and grow, by traffic that uses them one way and both
// ways. To be run on several hosts, or with TUTTI_TRANSPORT=verbs.
//   grows_test all     in the end all have grown
//   grows_test none    no rank gets memory for a larger connection: all stay small, and work
//   grows_test some    ranks with odd numbers get none
#include <dlfcn.h>
#include <infiniband/verbs.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

extern "C" {
#include "job.h"
}

namespace {

std::atomic<bool> refuses{false};
std::atomic<int> refused{0}, resized{0};

}  // namespace

// Called by Tutti instead of the real one. Queue pairs of larger connections have long queues.
extern "C" ibv_qp* ibv_create_qp(ibv_pd* domain, ibv_qp_init_attr* wanted) {
  constexpr unsigned kSmall = 64;
  if (refuses && wanted->qp_type == IBV_QPT_RC && wanted->cap.max_send_wr > kSmall) {
    if (wanted->cap.max_inline_data <= 32) ++refused;  // or less is asked for
    errno = ENOMEM;
    return nullptr;
  }
  using Function = ibv_qp*(ibv_pd*, ibv_qp_init_attr*);
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, "ibv_create_qp"))(domain, wanted);
}

extern "C" int ibv_resize_cq(ibv_cq* queue, int entries) {
  ++resized;
  using Function = int(ibv_cq*, int);
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, "ibv_resize_cq"))(queue, entries);
}

namespace {

// Long messages one way, short ones the other: the sender of a broadcast is told by nothing but the
// device when it may use its buffer again.
void broadcasts(tutti_comm comm, int rounds) {
  std::vector<unsigned char> buffer(3 << 20);
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < buffer.size(); ++i)
      buffer[i] = job_rank == 0 ? pattern(i, 0, round) : 0;
    MUST(tutti_bcast(buffer.data(), static_cast<int>(buffer.size()), MPI_BYTE, 0, comm));
    for (std::size_t i = 0; i < buffer.size(); ++i)
      CHECK(buffer[i] == pattern(i, 0, round), "byte %zu is wrong in round %d", i, round);
  }
}

// Messages of all lengths between all ranks.
void exchange(tutti_comm comm, int round) {
  constexpr std::size_t kLengths[] = {8, 200, 1000, 30000};
  const std::size_t bytes = kLengths[round % 4], all = bytes * static_cast<std::size_t>(job_size);
  std::vector<unsigned char> out(all), in(all);
  for (std::size_t i = 0; i < all; ++i) out[i] = pattern(i, job_rank, round);
  const auto count = static_cast<int>(bytes);
  MUST(tutti_alltoall(out.data(), count, MPI_BYTE, in.data(), count, MPI_BYTE, comm));
  for (std::size_t i = 0; i < all; ++i) {
    const std::size_t place = static_cast<std::size_t>(job_rank) * bytes + i % bytes;
    CHECK(in[i] == pattern(place, static_cast<int>(i / bytes), round),
          "byte %zu is wrong in round %d", i, round);
  }
}

struct Connections {
  long by_verbs, grown, bytes_at_first, bytes;  // of one at first; of all now
};

Connections connections(tutti_comm comm) {
  static char text[1 << 16];
  MUST(tutti_describe(comm, text, sizeof text, nullptr));
  const std::string_view all = text;
  const auto number = [&](std::string_view key, std::size_t from) {
    const std::size_t at = all.find(key, from);
    CHECK(at != std::string_view::npos, "nothing says %s", std::string(key).c_str());
    return std::strtol(text + at + key.size(), nullptr, 10);
  };
  const auto of_verbs = [&](std::string_view object) {
    return number("\"verbs\":", all.find(object));
  };
  return {of_verbs("\"connections\""), number("\"grown_connections\":", 0),
          of_verbs("\"bytes_per_connection\""), of_verbs("\"connection_bytes\"")};
}

}  // namespace

int main(int argc, char** argv) {
  job_begin(&argc, &argv);
  const std::string who = argc == 2 ? argv[1] : "";
  CHECK(who == "all" || who == "none" || who == "some", "usage: grows_test all|none|some");
  refuses = who == "none" || (who == "some" && job_rank % 2 == 1);
  setenv("TUTTI_ALGORITHM", "alltoall=pairwise", 0);
  MUST(tutti_init(nullptr));
  tutti_comm comm;
  MUST(tutti_comm_create(MPI_COMM_WORLD, &comm));
  broadcasts(comm, 8);
  constexpr int kFew = 60, kMany = 4000;
  int all_grown = 0;
  Connections mine{};
  for (int round = 0; round < (who == "all" ? kMany : kFew) && !all_grown; ++round) {
    exchange(comm, round);
    mine = connections(comm);
    const int have_grown = mine.grown == mine.by_verbs;
    MUST(tutti_allreduce(&have_grown, &all_grown, 1, MPI_INT, MPI_MIN, comm));
  }
  CHECK(mine.by_verbs > 0, "there is nothing to grow");
  CHECK(who != "all" || all_grown, "%ld of %ld have grown", mine.grown, mine.by_verbs);
  CHECK(resized == 0 || mine.by_verbs > 12, "%d queues were resized for %ld connections",
        resized.load(), mine.by_verbs);
  const long at_first = mine.by_verbs * mine.bytes_at_first;
  CHECK(who == "all" ? mine.bytes > 2 * at_first : mine.bytes >= at_first,
        "%ld connections, which took %ld bytes at first, take %ld", mine.by_verbs, at_first,
        mine.bytes);
  if (refuses) {
    CHECK(mine.grown == 0 && mine.bytes == at_first, "%ld have grown, all take %ld bytes",
          mine.grown, mine.bytes);
    CHECK(refused <= mine.by_verbs, "%d attempts for %ld connections", refused.load(),
          mine.by_verbs);
  }
  int everywhere = refused;
  MPI_Allreduce(MPI_IN_PLACE, &everywhere, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  CHECK(who == "all" || everywhere > 0, "nobody wanted a larger connection");
  broadcasts(comm, 4);
  for (int round = 0; round < 8; ++round) exchange(comm, round);
  MUST(tutti_comm_free(&comm));
  // tutti_finalize waits for acknowledgements, but not for ever: then it would lose messages.
  constexpr std::chrono::seconds kTimeout{10};
  const auto began = std::chrono::steady_clock::now();
  MUST(tutti_finalize());
  CHECK(std::chrono::steady_clock::now() - began < kTimeout, "something was never acknowledged");
  MPI_Finalize();
  if (job_rank == 0) std::printf("grows: ok with %d ranks\n", job_size);
}
