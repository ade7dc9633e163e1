// Calls that outlive the function that began them: their life, and the table of their handles.
#include "src/api/pending.hpp"

#include <numeric>
#include <set>

#include "src/api/stated.hpp"
#include "tests/src/api/one_rank.hpp"
#include "tests/src/data/types.hpp"

using namespace tutti;
using tests::check_error;
using tests::OneRank;

namespace {

Library& running() { return *library(); }

}  // namespace

TEST_CASE("a handle names its call until the call is removed") {
  const OneRank one;
  PendingCalls calls;
  const tutti_request first = calls.add(running(), one.object(), stated::barrier(), Form::once);
  const tutti_request second =
      calls.add(running(), one.object(), stated::barrier(), Form::persistent);
  REQUIRE(first != TUTTI_REQUEST_NULL);
  REQUIRE(first != second);
  CHECK(calls.find(first).form() == Form::once);
  CHECK(calls.find(second).form() == Form::persistent);
  CHECK(calls.places() == 2);
  calls.remove(first);
  check_error(Code::bad_request, "not a request of Tutti", [&] { calls.find(first); });
  CHECK(calls.find(second).belongs_to(one.object()));
}

TEST_CASE("a place is given away again, under another handle each time") {
  const OneRank one;
  PendingCalls calls;
  std::set<tutti_request> handles;
  for (int i = 0; i < 100; ++i) {
    const tutti_request handle = calls.add(running(), one.object(), stated::barrier(), Form::once);
    calls.find(handle);
    calls.remove(handle);
    CHECK(handles.insert(handle).second);
  }
  const tutti_request now = calls.add(running(), one.object(), stated::barrier(), Form::once);
  CHECK(calls.places() == 1);
  CHECK_FALSE(calls.find(now).active());
  // Another call has their place, and none of them names it.
  for (const tutti_request old : handles)
    check_error(Code::bad_request, "completed or freed", [&] { calls.find(old); });
}

TEST_CASE("what is no handle is an error, whatever its bits") {
  const OneRank one;
  PendingCalls calls;
  const tutti_request handle = calls.add(running(), one.object(), stated::barrier(), Form::once);
  const auto bits = reinterpret_cast<std::uint64_t>(handle);
  for (const std::uint64_t wrong : {std::uint64_t{0}, bits + 1, bits ^ (std::uint64_t{1} << 33),
                                    ~std::uint64_t{0}, std::uint64_t{1}}) {
    INFO(std::hex << wrong);
    check_error(Code::bad_request, "not a request",
                [&] { calls.find(reinterpret_cast<tutti_request>(wrong)); });
  }
}

TEST_CASE(
    "a call is inactive until it starts and from its end on, and a persistent one starts "
    "again") {
  const OneRank one;
  int sent = 41, received = 0;
  Pending call(running(), one.object(), stated::allreduce(&sent, &received, 1, MPI_INT, MPI_SUM),
               Form::persistent);
  for (int turn = 0; turn < 3; ++turn) {
    CHECK_FALSE(call.active());
    CHECK_FALSE(call.ended());
    received = 0;
    ++sent;
    call.start(running());
    CHECK(call.active());
    call.look();
    CHECK(call.ended());
    call.finish();
    CHECK(received == sent);
  }
  CHECK_FALSE(call.active());
}

TEST_CASE("what is wrong with an argument shows where a call is prepared") {
  const OneRank one;
  int data = 0;
  PendingCalls calls;
  check_error(Code::bad_root, "(bcast_init): the root is 5", [&] {
    calls.add(running(), one.object(), stated::bcast(&data, 1, MPI_INT, 5), Form::persistent);
  });
  CHECK(one.object().persistent == 0);
}

TEST_CASE("what becomes wrong with an argument shows at the start, and again at the next") {
  const OneRank one;
  int data = 0, gathered = 0;
  MPI_Count count = 1;
  const MPI_Count displacement = 0;
  Pending call(running(), one.object(),
               stated::allgatherv(&data, 1, MPI_INT, &gathered, &count, &displacement, MPI_INT),
               Form::persistent);
  count = -1;
  for (int turn = 0; turn < 2; ++turn) {
    check_error(Code::bad_count, "", [&] { call.start(running()); });
    CHECK_FALSE(call.active());
  }
}

TEST_CASE("a call goes on with a datatype that the program has freed") {
  const OneRank one;
  std::vector<int> from(8), to(4, -1);
  std::iota(from.begin(), from.end(), 0);
  MPI_Datatype type = tests::every_other_int_of_four();
  MPI_Type_commit(&type);
  Pending call(running(), one.object(),
               stated::allgather(from.data(), 2, type, to.data(), 4, MPI_INT), Form::persistent);
  MPI_Type_free(&type);
  call.start(running());
  call.finish();
  CHECK(to == std::vector<int>{0, 2, 4, 6});
}

TEST_CASE("a call that is settled needs no communicator, and tells of its end when it is asked") {
  const OneRank one;
  const OneRank other;
  PendingCalls calls;
  int sent = 3, received = 0;
  const tutti_request handle =
      calls.add(running(), one.object(), stated::allreduce(&sent, &received, 1, MPI_INT, MPI_SUM),
                Form::once);
  Pending& call = calls.find(handle);
  call.start(running());
  calls.settle(other.object());
  CHECK(call.active());
  call.claimant = &calls;
  check_error(Code::bad_request, "thread waits for a request", [&] { calls.settle(one.object()); });
  call.claimant = nullptr;
  calls.settle(one.object());
  CHECK(call.active());
  CHECK(call.ended());
  CHECK(received == 3);
  call.finish();
  CHECK_FALSE(call.active());
}

TEST_CASE("a freed communicator stays as long as persistent requests need it") {
  OneRank one;
  tutti_comm_object& object = one.object();
  PendingCalls calls;
  int sent = 1, received = 0;
  const Arguments arguments = stated::allreduce(&sent, &received, 1, MPI_INT, MPI_SUM);
  const tutti_request first = calls.add(running(), object, arguments, Form::persistent),
                      second = calls.add(running(), object, arguments, Form::persistent),
                      begun = calls.add(running(), object, arguments, Form::once);
  CHECK(object.persistent == 2);
  calls.remove(begun);
  one.free();
  CHECK_FALSE(object.communicator);
  REQUIRE(object.kept);
  calls.find(first).start(running());
  calls.find(first).finish();
  CHECK(received == 1);
  calls.remove(first);
  CHECK(object.kept);
  calls.remove(second);
  CHECK_FALSE(object.kept);
  CHECK(object.persistent == 0);
}
