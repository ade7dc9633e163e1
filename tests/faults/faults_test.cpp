// A job in which something goes wrong, by a seed: a rank is killed, is stopped and goes on, the
// system refuses it something, or shared memory is full. Every rank ends with the right results of
// all calls, or with an error, within bounded time.
//
//   sh -c "faults_test DIRECTORY SEED CALLS none|kill|child|stop|refuse[:KIND]|exhaust[:KIND]|full
//          true"
//
// The ranks make CALLS collectives by the seed (stream.hpp), or as many as succeed. refuse: the
// seed's call of Tutti to the system fails (refusals.hpp), once, one of KIND or any; exhaust: from
// then on; child: a rank is killed that has forked a child, which lives on; full: all
// that is left of /dev/shm is taken, so it should be the job's own. No rank leaves before all have
// returned: of a failure others must learn otherwise. Until then it computes on, by itself or with
// another rank. Each rank leaves a file DIRECTORY/rank-R with a line: `ok`, an error, or `killed`;
// there is DIRECTORY/begun once they make calls. The shell hides deaths from the launcher.
#include <execinfo.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <exception>
#include <random>
#include <string>

#include "refusals.hpp"
#include "stream.hpp"

namespace {

constexpr int kCallsUntilAllKnow = 20;
std::string folder;

std::string report_of(int rank) { return "rank-" + std::to_string(rank); }

// The first report of a name stands.
void report(const std::string& name, const std::string& line) {
  const int file = open((folder + "/" + name).c_str(), O_CREAT | O_EXCL | O_WRONLY, 0600);
  if (file < 0) return;
  [[maybe_unused]] const ssize_t written = write(file, line.data(), line.size());
  close(file);
}

bool exists(const std::string& name) { return access((folder + "/" + name).c_str(), F_OK) == 0; }

// A child that does to its parent what was asked for. It begins when it is told to, and ends with
// its parent.
class Tormentor {
 public:
  Tormentor(const std::string& fault, unsigned seed) : random_(seed ^ 0xfa) {
    if (fault != "kill" && fault != "child" && fault != "stop" && fault != "full") return;
    CHECK(pipe(ends_) == 0, "no pipe");
    child_ = fork();
    CHECK(child_ >= 0, "no child");
    if (child_ == 0) {
      close(ends_[1]);
      wait_and_torment(fault);
    }
    close(ends_[0]);
  }
  void begin(int rank) {
    if (child_ > 0) CHECK(write(ends_[1], &rank, sizeof rank) == sizeof rank, "no child reads");
  }
  void end() {
    if (child_ <= 0) return;
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
    child_ = 0;
  }

 private:
  // In ever smaller pieces.
  static void take_all_of(const char* path) {
    const int file = open(path, O_CREAT | O_RDWR, 0600);
    off_t taken = 0;
    for (off_t piece = off_t{1} << 30; piece >= 4096;)
      if (posix_fallocate(file, taken, piece) == 0)
        taken += piece;
      else
        piece /= 2;
  }
  void pause_up_to(unsigned microseconds) { usleep(random_() % microseconds); }
  [[noreturn]] void wait_and_torment(const std::string& fault) {
    const pid_t parent = getppid();
    int rank = 0;
    if (read(ends_[0], &rank, sizeof rank) != sizeof rank) _exit(0);
    if (fault == "kill" || fault == "child") {
      pause_up_to(300'000);
      report(report_of(rank), "killed");
      kill(parent, SIGKILL);
      _exit(0);
    }
    if (fault == "full") {
      pause_up_to(300'000);
      take_all_of("/dev/shm/full");
      while (getppid() == parent) usleep(100'000);
      _exit(0);
    }
    for (int i = 0; i < 5 && getppid() == parent; ++i) {
      pause_up_to(100'000);
      kill(parent, SIGSTOP);
      pause_up_to(i == 0 ? 1'500'000 : 300'000);
      kill(parent, SIGCONT);
    }
    _exit(0);
  }

  std::mt19937 random_;
  int ends_[2] = {-1, -1};
  pid_t child_ = 0;
};

std::string error_of(int code, const std::string& when) {
  std::string line =
      "error " + std::to_string(code) + " in " + when + ": " + tutti_last_error_message();
  if (refused()) line += std::string(" [") + refused() + " was refused]";
  return line;
}

std::string returned(int rank) { return "returned-" + std::to_string(rank); }
bool all_have_returned() {
  int r = 0;
  while (r < job_size && (exists(returned(r)) || exists(report_of(r)))) ++r;
  return r == job_size;
}

// A communicator of two ranks; null if it cannot be made.
tutti_comm make_pair() {
  MPI_Comm ranks;
  MPI_Comm_split(MPI_COMM_WORLD, job_rank / 2, job_rank, &ranks);
  tutti_comm pair = TUTTI_COMM_NULL;
  if (tutti_comm_create(ranks, &pair) != TUTTI_SUCCESS) pair = TUTTI_COMM_NULL;
  MPI_Comm_free(&ranks);
  return pair;
}

// Until all ranks have returned, with the other one of the pair if that goes on, else outside of
// Tutti.
void compute_on(tutti_comm pair) {
  report(returned(job_rank), "");
  int all = 0;
  while (all == 0) {
    if (pair == TUTTI_COMM_NULL || job_rank % 2 == 0) all = all_have_returned() ? 1 : 0;
    if (pair != TUTTI_COMM_NULL && tutti_bcast(&all, 1, MPI_INT, 0, pair) != TUTTI_SUCCESS) {
      pair = TUTTI_COMM_NULL;
      all = 0;
    }
    usleep(1000);
  }
}

bool all_have_reported() {
  int r = 0;
  while (r < job_size && exists(report_of(r))) ++r;
  return r == job_size;
}

// It has all that its parent has, and goes on until all ranks have reported: as long as it has, the
// launcher waits for it. Without a folder nobody reports any more.
void leave_a_child() {
  const pid_t child = fork();
  CHECK(child >= 0, "no child");
  if (child > 0) return;
  while (access(folder.c_str(), F_OK) == 0 && !all_have_reported()) usleep(10'000);
  _exit(0);
}

// The whole life of Tutti in this rank; what is to be reported.
std::string live(unsigned seed, int calls, Tormentor& tormentor, bool forks_a_child) {
  if (const int code = tutti_init(nullptr)) return error_of(code, "tutti_init");
  std::string result = "ok";
  tutti_comm comm = TUTTI_COMM_NULL;
  if (const int code = tutti_comm_create(MPI_COMM_WORLD, &comm)) {
    result = error_of(code, "tutti_comm_create");
  } else {
    Stream stream(seed, comm, job_rank, job_size);
    tutti_comm pair = make_pair();
    MPI_Barrier(MPI_COMM_WORLD);
    if (job_rank == 0) report("begun", "");
    if (forks_a_child) leave_a_child();
    tormentor.begin(job_rank);
    while (stream.calls() < calls)
      if (const int failed = stream.next()) {
        result = error_of(failed, stream.what() + " number " + std::to_string(stream.calls()));
        // If this rank rejected the call before it began, others may notice it some calls later.
        int more = 0;
        while (more < kCallsUntilAllKnow && tutti_barrier(comm) == TUTTI_SUCCESS) ++more;
        CHECK(more < kCallsUntilAllKnow, "the communicator goes on after: %s", result.c_str());
        break;
      }
    // Every other pair has nothing to do with Tutti until the end.
    const bool together = (seed + static_cast<unsigned>(job_rank / 2)) % 2 == 0;
    compute_on(together ? pair : TUTTI_COMM_NULL);
    for (tutti_comm* const made : {&comm, &pair})
      if (*made != TUTTI_COMM_NULL)
        if (const int failed = tutti_comm_free(made)) return error_of(failed, "tutti_comm_free");
  }
  if (const int code = tutti_finalize()) return error_of(code, "tutti_finalize");
  return result;
}

// Number of the call to refuse: as often one of the first ten as one of the next ninety, and so on.
// Kinds other than memory have few calls.
int moment(std::mt19937& random, const std::string& kind) {
  const unsigned kMostDigits = kind.empty() || kind == "memory" ? 4 : 2;
  int most = 10;
  for (unsigned digits = static_cast<unsigned>(random()) % kMostDigits; digits > 0; --digits)
    most *= 10;
  return static_cast<int>(random() % static_cast<unsigned>(most)) + 1;
}

// Where a refusal has ended the process.
[[noreturn]] void tell_where() {
  void* frames[50];
  backtrace_symbols_fd(frames, backtrace(frames, 50), 2);
  std::abort();
}

// The launcher ends the job with the first rank that leaves: all leave when all have reported. One
// that does not report makes the others wait for it, and the caller notices.
void wait_for_reports() {
  for (int waited = 0; waited < 6000 && !all_have_reported(); ++waited) usleep(10'000);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr,
                 "usage: faults_test DIRECTORY SEED CALLS "
                 "none|kill|child|stop|refuse[:KIND]|exhaust[:KIND]|full\n");
    return 2;
  }
  folder = argv[1];
  const auto seed = static_cast<unsigned>(std::strtoul(argv[2], nullptr, 10));
  const std::string words = argv[4], fault = words.substr(0, words.find(':')),
                    kind = words.substr(std::min(fault.size() + 1, words.size()));
  std::set_terminate(tell_where);
  // Before MPI, whose memory a child should not have. Every rank has one; the victim's begins.
  std::mt19937 random(seed);
  Tormentor tormentor(fault, seed);
  job_begin(&argc, &argv);
  const auto choice = static_cast<unsigned>(random());
  const bool victim = choice % static_cast<unsigned>(job_size) == static_cast<unsigned>(job_rank);
  if (!victim) tormentor.end();
  CHECK(kind.empty() || is_kind(kind), "there is no kind of calls `%s`", kind.c_str());
  if (victim && (fault == "refuse" || fault == "exhaust"))
    refuse(kind, moment(random, kind), fault == "exhaust");
  if (victim && fault == "none") refuse("", 0, false);
  std::string result = live(seed, std::atoi(argv[3]), tormentor, victim && fault == "child");
  if (victim && result == "ok" && fallible_calls() > 0)
    result += " (" + std::to_string(fallible_calls()) + " fallible calls" +
              (refused() ? std::string(", ") + refused() + " was refused)" : ")");
  report(report_of(job_rank), result + "\n");
  tormentor.end();
  wait_for_reports();
  _exit(0);  // MPI_Finalize would wait for the dead
}
