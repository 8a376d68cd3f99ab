#pragma once

#include "agent/attempt/leftovers.h"
#include "job/ids.h"
#include "os/process/pid.h"
#include "os/process/processes.h"

#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace muster::agent {

/// All processes of one attempt: the one that was started for it, its descendants, its guests, and
/// what these leave behind. Lives on the loop's thread; destroying it ends no process.
///
/// A guest leads a session of its own, such as the shell of a person working beside the program; it
/// ends with the attempt.
class ProcessFamily {
 public:
  struct Deps {
    os::Processes& processes;
    Leftovers& leftovers;
  };

  ProcessFamily(Deps deps, job::AttemptId attempt, AttemptMark mark);
  ProcessFamily(const ProcessFamily&) = delete;
  ProcessFamily& operator=(const ProcessFamily&) = delete;

  /// The attempt's process was started; it leads its process group.
  void begin(os::Pid process) { process_ = process; }
  /// That process has ended; others may live.
  void process_ended(const os::Exit& exit) { exit_ = exit; }
  /// 0 before the start.
  [[nodiscard]] os::Pid process() const { return process_; }
  /// How the process itself ended; nullopt before.
  [[nodiscard]] const std::optional<os::Exit>& process_exit() const { return exit_; }

  void admit(os::Pid guest) { guests_.insert(guest); }
  /// A guest has ended. Returns whether it ended on its own; false if the attempt took it down.
  [[nodiscard]] bool dismiss(os::Pid guest) { return guests_.erase(guest) > 0; }
  [[nodiscard]] bool has_guests() const { return !guests_.empty(); }

  /// Returns those alive now, without guests and what they started.
  [[nodiscard]] std::vector<os::Pid> own() const;
  /// Returns all that are alive now.
  [[nodiscard]] std::vector<os::Pid> members() const;
  /// The same, from one round of looks at all attempts.
  [[nodiscard]] std::vector<os::Pid> members(const os::FamilyRound& round) const;
  /// Records that these belong to the family, so that they are found even when their parents are
  /// gone.
  void note(const std::vector<os::Pid>& members);

  /// Sends `signal` (INT or TERM) to the process group, then CONT so that a stopped one can receive
  /// it. The latest signal counts.
  void ask_to_end(int signal);
  /// Once none of its own processes is left, ends the guests and asks those that moved to another
  /// group to end. After INT, sends TERM to its own processes that ignore INT, as a script's
  /// background jobs do: the process itself has ended. Returns whether none is left; call it again
  /// until then.
  [[nodiscard]] bool wind_up();
  /// Sends KILL to the guests and, if the process itself has not ended, to all of its own.
  void kill();
  /// The process itself has ended: sends KILL to everything left. Nothing is a member any more.
  void finish();

 private:
  [[nodiscard]] bool lives() const { return process_.value != 0 && !gone_; }
  /// Returns the members of the process and its guests, each as `members_of` lists them.
  template <class MembersOf>
  [[nodiscard]] std::vector<os::Pid> with_guests(MembersOf members_of) const;
  [[nodiscard]] std::vector<os::Pid> look();
  void end_guests();

  Deps deps_;
  job::AttemptId attempt_;
  AttemptMark mark_;
  os::Pid process_;
  std::optional<os::Exit> exit_;
  bool interrupted_ = false;  ///< Asked by INT, not TERM; those that ignore INT still need TERM.
  bool gone_ = false;         ///< Its process group id may have been reused by now.
  std::set<os::Pid> guests_;
};

}  // namespace muster::agent
