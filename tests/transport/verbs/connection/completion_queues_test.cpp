// Completion queues that grow, and those that the device does not let grow.
#include "transport/verbs/connection/completion_queues.hpp"

#include <catch2/catch.hpp>
#include <cerrno>

#include "base/error.hpp"
#include "tests/transport/verbs/fake_verbs.hpp"
#include "transport/verbs/device/queue_pair.hpp"

using namespace tutti;
using namespace tutti::transport::verbs;

namespace {

struct Adapter {
  tests::FakeVerbs fake{};
  explicit Adapter(int max_cqe = 1 << 20) { fake[0].limits.max_cqe = max_cqe; }
  Device opened() const {
    return {{}, [](std::string_view) {}};
  }
};

}  // namespace

TEST_CASE("a completion queue grows before it could overflow", "[verbs]") {
  const Adapter adapter;
  const Device device = adapter.opened();
  CompletionQueues queues(device, 1000);
  const int first = queues.first()->cqe;
  CHECK(first > 1000);
  // Completions that are reserved are in use.
  CHECK(queues.room_for(first - 1000)->cqe == first);
  CHECK(queues.room_for(first - 999)->cqe == 2 * first);
  int used = 1000;
  for (int i = 0; i < 100; ++i) {
    CHECK(queues.room_for(500) == queues.first());
    queues.take(500);
    used += 500;
    CHECK(queues.first()->cqe >= used);
  }
  CHECK(queues.size() == 1);
}

TEST_CASE("what is asked for and not taken needs no room", "[verbs]") {
  const Adapter adapter;
  const Device device = adapter.opened();
  CompletionQueues queues(device);
  const int first = queues.first()->cqe;
  for (int i = 0; i < 1000; ++i) queues.room_for(first / 10);
  CHECK(queues.first()->cqe == first);
}

TEST_CASE("where a completion queue cannot grow, the next one is as large as all before",
          "[verbs]") {
  Adapter adapter;
  const Device device = adapter.opened();
  adapter.fake.refuse("ibv_resize_cq", ENOSYS);
  CompletionQueues queues(device);
  const int first = queues.first()->cqe;
  queues.room_for(first);
  queues.take(first);
  ibv_cq* const second = queues.room_for(10);
  CHECK(second != queues.first());
  CHECK(queues.size() == 2);
  CHECK(second->cqe == first);
  queues.take(first);
  CHECK(queues.room_for(10)->cqe == 2 * first);
}

TEST_CASE("a completion queue is no longer than the device allows", "[verbs]") {
  const Adapter adapter(100);
  const Device device = adapter.opened();
  CompletionQueues queues(device);
  CHECK(queues.first()->cqe == 100);
  queues.room_for(100);
  queues.take(100);
  CHECK(queues.room_for(1) != queues.first());
  try {
    queues.room_for(101);
    FAIL("there is no such queue");
  } catch (const Error& error) {
    CHECK(error.code == Code::out_of_memory);
    CHECK_THAT(error.message, Catch::Contains("at most 100 entries, and a connection needs 101"));
  }
}

TEST_CASE("there are only so many completion queues", "[verbs]") {
  const Adapter adapter(10);
  const Device device = adapter.opened();
  CompletionQueues queues(device);
  CHECK_THROWS_AS(
      [&] {
        for (int i = 0; i < 1000; ++i) {
          queues.room_for(10);
          queues.take(10);
        }
      }(),
      Error);
  CHECK(queues.size() == 256);
  CHECK(adapter.fake.alive() == 2 + 256);  // with the device and its domain
}

TEST_CASE("a completion queue that is refused leaves the others as they were", "[verbs]") {
  Adapter adapter;
  const Device device = adapter.opened();
  adapter.fake.refuse("ibv_resize_cq", ENOSYS);
  CompletionQueues queues(device);
  const int first = queues.first()->cqe;
  queues.take(first);
  adapter.fake.refuse("ibv_create_cq", ENOMEM, 1);
  CHECK_THROWS_AS(queues.room_for(1), Error);
  CHECK(queues.size() == 1);
  queues.room_for(1);
  CHECK(queues.size() == 2);
}

TEST_CASE("completions of all queues are taken, in their order", "[verbs]") {
  Adapter adapter;
  const Device device = adapter.opened();
  adapter.fake.refuse("ibv_resize_cq", ENOSYS);
  CompletionQueues queues(device);
  // Pairs that fail give back what they were given: more at once than is polled at once.
  std::vector<QueuePair> pairs;
  std::vector<std::uint64_t> expected;
  for (std::uint64_t pair = 0; pair < 3; ++pair) {
    ibv_qp_init_attr wanted{};
    wanted.recv_cq = wanted.send_cq = queues.room_for(40);
    wanted.cap = {1, 40, 1, 1, 0};
    wanted.qp_type = IBV_QPT_RC;
    pairs.push_back(create_queue_pair(device, wanted));
    queues.take(pair == 0 ? queues.first()->cqe : 40);
    initialize(device, pairs.back().get());
    for (std::uint64_t i = 0; i < 40; ++i) {
      ibv_recv_wr wr{100 * pair + i, nullptr, nullptr, 0}, *bad = nullptr;
      REQUIRE(ibv_post_recv(pairs.back().get(), &wr, &bad) == 0);
      expected.push_back(wr.wr_id);
    }
  }
  CHECK(queues.size() == 2);
  for (const QueuePair& pair : pairs) adapter.fake.break_pair(pair->qp_num);
  std::vector<std::uint64_t> taken;
  const auto take = [&](const ibv_wc& completion) { taken.push_back(completion.wr_id); };
  CHECK(queues.poll(take));
  CHECK(taken == expected);
  CHECK_FALSE(queues.poll(take));
  CHECK_FALSE(adapter.fake.overflowed());
}
