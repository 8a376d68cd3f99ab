#pragma once

#include "client/follow/alike_lines.h"
#include "client/follow/console.h"
#include "client/follow/run_events.h"
#include "job/machine.h"
#include "rt/loop.h"
#include "rt/scope.h"

#include <string>
#include <vector>

namespace muster::client {

/// Reports on standard error how a followed job progresses: the phase line, what happens, what it
/// waits for. Without a terminal each phase is reported once. Lives on its loop's thread.
class Narrator {
 public:
  struct Deps {
    rt::Loop& loop;
    Console& console;
    RunEvents* events;  ///< Also receives what is reported; nullptr for none.
  };
  struct Options {
    std::string job_id;
    bool tells = true;
    /// Even without a terminal, say why no master answers yet.
    bool tell_waiting = false;
  };
  Narrator(Deps deps, Options options);

  /// Turns reporting on or off. What nobody may miss is reported all the same.
  void set_tells(bool tells) { options_.tells = tells; }
  [[nodiscard]] bool tells() const { return options_.tells; }

  /// `machine` has just applied the fact, at this time of the job. It must live as long as this
  /// object.
  void applied(const job::Machine& machine, Time at, const job::Fact& fact);
  /// Shows the phase line and keeps updating it from now on.
  void show_phase(const job::Machine& machine);
  /// The job's log cannot be written, because of `trouble`; "": it can. `machine`: nullptr before
  /// the welcome.
  void log_trouble(const std::string& trouble, const job::Machine* machine, bool stop_wanted);
  /// Shows what the job waits for; each reason once, and one whose numbers keep changing only now
  /// and then.
  void waits_for(const std::string& reason);
  /// No master has answered for `silent`.
  void no_master(const std::string& reason, Duration silent);

 private:
  void tell(const std::vector<std::string>& lines);
  [[nodiscard]] rt::Async<> tell_rest_soon();
  [[nodiscard]] rt::Async<> draw_phase(const job::Machine* machine);
  [[nodiscard]] std::string phase_text(const job::Machine& machine) const;

  Deps deps_;
  Options options_;
  Time job_now_{};
  HostTime job_now_at_{};
  AlikeLines alike_;
  std::string last_phase_;
  bool told_all_run_ = false;  ///< Without a terminal: reported that all tasks run.
  std::string last_wait_;
  HostTime last_wait_at_{};
  std::string log_trouble_;
  rt::Scope telling_;  ///< Last, these: their coroutines use all of the above.
  rt::Scope drawing_;
};

}  // namespace muster::client
