// Takes queue pairs from state to state, with the attributes that each step needs.
#include "transport/verbs/device/queue_pair.hpp"

#include <fmt/format.h>

#include <cstring>

#include "base/error.hpp"
#include "transport/verbs/device/memory.hpp"

namespace tutti::transport::verbs {
namespace {

constexpr int kMinRnrTimer = 12;  // 0.64 ms; much less makes storms on rxe

const char* name_of(ibv_qp_state state) {
  return state == IBV_QPS_RESET  ? "RESET"
         : state == IBV_QPS_INIT ? "INIT"
         : state == IBV_QPS_RTR  ? "RTR"
                                 : "RTS";
}

// Returns an errno; 0: done.
int step(ibv_qp* queue_pair, ibv_qp_attr& attributes, ibv_qp_state state, int mask) {
  attributes.qp_state = state;
  return ibv_modify_qp(queue_pair, &attributes, IBV_QP_STATE | mask);
}

void must_step(ibv_qp* queue_pair, ibv_qp_attr& attributes, ibv_qp_state state, int mask,
               int peer = kNoPeer) {
  if (const int error = step(queue_pair, attributes, state, mask))
    throw Error(Code::transport_failed,
                fmt::format("a queue pair ({}) cannot reach the state {}: {}; is the port active "
                            "(tutti info)? The kernel's log (dmesg) may say more",
                            queue_pair->qp_type == IBV_QPT_UD ? "UD" : "RC", name_of(state),
                            std::strerror(error)),
                peer, error);
}

}  // namespace

QueuePair create_queue_pair(const Device& device, ibv_qp_init_attr& wanted) {
  // Devices differ in how much data a work request may carry itself: half as much is asked for, and
  // half again, down to 32 bytes.
  for (;;) {
    ibv_qp_init_attr granted = wanted;  // a failing call may leave anything in it
    QueuePair made(ibv_create_qp(device.pd(), &granted));
    if (made) {
      wanted.cap = granted.cap;
      return made;
    }
    if (wanted.cap.max_inline_data <= 32) break;
    wanted.cap.max_inline_data /= 2;
  }
  throw_no_memory(
      wanted.qp_type == IBV_QPT_UD ? "creating a UD queue pair" : "creating a queue pair",
      std::size_t{64} * (wanted.cap.max_send_wr + wanted.cap.max_recv_wr));
}

void initialize(const Device& device, ibv_qp* queue_pair, std::uint32_t queue_key) {
  ibv_qp_attr to{};
  to.port_num = static_cast<std::uint8_t>(device.port());
  to.pkey_index = device.pkey_index();
  to.qkey = queue_key;
  to.qp_access_flags = IBV_ACCESS_REMOTE_WRITE;
  must_step(queue_pair, to, IBV_QPS_INIT,
            IBV_QP_PKEY_INDEX | IBV_QP_PORT |
                (queue_pair->qp_type == IBV_QPT_UD ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS));
}

void reset(ibv_qp* queue_pair) {
  ibv_qp_attr to{};
  must_step(queue_pair, to, IBV_QPS_RESET, 0);
}

void make_ready(ibv_qp* queue_pair) {
  ibv_qp_attr to{};
  must_step(queue_pair, to, IBV_QPS_RTR, 0);
  must_step(queue_pair, to, IBV_QPS_RTS, IBV_QP_SQ_PSN);
}

void make_ready(ibv_qp* queue_pair, const ReliablePath& path) {
  ibv_qp_attr to{};
  to.ah_attr = path.address;
  to.path_mtu = path.mtu;
  to.dest_qp_num = path.queue_pair;
  to.rq_psn = path.receive_sequence;
  to.max_dest_rd_atomic = to.max_rd_atomic = 1;
  to.min_rnr_timer = kMinRnrTimer;
  if (const int error = step(queue_pair, to, IBV_QPS_RTR,
                             IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
                                 IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER))
    throw Error(
        Code::unreachable,
        fmt::format(
            "there is no path to rank {} of MPI_COMM_WORLD: {}; do both devices share a network?",
            path.peer, std::strerror(error)),
        path.peer, error);
  to.sq_psn = path.send_sequence;
  to.timeout = static_cast<std::uint8_t>(path.timeout);
  to.retry_cnt = static_cast<std::uint8_t>(path.retry_count);
  to.rnr_retry = static_cast<std::uint8_t>(path.not_ready_count);
  must_step(queue_pair, to, IBV_QPS_RTS,
            IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
                IBV_QP_MAX_QP_RD_ATOMIC,
            path.peer);
}

}  // namespace tutti::transport::verbs
