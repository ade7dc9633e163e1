// The devices, and what a test does to them.
#include "tests/transport/verbs/fake_verbs.hpp"

#include <arpa/inet.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <utility>

#include "tests/transport/verbs/fake_world.hpp"

namespace tutti::tests {

using fake::Completed;
using fake::OpenDevice;
using fake::world;
using fake::WorldGuard;

FakeDevice::FakeDevice(const std::string& name, int address) {
  std::strncpy(device.name, name.c_str(), sizeof device.name - 1);
  device.node_type = IBV_NODE_CA;
  device.transport_type = IBV_TRANSPORT_IB;
  limits.vendor_id = 0x15b3;
  limits.phys_port_cnt = 1;
  limits.max_qp = 1 << 16;
  limits.max_qp_wr = 1 << 14;
  limits.max_cqe = 1 << 16;
  limits.max_sge = 16;
  limits.max_srq = 1 << 10;
  limits.max_srq_wr = 1 << 14;
  ibv_port_attr port{};
  port.state = IBV_PORT_ACTIVE;
  port.link_layer = IBV_LINK_LAYER_ETHERNET;
  port.active_mtu = IBV_MTU_1024;
  port.max_msg_sz = 1u << 30;
  port.gid_tbl_len = 8;
  port.pkey_tbl_len = 1;
  port.active_width = 2;
  port.active_speed = 32;
  ports.push_back(port);
  ibv_gid_entry gid{};
  gid.port_num = 1;
  gid.gid_type = IBV_GID_TYPE_ROCE_V2;
  gid.gid.raw[10] = gid.gid.raw[11] = 0xff;
  const std::uint32_t ipv4 = htonl(0x7f000000u + static_cast<std::uint32_t>(address));
  std::memcpy(gid.gid.raw + 12, &ipv4, sizeof ipv4);
  gids.push_back(gid);
}

FakeVerbs::FakeVerbs(const std::vector<std::string>& names) {
  for (const std::string& name : names)
    devices_.emplace_back(name, static_cast<int>(devices_.size()) + 1);
  const WorldGuard guard(fake::world_lock);
  REQUIRE(!world.devices);
  world.devices = &devices_;
}

FakeVerbs::~FakeVerbs() {
  const WorldGuard guard(fake::world_lock);
  world = {};
}

void FakeVerbs::refuse(const std::string& function, int error, int times) {
  const WorldGuard guard(fake::world_lock);
  world.refusals[function] = {error, times};
}

void FakeVerbs::refuse_kth(int k) {
  const WorldGuard guard(fake::world_lock);
  world.kth = k;
  world.refused_kth = false;
}

bool FakeVerbs::refused_kth() const {
  const WorldGuard guard(fake::world_lock);
  return world.refused_kth;
}

void FakeVerbs::hold(bool on) {
  const WorldGuard guard(fake::world_lock);
  world.holds = on;
  if (on) return;
  for (const auto& [number, pair] : world.pairs)
    for (const Completed& completed : std::exchange(pair->held, {}))
      fake::complete(pair->send_cq, completed);
}

void FakeVerbs::lose(std::function<bool(std::uint32_t)> loses) {
  const WorldGuard guard(fake::world_lock);
  world.loses = std::move(loses);
}

void FakeVerbs::report(std::size_t device, ibv_event_type type, std::uint32_t queue_pair) {
  const WorldGuard guard(fake::world_lock);
  ibv_async_event event{};
  event.event_type = type;
  if (queue_pair != 0) event.element.qp = world.pairs.at(queue_pair);
  for (OpenDevice* const context : world.open)
    if (context->fake == &devices_[device]) {
      context->events.push_back(event);
      fake::wake_file(context->async_fd);
    }
}

void FakeVerbs::break_events(std::size_t device, int error) {
  const WorldGuard guard(fake::world_lock);
  for (OpenDevice* const context : world.open)
    if (context->fake == &devices_[device]) {
      context->broken = error;
      fake::wake_file(context->async_fd);
    }
}

void FakeVerbs::break_pair(std::uint32_t queue_pair) {
  const WorldGuard guard(fake::world_lock);
  fake::fail_pair(*world.pairs.at(queue_pair));
}

ibv_mtu FakeVerbs::mtu_of(const ibv_qp* queue_pair) const {
  const WorldGuard guard(fake::world_lock);
  return world.pairs.at(queue_pair->qp_num)->mtu;
}

bool FakeVerbs::overflowed() const {
  const WorldGuard guard(fake::world_lock);
  return world.overflowed;
}

int FakeVerbs::alive() const {
  const WorldGuard guard(fake::world_lock);
  return world.alive;
}

bool FakeVerbs::is_registered(std::uint32_t key, int access) const {
  const WorldGuard guard(fake::world_lock);
  const auto found = world.regions.find(key);
  return found != world.regions.end() && found->second.second == access;
}

}  // namespace tutti::tests
