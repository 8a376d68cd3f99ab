#pragma once

#include "base/log.h"
#include "eventlog/log_writer.h"
#include "job/machine.h"
#include "master/job_clock.h"
#include "rt/loop.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace muster::master {

/// The heart of the master: takes facts in, applies each at once, writes it to the log, and lets go
/// what came out when the fact is there, in order.
///
/// While the log cannot be written facts are still applied and kept, and everything that waits for
/// them waits: agents and tasks go on by themselves. After close() it takes nothing in and lets
/// nothing go.
class Decider {
 public:
  struct Released {
    eventlog::Record record;
    std::vector<job::Action> actions;
    /// The view that this fact brought, encoded as a frame for all agents; nullptr for none. Goes
    /// out before the actions.
    std::shared_ptr<const std::string> view;
  };
  using OnReleased = std::function<void(const Released&)>;

  struct Start {
    job::Machine machine;
    JobClock clock;
    uint64_t next_index = 0;
    eventlog::Header header;  ///< Of this master's segment, which exists.
  };

  Decider(rt::Loop& loop, eventlog::SegmentStore& segments, const log::Logger& log, Start start,
          OnReleased on_released);

  /// Takes in what happened. Returns the record's index.
  uint64_t enter(job::Fact fact);

  [[nodiscard]] const job::Machine& machine() const { return machine_; }
  [[nodiscard]] const JobClock& clock() const { return clock_; }
  [[nodiscard]] const eventlog::LogWriter& writer() const { return writer_; }
  /// The view that agents should have now: that of the newest released fact; nullptr before the
  /// first.
  [[nodiscard]] const std::shared_ptr<const std::string>& view() const { return view_; }
  void close() { closed_ = true; }
  [[nodiscard]] bool closed() const { return closed_; }

 private:
  void release(uint64_t next_index);
  [[nodiscard]] std::shared_ptr<const std::string> new_view();

  rt::Loop& loop_;
  log::Logger log_;
  job::Machine machine_;
  JobClock clock_;
  uint64_t next_index_;
  OnReleased on_released_;
  std::deque<Released> waiting_;  ///< Facts that are not in the log yet.
  job::Generation viewed_;        ///< The generation of the newest view in `waiting_` or before.
  std::shared_ptr<const std::string> view_;
  bool closed_ = false;
  eventlog::LogWriter writer_;
};

}  // namespace muster::master
