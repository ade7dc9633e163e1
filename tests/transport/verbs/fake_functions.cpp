// The functions of libibverbs that the program would else take from the shared library.
#include <arpa/inet.h>
#include <fcntl.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <thread>

#include "tests/transport/verbs/fake_world.hpp"

namespace tutti::tests::fake {
namespace {

// Events of the pair that nobody has read are lost; those that were read it waits for.
void end_events(Pair& pair) {
  std::unique_lock lock(world_lock);
  for (OpenDevice* const device : world.open)
    std::erase_if(device->events,
                  [&](const ibv_async_event& event) { return event.element.qp == &pair; });
  while (pair.events != 0) {
    lock.unlock();
    std::this_thread::yield();
    lock.lock();
  }
}

template <class Object>
Object* born(std::unique_ptr<Object> object) {
  ++world.alive;
  return object.release();
}
template <class Object, class Base>
int bury(Base* base) {
  const WorldGuard guard(world_lock);
  --world.alive;
  delete static_cast<Object*>(base);
  return 0;
}

OpenDevice& of(ibv_context* context) { return *static_cast<OpenDevice*>(context); }

}  // namespace

extern "C" {

// --- devices

ibv_device** ibv_get_device_list(int* count) {
  const WorldGuard guard(world_lock);
  if (refuses("ibv_get_device_list")) return nullptr;
  const std::size_t known = world.devices ? world.devices->size() : 0;
  auto list = std::make_unique<ibv_device*[]>(known + 1);
  for (std::size_t i = 0; i < known; ++i) list[i] = &(*world.devices)[i].device;
  if (count) *count = static_cast<int>(known);
  return list.release();
}

void ibv_free_device_list(ibv_device** list) { delete[] list; }

ibv_context* ibv_open_device(ibv_device* device) {
  const WorldGuard guard(world_lock);
  if (refuses("ibv_open_device")) return nullptr;
  auto context = std::make_unique<OpenDevice>();
  for (FakeDevice& fake : *world.devices)
    if (&fake.device == device) context->fake = &fake;
  context->device = device;
  context->ops.poll_cq = poll_cq;
  context->ops.req_notify_cq = req_notify_cq;
  context->ops.post_send = post_send;
  context->ops.post_recv = post_recv;
  context->ops.post_srq_recv = post_srq_recv;
  context->cmd_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
  context->async_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  context->num_comp_vectors = 1;
  world.open.insert(context.get());
  return born(std::move(context));
}

int ibv_close_device(ibv_context* context) {
  const WorldGuard guard(world_lock);
  world.open.erase(&of(context));
  close(context->cmd_fd);
  close(context->async_fd);
  return bury<OpenDevice>(context);
}

int ibv_query_device(ibv_context* context, ibv_device_attr* limits) {
  const WorldGuard guard(world_lock);
  if (refuses("ibv_query_device")) return errno;
  *limits = of(context).fake->limits;
  return 0;
}

int(ibv_query_port)(ibv_context* context, std::uint8_t port, _compat_ibv_port_attr* attributes) {
  const WorldGuard guard(world_lock);
  const auto& ports = of(context).fake->ports;
  if (refuses("ibv_query_port")) return errno;
  if (port < 1 || port > ports.size()) return EINVAL;
  *reinterpret_cast<ibv_port_attr*>(attributes) = ports[port - 1u];
  return 0;
}

int ibv_query_pkey(ibv_context* context, std::uint8_t, int index, __be16* key) {
  const WorldGuard guard(world_lock);
  const auto& keys = of(context).fake->pkeys;
  if (static_cast<std::size_t>(index) >= keys.size()) return EINVAL;
  *key = htons(keys[static_cast<std::size_t>(index)]);
  return 0;
}

ssize_t _ibv_query_gid_table(ibv_context* context, ibv_gid_entry* entries, std::size_t most,
                             std::uint32_t, std::size_t) {
  const WorldGuard guard(world_lock);
  const auto& gids = of(context).fake->gids;
  const std::size_t count = std::min(most, gids.size());
  std::copy_n(gids.begin(), count, entries);
  return static_cast<ssize_t>(count);
}

int _ibv_query_gid_ex(ibv_context* context, std::uint32_t port, std::uint32_t index,
                      ibv_gid_entry* entry, std::uint32_t, std::size_t) {
  const WorldGuard guard(world_lock);
  for (const ibv_gid_entry& gid : of(context).fake->gids)
    if (gid.port_num == port && gid.gid_index == index) {
      *entry = gid;
      return 0;
    }
  return ENODATA;
}

ibv_fork_status ibv_is_fork_initialized() { return IBV_FORK_UNNEEDED; }

int ibv_get_async_event(ibv_context* context, ibv_async_event* event) {
  const WorldGuard guard(world_lock);
  OpenDevice& device = of(context);
  if (device.events.empty()) {
    std::uint64_t lost;  // of queue pairs that are gone
    if (device.broken == 0 && read(device.async_fd, &lost, sizeof lost) < 0 && errno != EAGAIN)
      return -1;
    errno = device.broken != 0 ? device.broken : EAGAIN;
    return -1;
  }
  *event = device.events.front();
  device.events.pop_front();
  if (event->element.qp) ++static_cast<Pair*>(event->element.qp)->events;
  std::uint64_t count;
  if (device.events.empty() && read(device.async_fd, &count, sizeof count) < 0) return -1;
  return 0;
}

void ibv_ack_async_event(ibv_async_event* event) {
  const WorldGuard guard(world_lock);
  if (event->element.qp) --static_cast<Pair*>(event->element.qp)->events;
}

// --- memory

ibv_pd* ibv_alloc_pd(ibv_context* context) {
  const WorldGuard guard(world_lock);
  if (refuses("ibv_alloc_pd")) return nullptr;
  auto domain = std::make_unique<ibv_pd>();
  domain->context = context;
  return born(std::move(domain));
}

int ibv_dealloc_pd(ibv_pd* domain) { return bury<ibv_pd>(domain); }

ibv_mr*(ibv_reg_mr)(ibv_pd* domain, void* address, std::size_t bytes, int access) {
  const WorldGuard guard(world_lock);
  if (refuses("ibv_reg_mr")) return nullptr;
  auto region = std::make_unique<ibv_mr>();
  region->context = domain->context;
  region->pd = domain;
  region->addr = address;
  region->length = bytes;
  region->lkey = region->rkey = world.next_key++;
  world.regions[region->lkey] = {region.get(), access};
  return born(std::move(region));
}

ibv_mr* ibv_reg_mr_iova2(ibv_pd* domain, void* address, std::size_t bytes, std::uint64_t,
                         unsigned access) {
  return (ibv_reg_mr)(domain, address, bytes, static_cast<int>(access));
}

int ibv_dereg_mr(ibv_mr* region) {
  const WorldGuard guard(world_lock);
  world.regions.erase(region->lkey);
  return bury<ibv_mr>(region);
}

// --- queues

ibv_comp_channel* ibv_create_comp_channel(ibv_context* context) {
  const WorldGuard guard(world_lock);
  if (refuses("ibv_create_comp_channel")) return nullptr;
  auto channel = std::make_unique<Events>();
  channel->context = context;
  channel->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  return born(std::move(channel));
}

int ibv_destroy_comp_channel(ibv_comp_channel* channel) {
  close(channel->fd);
  return bury<Events>(channel);
}

int ibv_get_cq_event(ibv_comp_channel* base, ibv_cq** queue, void** context) {
  const WorldGuard guard(world_lock);
  auto& channel = *static_cast<Events*>(base);
  if (channel.waiting.empty()) {
    errno = EAGAIN;
    return -1;
  }
  *queue = channel.waiting.front();
  *context = nullptr;
  channel.waiting.pop_front();
  std::uint64_t count;
  if (channel.waiting.empty() && read(channel.fd, &count, sizeof count) < 0) return -1;
  return 0;
}

void ibv_ack_cq_events(ibv_cq*, unsigned) {}

ibv_cq* ibv_create_cq(ibv_context* context, int room, void*, ibv_comp_channel* channel, int) {
  const WorldGuard guard(world_lock);
  if (refuses("ibv_create_cq")) return nullptr;
  if (room < 1 || room > of(context).fake->limits.max_cqe) {
    errno = EINVAL;
    return nullptr;
  }
  auto queue = std::make_unique<Queue>();
  queue->context = context;
  queue->channel = channel;
  queue->cqe = room;
  return born(std::move(queue));
}

int ibv_resize_cq(ibv_cq* queue, int room) {
  const WorldGuard guard(world_lock);
  if (const int error = refusal_of("ibv_resize_cq")) return error;
  if (room > of(queue->context).fake->limits.max_cqe) return EINVAL;
  queue->cqe = room;
  return 0;
}

int ibv_destroy_cq(ibv_cq* queue) { return bury<Queue>(queue); }

ibv_srq* ibv_create_srq(ibv_pd* domain, ibv_srq_init_attr* wanted) {
  const WorldGuard guard(world_lock);
  if (refuses("ibv_create_srq")) return nullptr;
  auto queue = std::make_unique<SharedQueue>();
  queue->context = domain->context;
  queue->room = wanted->attr.max_wr;
  return born(std::move(queue));
}

int ibv_destroy_srq(ibv_srq* queue) { return bury<SharedQueue>(queue); }

// --- queue pairs

ibv_qp* ibv_create_qp(ibv_pd* domain, ibv_qp_init_attr* wanted) {
  const WorldGuard guard(world_lock);
  if (refuses("ibv_create_qp")) return nullptr;
  const FakeDevice& fake = *of(domain->context).fake;
  const auto most = static_cast<std::uint32_t>(fake.limits.max_qp_wr);
  if (wanted->cap.max_inline_data > fake.max_inline || wanted->cap.max_send_wr > most ||
      wanted->cap.max_recv_wr > most) {
    errno = EINVAL;
    return nullptr;
  }
  auto pair = std::make_unique<Pair>();
  pair->context = domain->context;
  pair->pd = domain;
  pair->send_cq = wanted->send_cq;
  pair->recv_cq = wanted->recv_cq;
  pair->srq = wanted->srq;
  pair->qp_type = wanted->qp_type;
  pair->room = wanted->cap;
  pair->qp_num = world.next_pair++;
  world.pairs[pair->qp_num] = pair.get();
  return born(std::move(pair));
}

int ibv_destroy_qp(ibv_qp* base) {
  end_events(*static_cast<Pair*>(base));
  const WorldGuard guard(world_lock);
  world.pairs.erase(base->qp_num);
  for (ibv_cq* const queue : {base->send_cq, base->recv_cq})
    std::erase_if(static_cast<Queue*>(queue)->entries,
                  [&](const Completed& completed) { return completed.pair == base; });
  return bury<Pair>(base);
}

int ibv_modify_qp(ibv_qp* base, ibv_qp_attr* to, int mask) {
  const WorldGuard guard(world_lock);
  auto& pair = *static_cast<Pair*>(base);
  static const std::map<ibv_qp_state, const char*> names{{IBV_QPS_INIT, "ibv_modify_qp to INIT"},
                                                         {IBV_QPS_RTR, "ibv_modify_qp to RTR"},
                                                         {IBV_QPS_RTS, "ibv_modify_qp to RTS"}};
  const auto name = names.find(to->qp_state);
  if (name != names.end())
    if (const int error = refusal_of(name->second)) return error;
  const bool follows = to->qp_state == IBV_QPS_RESET || to->qp_state == IBV_QPS_ERR ||
                       (to->qp_state == IBV_QPS_INIT && pair.now == IBV_QPS_RESET) ||
                       (to->qp_state == IBV_QPS_RTR && pair.now == IBV_QPS_INIT) ||
                       (to->qp_state == IBV_QPS_RTS && pair.now == IBV_QPS_RTR);
  if (!follows) return EINVAL;
  pair.now = to->qp_state;
  if ((mask & IBV_QP_QKEY) != 0) pair.queue_key = to->qkey;
  if ((mask & IBV_QP_PATH_MTU) != 0) pair.mtu = to->path_mtu;
  if ((mask & IBV_QP_DEST_QPN) != 0) pair.peer = to->dest_qp_num;
  if (pair.now == IBV_QPS_ERR) fail_pair(pair);
  if (pair.now == IBV_QPS_RESET) {
    pair.receives.clear();
    pair.freed = pair.posted;
  }
  return 0;
}

int ibv_query_ece(ibv_qp*, ibv_ece*) { return EOPNOTSUPP; }
int ibv_set_ece(ibv_qp*, ibv_ece*) { return EOPNOTSUPP; }

int ibv_query_qp_data_in_order(ibv_qp* pair, ibv_wr_opcode, std::uint32_t) {
  const WorldGuard guard(world_lock);
  return static_cast<Pair*>(pair)->now == IBV_QPS_RTS && of(pair->context).fake->in_order ? 1 : 0;
}

ibv_ah* ibv_create_ah(ibv_pd* domain, ibv_ah_attr*) {
  const WorldGuard guard(world_lock);
  if (refuses("ibv_create_ah")) return nullptr;
  auto handle = std::make_unique<ibv_ah>();
  handle->context = domain->context;
  return born(std::move(handle));
}

int ibv_destroy_ah(ibv_ah* handle) { return bury<ibv_ah>(handle); }

}  // extern "C"
}  // namespace tutti::tests::fake
