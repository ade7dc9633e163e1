// The state of the fake devices, and their wire. Tests see fake_verbs.hpp only.
#pragma once

#include <infiniband/verbs.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/transport/verbs/fake_verbs.hpp"

namespace tutti::tests::fake {

struct Pair;
struct Completed {
  ibv_wc wc;
  Pair* pair;
  std::uint64_t sends;  // of the pair, up to this one
};
struct Queue : ibv_cq {
  std::deque<Completed> entries;
  bool armed = false;
};
struct Receive {
  std::uint64_t id;
  std::vector<ibv_sge> pieces;
};
struct SharedQueue : ibv_srq {
  std::deque<Receive> receives;
  std::size_t room = 0;
};
struct Pair : ibv_qp {
  ibv_qp_state now = IBV_QPS_RESET;
  ibv_qp_cap room{};
  std::uint32_t peer = 0, queue_key = 0;
  ibv_mtu mtu{};
  std::uint64_t posted = 0, freed = 0;
  std::deque<Receive> receives;
  std::vector<Completed> held;
  int events = 0;  // read, and not acknowledged
};
struct Events : ibv_comp_channel {
  std::deque<ibv_cq*> waiting;
};
struct OpenDevice : ibv_context {
  FakeDevice* fake = nullptr;
  std::deque<ibv_async_event> events;
  int broken = 0;  // errno
};

struct Refusal {
  int error = 0, times = 0;
};

// All that the devices know.
struct World {
  std::deque<FakeDevice>* devices = nullptr;
  std::map<std::string, Refusal> refusals;
  int kth = 0;
  bool refused_kth = false, holds = false, overflowed = false;
  std::function<bool(std::uint32_t)> loses;
  std::map<std::uint32_t, Pair*> pairs;
  std::map<std::uint32_t, std::pair<ibv_mr*, int>> regions;  // with their access
  std::set<OpenDevice*> open;
  std::uint32_t next_pair = 2, next_key = 1;
  int alive = 0;
};
extern World world;
extern std::recursive_mutex world_lock;
using WorldGuard = std::lock_guard<std::recursive_mutex>;

// The error with which the function fails now; 0: it does not. `counts`: it takes part in a job's
// start.
int refusal_of(const char* function, bool counts = true);
// Sets errno to that error, as functions do that return a pointer.
bool refuses(const char* function);

void wake_file(int file);
// Puts it into the queue.
void complete(ibv_cq* queue, const Completed& completed);
// All requests that are under way end as flushed.
void fail_pair(Pair& pair);

// The functions of a context.
int post_send(ibv_qp* pair, ibv_send_wr* wr, ibv_send_wr** bad);
int post_recv(ibv_qp* pair, ibv_recv_wr* wr, ibv_recv_wr** bad);
int post_srq_recv(ibv_srq* queue, ibv_recv_wr* wr, ibv_recv_wr** bad);
int poll_cq(ibv_cq* queue, int most, ibv_wc* wc);
int req_notify_cq(ibv_cq* queue, int solicited_only);

}  // namespace tutti::tests::fake
