// Which calls advance, and by whom.
#include "src/job/calls_under_way.hpp"

#include <catch2/catch.hpp>
#include <deque>
#include <string>

#include "tests/src/job/hostile_job.hpp"

using namespace tutti;
using namespace tutti::tests;

namespace {

// Ends after some steps.
struct SteppedCall final : OpenCall {
  SteppedCall(Communicator& the_communicator, int the_steps, bool needs = false)
      : communicator(the_communicator), left(the_steps), needs_program(needs) {
    communicator.agreement().open(*this);
    communicator.engine().calls().began(needs_program);
  }
  void advance() noexcept override {
    ++advanced;
    if (--left == 0) end();
  }
  void advance_apart() noexcept override { ++advanced_apart; }
  void end() noexcept {
    communicator.agreement().close(*this);
    communicator.engine().calls().ended(needs_program);
  }
  Communicator& communicator;
  int left, advanced = 0, advanced_apart = 0;
  const bool needs_program;
};

// Lets the thread go on until it has advanced a call once more.
void wait_for_more(std::unique_lock<std::mutex>& lock, const int& advanced) {
  for (const int before = advanced; advanced == before;) {
    lock.unlock();
    std::this_thread::yield();
    lock.lock();
  }
}

}  // namespace

TEST_CASE("while one call is looked for, the others advance", "[calls_under_way]") {
  Job job(1, {});
  CallsUnderWay& calls = job.engine(0).calls();
  SteppedCall first(job.world(0), 3), second(job.world(0), 3);
  calls.advance_others(first);
  CHECK(first.advanced == 0);
  CHECK(second.advanced == 1);
  calls.advance_others(second);
  CHECK(first.advanced == 1);
  SECTION("by one that has just ended") {
    first.end();
    calls.advance_others(first, false);
    CHECK(second.advanced == 2);
    second.end();
  }
  SECTION("until they have ended") {
    calls.advance_others(first);
    calls.advance_others(first);
    CHECK(second.left == 0);
    calls.advance_others(first);
    CHECK(second.advanced == 3);
    CHECK(first.advanced == 1);
    first.end();
  }
}

TEST_CASE("so many of the oldest calls advance at a time", "[calls_under_way]") {
  Job job(1, {});
  CallsUnderWay& calls = job.engine(0).calls();
  std::deque<SteppedCall> many;
  for (int i = 0; i < 200; ++i) many.emplace_back(job.world(0), 2);
  calls.advance_others(many.back());
  calls.progress(true);
  CHECK(many.front().advanced == 2);
  CHECK(many[1].left == 0);
  CHECK(many[150].advanced == 0);
  CHECK(calls.ended_so_far() < 100);
  while (calls.progress(true)) continue;
  CHECK(calls.ended_so_far() == 200);
  CHECK(many[150].left == 0);
}

TEST_CASE("progress says whether a call is under way", "[calls_under_way]") {
  Job job(1, {});
  CallsUnderWay& calls = job.engine(0).calls();
  CHECK_FALSE(calls.progress(true));
  SteppedCall call(job.world(0), 2);
  CHECK(calls.progress(false));  // the program's functions may not be called
  CHECK(call.advanced == 0);
  CHECK(call.advanced_apart == 1);
  CHECK(calls.progress(true));
  CHECK_FALSE(calls.progress(true));
  CHECK(call.advanced == 2);
  CHECK_FALSE(calls.progress(true));
}

TEST_CASE("a thread advances what is left alone, if there may be one",
          "[calls_under_way][threads]") {
  Configuration settings = Job::settings();
  SECTION("none by itself") {
    settings.progress = Progress::calls;
    Job job(1, {}, settings);
    job.engine(0).calls().want_thread();
    CHECK(std::string(job.engine(0).calls().progress_by()) == "calls");
  }
  SECTION("from the start, or once it is wanted") {
    settings.progress = GENERATE(Progress::thread, Progress::automatic);
    Job job(1, {}, settings, true);
    CallsUnderWay& calls = job.engine(0).calls();
    if (settings.progress == Progress::automatic) {
      CHECK(std::string(calls.progress_by()) == "calls");
      calls.want_thread();
    }
    CHECK(std::string(calls.progress_by()).starts_with("thread"));
    std::unique_lock lock = job.engine(0).enter();
    SteppedCall call(job.world(0), 1000);
    calls.leave_alone();
    wait_for_more(lock, call.advanced_apart);
    CHECK(call.advanced == 0);
    call.end();
    lock.unlock();
    calls.end_thread();
    CHECK(std::string(calls.progress_by()) == "calls");
  }
}

TEST_CASE("below MPI_THREAD_MULTIPLE the thread calls functions while they are lent",
          "[calls_under_way][threads]") {
  Configuration settings = Job::settings();
  settings.progress = Progress::thread;
  Job job(1, {}, settings, true);
  CallsUnderWay& calls = job.engine(0).calls();
  std::unique_lock lock = job.engine(0).enter();
  CHECK_FALSE(calls.need_program());
  SteppedCall call(job.world(0), 1 << 30, true);
  CHECK(calls.need_program());
  calls.leave_alone();
  wait_for_more(lock, call.advanced_apart);
  CHECK(call.advanced == 0);
  calls.lend_program();
  calls.lend_program();
  calls.end_loan();
  wait_for_more(lock, call.advanced);
  calls.end_loan();
  const int in_loan = call.advanced;
  wait_for_more(lock, call.advanced_apart);
  CHECK(call.advanced == in_loan);
  call.end();
  CHECK_FALSE(calls.need_program());
}
