#pragma once

#include "base/time.h"
#include "job/fact.h"
#include "job/outcome.h"
#include "job/parts/attempts.h"
#include "job/parts/deps.h"
#include "job/parts/timers.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace muster::job {

class Places;

/// The job's end: everything is stopped in order and with grace, then everything is released. The
/// end is final.
class Ending {
 public:
  /// Writes the outcome and the time of the end.
  Ending(const Deps& deps, Places& places, Attempts& attempts, std::optional<Outcome>& outcome,
         Time& ended);

  /// The job has started to run: its run deadline counts from the first time.
  void watch_run();
  void run_passed() { run_ = {}; }
  /// The outcome is decided, and no task wants or waits for anything any more: the stop begins.
  void begin(Outcome outcome);
  /// Continues the stop as far as what has ended allows.
  void advance();
  /// The grace period, and the patience beyond it, are over: what is left ends with its container,
  /// and a cluster that does not confirm a release is no longer waited for.
  void stop_passed();
  /// The job is to be stopped in this way. If Terminate comes while attempts are being interrupted,
  /// they are asked again.
  void ask(StopHow how);
  /// Returns how an attempt that the job's end stops is to be asked.
  [[nodiscard]] StopTimes stop_times() const;
  /// Nothing changes any more. Late arrivals are released, and a new master is told the outcome
  /// again.
  void after_the_end(const Fact& fact) const;

 private:
  void stop_next_level();
  [[nodiscard]] StopReason reason() const;
  void watch_stop();
  [[nodiscard]] uint32_t live_in_level() const;
  void finish();

  const Plan& plan_;
  Turn& turn_;
  Timers& timers_;
  Lives& lives_;
  Chronicle& chronicle_;
  Places& places_;
  Attempts& attempts_;
  std::optional<Outcome>& outcome_;
  Time& ended_;
  std::vector<uint32_t> levels_;  ///< By role: the order of stopping.
  uint32_t level_ = 0;
  StopHow how_ = StopHow::Terminate;
  Timer<RunTimer> run_;
  Timer<EndTimer> stop_;
};

}  // namespace muster::job
