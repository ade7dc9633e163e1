// Queue pairs that devices grant, and the steps that they refuse.
#include "transport/verbs/device/queue_pair.hpp"

#include <catch2/catch.hpp>
#include <cerrno>

#include "base/error.hpp"
#include "tests/transport/verbs/fake_verbs.hpp"

using namespace tutti;
using namespace tutti::transport::verbs;

namespace {

struct Maker {
  tests::FakeVerbs fake{};
  Device device{{}, [](std::string_view) {}};
  CompletionQueue queue{ibv_create_cq(device.context(), 64, nullptr, nullptr, 0)};
  ibv_qp_init_attr wanted(ibv_qp_type type, std::uint32_t inline_bytes) const {
    ibv_qp_init_attr result{};
    result.send_cq = result.recv_cq = queue.get();
    result.qp_type = type;
    result.cap = {8, 8, 1, 1, inline_bytes};
    return result;
  }
  QueuePair make(ibv_qp_type type) const {
    ibv_qp_init_attr attributes = wanted(type, 0);
    return create_queue_pair(device, attributes);
  }
};

template <class Step>
Error error_of_step(Step&& step) {
  try {
    step();
  } catch (const Error& error) {
    return error;
  }
  FAIL("the step was taken");
  throw;
}

constexpr ReliablePath path_to_rank(int peer, std::uint32_t queue_pair) {
  return {peer, {}, IBV_MTU_1024, queue_pair, 1, 2, 14, 6, 6};
}

}  // namespace

TEST_CASE("a queue pair has as much inline data as the device grants", "[verbs]") {
  Maker maker;
  maker.fake[0].max_inline = 100;
  ibv_qp_init_attr wanted = maker.wanted(IBV_QPT_RC, 512);
  CHECK(create_queue_pair(maker.device, wanted));
  CHECK(wanted.cap.max_inline_data == 64);
  maker.fake[0].max_inline = 16;
  wanted = maker.wanted(IBV_QPT_RC, 512);
  CHECK(error_of_step([&] { create_queue_pair(maker.device, wanted); }).system_errno == EINVAL);
}

TEST_CASE("a queue pair for which memory lacks says so", "[verbs]") {
  Maker maker;
  maker.fake.refuse("ibv_create_qp", ENOMEM);
  for (const auto& [type, name] :
       {std::pair{IBV_QPT_RC, "creating a queue pair"}, {IBV_QPT_UD, "creating a UD queue pair"}}) {
    const Error error = error_of_step([&, kind = type] { maker.make(kind); });
    CHECK((error.code == Code::out_of_memory || error.code == Code::locked_memory));
    CHECK_THAT(error.message, Catch::StartsWith(name));
  }
}

TEST_CASE("a step that is refused names the state and the kind", "[verbs]") {
  Maker maker;
  const QueuePair datagrams = maker.make(IBV_QPT_UD), reliable = maker.make(IBV_QPT_RC);
  maker.fake.refuse("ibv_modify_qp to INIT", EIO, 1);
  const Error init = error_of_step([&] { initialize(maker.device, datagrams.get()); });
  CHECK(init.code == Code::transport_failed);
  CHECK_THAT(init.message, Catch::Contains("a queue pair (UD) cannot reach the state INIT"));
  // Not from RESET to RTR.
  CHECK_THAT(error_of_step([&] { make_ready(datagrams.get()); }).message,
             Catch::Contains("the state RTR"));
  initialize(maker.device, datagrams.get());
  make_ready(datagrams.get());
  reset(datagrams.get());
  initialize(maker.device, datagrams.get());
  initialize(maker.device, reliable.get());
  maker.fake.refuse("ibv_modify_qp to RTS", EIO, 1);
  const Error sends =
      error_of_step([&] { make_ready(reliable.get(), path_to_rank(7, reliable->qp_num)); });
  CHECK(sends.code == Code::transport_failed);
  CHECK(sends.peer == 7);
  CHECK_THAT(sends.message, Catch::Contains("a queue pair (RC) cannot reach the state RTS"));
}

TEST_CASE("a peer to which there is no path is unreachable", "[verbs]") {
  Maker maker;
  const QueuePair pair = maker.make(IBV_QPT_RC);
  initialize(maker.device, pair.get());
  maker.fake.refuse("ibv_modify_qp to RTR", EHOSTUNREACH, 1);
  const Error error = error_of_step([&] { make_ready(pair.get(), path_to_rank(3, 5)); });
  CHECK(error.code == Code::unreachable);
  CHECK(error.peer == 3);
  CHECK(error.system_errno == EHOSTUNREACH);
  CHECK_THAT(error.message, Catch::Contains("no path to rank 3"));
  make_ready(pair.get(), path_to_rank(3, 5));  // the next try
}
