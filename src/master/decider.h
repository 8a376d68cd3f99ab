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
#include <optional>
#include <string>
#include <vector>

namespace muster::master {

/// The heart of the master: takes facts in, applies each at once, writes it to the log, and
/// releases what came out when the fact is there, in order.
///
/// While the log cannot be written facts are still applied and kept, and everything that waits for
/// them waits: agents and tasks go on by themselves. Only an end does not wait for ever (ADR 0008):
/// what ends tasks of a job that somebody stopped goes after kStopPatience, and everything that
/// ends the job after kEndPatience. After close() it takes nothing in and releases nothing.
class Decider {
 public:
  struct Released {
    eventlog::Record record;
    std::vector<job::Action> actions;
    /// The view that this fact brought, encoded as a frame for all agents; nullptr if none. Sent
    /// before the actions.
    std::shared_ptr<const std::string> view;
  };
  struct Handlers {
    std::function<void(const Released&)> released;
    /// An action to be performed before its fact is in the log.
    std::function<void(const job::Action&)> ahead;
    /// The log has become unwritable, or writable again: writer().trouble() says which.
    std::function<void()> log_changed;
    /// The job is ending and its log cannot be written: space was reserved for this.
    std::function<void()> make_room;
    /// Closes this decider if a newer master is in charge; called when the log cannot be written,
    /// and each time before something is released without it.
    std::function<void()> check_fence;
  };

  static constexpr Duration kStopPatience = std::chrono::seconds(5);
  static constexpr Duration kEndPatience = std::chrono::minutes(1);

  struct Start {
    job::Machine machine;
    JobClock clock;
    uint64_t next_index = 0;
    eventlog::Header header;  ///< Of this master's segment, which exists.
  };

  Decider(rt::Loop& loop, eventlog::SegmentStore& segments, const log::Logger& log, Start start,
          Handlers handlers);
  ~Decider() { loop_.cancel(stuck_timer_); }
  Decider(const Decider&) = delete;
  Decider& operator=(const Decider&) = delete;

  /// Enters what happened as a fact. Returns the record's index.
  uint64_t enter(job::Fact fact);

  /// Of this master's segment.
  [[nodiscard]] const eventlog::Header& header() const { return header_; }
  [[nodiscard]] const job::Machine& machine() const { return machine_; }
  [[nodiscard]] const JobClock& clock() const { return clock_; }
  [[nodiscard]] const eventlog::LogWriter& writer() const { return writer_; }
  /// The view that agents should have now, that of the newest released fact; nullptr before the
  /// first.
  [[nodiscard]] const std::shared_ptr<const std::string>& view() const { return view_; }
  void close() {
    closed_ = true;
    loop_.cancel(stuck_timer_);
  }
  /// Returns whether there is no fact yet, from this master or an earlier one.
  [[nodiscard]] bool fresh() const { return next_index_ == 0; }
  [[nodiscard]] bool closed() const { return closed_; }
  /// Returns whether every fact that the machine knows is in the log, or was abandoned with it.
  [[nodiscard]] bool all_released() const { return waiting_.empty(); }

 private:
  void release(uint64_t next_index);
  void release_first();
  void on_log_changed();
  void watch_stuck_end();
  void stop_tasks();
  void end_without_log();
  [[nodiscard]] std::shared_ptr<const std::string> new_view();

  rt::Loop& loop_;
  log::Logger log_;
  job::Machine machine_;
  JobClock clock_;
  uint64_t next_index_;
  eventlog::Header header_;
  Handlers handlers_;
  std::deque<Released> waiting_;  ///< Facts that are not in the log yet.
  job::Generation viewed_;        ///< The generation of the newest view in `waiting_` or before.
  std::shared_ptr<const std::string> view_;
  bool closed_ = false;
  std::optional<HostTime> stuck_since_;  ///< The job is ending, and its log cannot be written.
  bool gave_up_ = false;                 ///< On writing the log, for this end.
  rt::TimerId stuck_timer_{};
  eventlog::LogWriter writer_;
};

}  // namespace muster::master
