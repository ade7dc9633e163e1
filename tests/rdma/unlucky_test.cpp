// A device and helper threads that luck has left: the threads get no memory now and then, the
// device's events cannot be read, completion queues do not grow, the queue pair of the handshake
// fails and is not repaired at once. Connections are made nevertheless, each failure is told of
// once, and no helper thread takes a signal. To be run on several hosts, or with
// TUTTI_TRANSPORT=verbs.
#include <dlfcn.h>
#include <infiniband/verbs.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

extern "C" {
#include "job.h"
}

namespace {

std::atomic<bool> unlucky{false};
std::atomic<int> refused{0}, asked{0}, broken_file{-1};
std::atomic<int> resets_to_refuse{20}, failures_told{0};
bool short_queues = false;
constexpr int kShort = 1100;  // room for two connections
std::mutex lock;
std::vector<ibv_qp*> datagram_pairs;

bool is_helper(const std::string& name) { return name.rfind("tutti-", 0) == 0; }

bool in_a_helper() {
  char name[16] = "";
  pthread_getname_np(pthread_self(), name, sizeof name);
  return strncmp(name, "tutti-", 6) == 0;
}

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

// --- what Tutti calls instead of the real ones

extern "C" void* __libc_malloc(std::size_t bytes);

extern "C" void* malloc(std::size_t bytes) {
  static std::atomic<unsigned> calls{0};
  if (unlucky && in_a_helper() && calls++ % 3 != 2) {
    ++refused;
    errno = ENOMEM;
    return nullptr;
  }
  return __libc_malloc(bytes);
}

extern "C" {

// The file of the device's events is broken: poll() says so at once, whenever it is asked. The file
// itself must stay, as the kernel wants to see it where queues are made.
ibv_context* ibv_open_device(ibv_device* device) {
  ibv_context* const context = next<ibv_context*(ibv_device*)>("ibv_open_device")(device);
  if (unlucky && context) broken_file = context->async_fd;
  return context;
}

int ibv_get_async_event(ibv_context* context, ibv_async_event* event) {
  if (!unlucky)
    return next<int(ibv_context*, ibv_async_event*)>("ibv_get_async_event")(context, event);
  ++asked;
  errno = EIO;
  return -1;
}

int poll(pollfd* files, nfds_t count, int timeout) {
  pollfd* broken = nullptr;
  for (pollfd* file = files; unlucky && file < files + count; ++file)
    if (file->fd >= 0 && file->fd == broken_file) broken = file;
  const int some = next<int(pollfd*, nfds_t, int)>("poll")(files, count, broken ? 0 : timeout);
  if (!broken) return some;
  const bool counted = broken->revents != 0;
  broken->revents |= POLLERR;
  return some + (counted ? 0 : 1);
}

// Completion queues keep the length that they were made with, or are short.
int ibv_resize_cq(ibv_cq* queue, int entries) {
  return unlucky ? EOPNOTSUPP : next<int(ibv_cq*, int)>("ibv_resize_cq")(queue, entries);
}

int ibv_query_device(ibv_context* context, ibv_device_attr* limits) {
  const int error = next<int(ibv_context*, ibv_device_attr*)>("ibv_query_device")(context, limits);
  if (unlucky && short_queues && limits->max_cqe > kShort) limits->max_cqe = kShort;
  return error;
}

ibv_qp* ibv_create_qp(ibv_pd* domain, ibv_qp_init_attr* wanted) {
  ibv_qp* const made = next<ibv_qp*(ibv_pd*, ibv_qp_init_attr*)>("ibv_create_qp")(domain, wanted);
  const std::lock_guard guard(lock);
  if (made && wanted->qp_type == IBV_QPT_UD) datagram_pairs.push_back(made);
  return made;
}

int ibv_modify_qp(ibv_qp* pair, ibv_qp_attr* to, int mask) {
  if (unlucky && in_a_helper() && to->qp_state == IBV_QPS_RESET && resets_to_refuse > 0) {
    --resets_to_refuse;
    return EINVAL;
  }
  return next<int(ibv_qp*, ibv_qp_attr*, int)>("ibv_modify_qp")(pair, to, mask);
}

}  // extern "C"

namespace {

void count_failures(void*, const char* line) {
  if (std::string_view(line).find("handshake has failed") != std::string_view::npos)
    ++failures_told;
}

void break_datagrams() {
  const std::lock_guard guard(lock);
  CHECK(!datagram_pairs.empty(), "nobody made a UD queue pair");
  ibv_qp_attr to{};
  to.qp_state = IBV_QPS_ERR;
  for (ibv_qp* const pair : datagram_pairs)
    CHECK(ibv_modify_qp(pair, &to, IBV_QP_STATE) == 0, "the queue pair cannot be broken");
}

// Helper threads block what an application waits for.
void check_signals() {
  int helpers = 0;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::string name, line;
    std::getline(std::ifstream(task.path() / "comm"), name);
    if (!is_helper(name)) continue;
    ++helpers;
    std::ifstream status(task.path() / "status");
    unsigned long long blocked = 0;
    while (std::getline(status, line))
      if (line.rfind("SigBlk:", 0) == 0) blocked = std::stoull(line.substr(7), nullptr, 16);
    for (const int signal : {SIGUSR1, SIGTERM, SIGINT, SIGCHLD, SIGALRM, SIGPROF})
      CHECK(blocked >> (signal - 1) & 1, "%s takes signal %d", name.c_str(), signal);
    CHECK((blocked >> (SIGSEGV - 1) & 1) == 0, "%s blocks its own faults", name.c_str());
  }
  CHECK(helpers >= 1, "no helper thread is there");
}

// Each rank gets a number from each, over connections of which some are made now.
void exchange(tutti_comm comm, int size, int round) {
  std::vector<int> out(static_cast<std::size_t>(size), 100 * round + job_rank), in(out.size(), -1);
  MUST(tutti_alltoall(out.data(), 1, MPI_INT, in.data(), 1, MPI_INT, comm));
  for (const int number : in) CHECK(number / 100 == round, "%d in round %d", number, round);
}

}  // namespace

int main(int argc, char** argv) {
  job_begin(&argc, &argv);
  CHECK(argc == 2, "usage: unlucky_test fixed|short");
  short_queues = std::string(argv[1]) == "short";
  unlucky = true;
  const char* const told[] = {"log=info", nullptr};
  const tutti_options options = {sizeof options, told, count_failures, nullptr};
  MUST(tutti_init(&options));
  check_signals();
  tutti_comm all, half;
  MPI_Comm members;
  MUST(tutti_comm_create(MPI_COMM_WORLD, &all));
  MPI_Comm_split(MPI_COMM_WORLD, job_rank / 2, job_rank, &members);
  MUST(tutti_comm_create(members, &half));
  int size = 0;
  MPI_Comm_size(members, &size);
  exchange(half, size, 1);  // few connections
  MPI_Barrier(MPI_COMM_WORLD);
  break_datagrams();
  MPI_Barrier(MPI_COMM_WORLD);
  exchange(all, job_size, 2);  // the others
  // The thread that reads events would look again and again: this often in each millisecond.
  CHECK(asked < 1000, "the broken file was read %d times", asked.load());
  CHECK(failures_told <= 1, "one failure is told of %d times", failures_told.load());
  MUST(tutti_comm_free(&half));
  MUST(tutti_comm_free(&all));
  unlucky = false;
  // Which rank's helper threads had to do with a connection is a matter of who asked first.
  int everywhere = refused;
  MPI_Allreduce(MPI_IN_PLACE, &everywhere, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (job_rank == 0) std::printf("%d times there was no memory\n", everywhere);
  CHECK(everywhere > 0 || job_size == 1, "there always was memory");
  MPI_Comm_free(&members);
  job_end("unlucky");
}
