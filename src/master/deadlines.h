#pragma once

#include "job/action.h"
#include "master/job_clock.h"
#include "rt/loop.h"

#include <functional>
#include <map>
#include <memory>

namespace muster::master {

/// The machine's deadlines as timers of the loop. After a stall a timer may fire late, but never
/// early.
class Deadlines {
 public:
  using OnPassed = std::function<void(job::DeadlineId)>;

  Deadlines(rt::Loop& loop, const JobClock& clock, OnPassed on_passed)
      : loop_(loop), clock_(clock), on_passed_(std::move(on_passed)) {}
  ~Deadlines();
  Deadlines(const Deadlines&) = delete;
  Deadlines& operator=(const Deadlines&) = delete;

  void set(const job::SetDeadline& deadline);
  void clear(job::DeadlineId deadline);
  void clear_all();

 private:
  rt::Loop& loop_;
  const JobClock& clock_;
  OnPassed on_passed_;
  std::map<job::DeadlineId, rt::TimerId> timers_;
};

}  // namespace muster::master
