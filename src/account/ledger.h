#pragma once

#include "account/account.h"
#include "base/time.h"
#include "job/fact.h"
#include "job/machine.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace muster::account {

/// A checkpoint that the master accepted.
struct Commit {
  Time at{};
  job::AttemptId attempt;
};

/// A failure, counted once for each attempt that it ended.
struct Failed {
  Time at{};
  Duration ran{};  ///< How long the attempt had run; 0: its program never started.
  job::AttemptId attempt;
  job::HostName host;
  std::string class_name;  ///< "" if nobody knows.
  bool origin = true;      ///< False: a victim of another task's failure.
};

/// What the machine's state does not keep but the account needs.
struct Journal {
  struct Held {
    Time granted{};
    std::optional<Time> released;
    std::optional<Time> gone;
  };
  struct Stall {
    Time from{};
    Time told{};
    std::optional<Time> over;  ///< When it moved again, if that was reported.
    bool for_all = false;      ///< Its peers wait for it.
  };
  std::map<job::ContainerId, Held> held;
  std::map<job::AttemptId, Time> stops;  ///< When it was first told to stop.
  std::map<job::AttemptId, std::vector<Stall>> stalls;
  std::vector<Commit> commits;
  std::optional<Time> stopping;  ///< When the outcome was decided.
};

/// Folds the facts of a job into an account. Feeds them to a machine of its own, so that every
/// state is the one that the master had; nothing else is read, and samples only refine what facts
/// leave open. A value like the machine: the same facts give the same account.
///
/// The time of a takeover is in the facts' times, so a dead master's gap is counted like any other.
class Ledger {
 public:
  explicit Ledger(job::Plan plan);

  /// Applies the next fact; a time that goes back counts as the previous time.
  void apply(Time now, const job::Fact& fact);

  [[nodiscard]] const job::Machine& machine() const { return machine_; }
  [[nodiscard]] const std::vector<Commit>& commits() const { return journal_.commits; }
  /// The attempts that ended in failure, in order of their ends.
  [[nodiscard]] std::vector<Failed> failures() const;

  /// Returns the lines of all containers up to `until`; for a job that has ended, up to its end.
  [[nodiscard]] std::vector<Line> lines(Time until, const Signs& signs = {}) const;
  /// Returns the account up to `until`. `queued_before`: how long the job waited before its first
  /// fact.
  [[nodiscard]] Account account(Time until, const Signs& signs = {}, const Uses& uses = {},
                                Duration queued_before = {}) const;

 private:
  void note_actions(Time now, const std::vector<job::Action>& actions);
  void note_fact(Time now, const job::Fact& fact);
  void note_stall(Time now, const job::AttemptStalled& stalled);
  void note_gone(Time now, const job::ContainerId& id);

  job::Machine machine_;
  Journal journal_;
  Time last_{};
  Duration queued_{};
  bool asking_ = false;  ///< Since `last_` the job has requests but holds nothing.
  std::set<job::ContainerId> open_;
};

}  // namespace muster::account
