// Waiting: how a rank waits for others. It spins briefly, then yields its core, then sleeps; and
// meanwhile it handles whatever else arrives, probes whether the peers are alive, and keeps the
// user's time limit. With more ranks than cores the job stays fast only if waiting ranks yield.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>

#include "base/function_ref.hpp"
#include "base/yielder.hpp"
#include "src/news/agreement.hpp"
#include "src/news/connections.hpp"
#include "src/news/hang_report.hpp"

namespace tutti {

// How long a rank has waited. One for each wait.
struct WaitState {
  std::uint32_t polls = 0, yields = 0;
  Agreement::Time since{}, looked{}, probed{};  // the first look at the clock, the last, the probe
  bool reported = false;                        // that it takes long
  bool parting = false;  // a peer waited for has left: what it sent before is looked at once more
  CollectiveNumber of = 0;  // the call for which that is
};

class Waiting {
 public:
  struct Settings {
    std::uint32_t spin = 0;  // polls before the core is given away
    std::chrono::milliseconds probe_interval{200};
    std::chrono::milliseconds timeout{0};       // 0: none
    std::chrono::milliseconds report_after{0};  // 0: never
    Log report;                                 // takes why a call hangs; null: nobody does
    FindAgreement find;                         // names the communicators in it; null: nobody can
    // Lets the MPI around us move what the program has pending there. Called now and then by a rank
    // that waits, without the lock where it yields its core. Null: nothing to call.
    std::function<void()> drive_others;
    // Drives them whenever it yields its core, and never sleeps: always, or as long as the number
    // is not 0. Null: there is none.
    bool drives_always = false;
    bool naps = true;  // where a yield takes long: see Yielder
    const std::atomic<int>* drives_while = nullptr;
  };
  // `lock` is held while a call runs, and free while it yields its core; null: one thread only.
  Waiting(Connections& connections, Settings settings, std::mutex* lock)
      : connections_(connections),
        settings_(std::move(settings)),
        lock_(lock),
        yielder_(settings_.naps) {}

  // One pause of `call`, whose `steps` wait for the channels that steps.each_waiting() visits, and
  // know by steps.fits() what they can receive (see Run). False: the communicator has failed, and
  // nothing more will come.
  template <class Steps>
  bool wait_once(WaitState& wait_state, Agreement& agreement, const OpenCall& call,
                 Steps& steps) noexcept {
    // The message that came may be the awaited one: look before yielding the core.
    if (connections_.progress_transports() && !agreement.failed()) return true;
    if (++wait_state.polls % kPollsPerLook != 0 && wait_state.polls < settings_.spin) {
      cpu_relax();
      return true;
    }
    if (wait_state.polls % kPollsPerDrive == 0) {
      drive_without_lock();
      return !agreement.failed();
    }
    steps.each_waiting([](protocols::Channel& channel) { channel.progress(); });
    if (wait_state.polls < settings_.spin) return !agreement.failed();
    return yield_core(wait_state, agreement,
                      {call, [&](Visit visit) { steps.each_waiting(visit); },
                       [&](protocols::Channel& channel) { return steps.fits(channel); }});
  }

  // One look at what has come for a call that nobody waits for just now. The core is given away
  // only if ranks outnumber the cores, and then for a moment. No limit on waiting counts, and no
  // report.
  template <class Steps>
  void look_once(WaitState& wait_state, Agreement& agreement, const OpenCall& call,
                 Steps& steps) noexcept {
    if (connections_.progress_transports() && !agreement.failed()) return;
    steps.each_waiting([](protocols::Channel& channel) { channel.progress(); });
    if (settings_.spin != 0 && ++wait_state.polls % kPollsPerLook != 0) return;
    look_around(wait_state, agreement,
                {call, [&](Visit visit) { steps.each_waiting(visit); },
                 [&](protocols::Channel& channel) { return steps.fits(channel); }});
  }

  void drive_others() const {
    if (settings_.drive_others) settings_.drive_others();
  }
  // With the lock, which is free meanwhile: the MPI may call functions of the program's, and these
  // may call Tutti.
  void drive_without_lock() const {
    if (lock_) lock_->unlock();
    drive_others();
    if (lock_) lock_->lock();
  }
  // For a rank that waits for something else.
  void yield() noexcept { yielder_.yield(); }
  bool may_nap() const noexcept { return yielder_.may_nap(); }

 private:
  using Visit = FunctionRef<void(protocols::Channel&)>;
  // The waiting call, and the channels that it waits for.
  struct Waiter {
    const OpenCall& call;
    FunctionRef<void(Visit)> each_waiting;
    FunctionRef<bool(protocols::Channel&)> fits;
  };
  bool others_are_pressing() const noexcept {
    return settings_.drives_always || (settings_.drives_while && *settings_.drives_while != 0);
  }

  static constexpr std::uint32_t kPollsPerLook = 64, kPollsPerDrive = 64 * kPollsPerLook;

  bool yield_core(WaitState& wait_state, Agreement& agreement, const Waiter& waiter) noexcept;
  void look_around(WaitState& wait_state, Agreement& agreement, const Waiter& waiter) noexcept;
  void housekeeping(WaitState& wait_state, Agreement& agreement, const Waiter& waiter) noexcept;
  void keep_limits(WaitState& wait_state, Agreement& agreement, const Waiter& waiter) noexcept;
  void report(WaitState& wait_state, const Agreement& agreement, const Waiter& waiter) noexcept;
  std::string reason(const WaitState& wait_state, const Agreement& agreement,
                     const Waiter& waiter) const noexcept;
  void look_for_misfits(Agreement& agreement, const Waiter& waiter) noexcept;

  Connections& connections_;
  const Settings settings_;
  std::mutex* const lock_;
  Yielder yielder_;
};

}  // namespace tutti
