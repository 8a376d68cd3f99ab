#pragma once

#include "cluster/yarn/link/beat_rule.h"
#include "rt/async.h"
#include "rt/loop.h"
#include "rt/wait.h"

namespace muster::cluster::yarn {

/// Times the calls to the resource manager by the BeatRule. One coroutine waits for the next call;
/// a change can bring it forward.
class BeatTimer {
 public:
  explicit BeatTimer(rt::Loop& loop) : loop_(loop), woken_(loop) {}
  BeatTimer(BeatTimer&&) = delete;
  ~BeatTimer() { loop_.cancel(timer_); }

  /// A call has ended.
  void beaten() { rule_.beaten(loop_.now()); }
  /// What is requested, given back or granted has changed.
  void changed();
  /// Ends every wait, now and from now on.
  void stop();
  /// Returns when the next call is due.
  [[nodiscard]] rt::Async<> due();

 private:
  rt::Loop& loop_;
  BeatRule rule_;
  bool stopped_ = false;
  rt::TimerId timer_{};
  rt::Event woken_;
};

}  // namespace muster::cluster::yarn
