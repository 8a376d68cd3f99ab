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

/// All processes of one attempt: the one that was started for it, what descends from that, its
/// guests, and what these leave behind. Lives on the loop's thread; ends nobody when it is
/// destroyed.
///
/// A guest leads a session of its own, as that of a person who works beside the program: it ends
/// with the attempt.
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
  /// A guest has ended. Returns whether it did by itself: false when the attempt has taken it
  /// along.
  [[nodiscard]] bool dismiss(os::Pid guest) { return guests_.erase(guest) > 0; }
  [[nodiscard]] bool has_guests() const { return !guests_.empty(); }

  /// Those who live now, without guests and what they started.
  [[nodiscard]] std::vector<os::Pid> own() const;
  /// All who live now.
  [[nodiscard]] std::vector<os::Pid> members() const;
  /// The same, of a round of looks at all attempts.
  [[nodiscard]] std::vector<os::Pid> members(const os::FamilyRound& round) const;
  /// Takes in that these belong to it, so that they are found when their parents are gone.
  void note(const std::vector<os::Pid>& members);

  /// Sends `signal` (INT or TERM) to the process group, and CONT, so that a stopped one can hear
  /// it. The last one counts.
  void ask_to_end(int signal);
  /// Once none of its own is left, ends the guests, and asks those to end who moved to another
  /// group. After INT, TERM to those of its own who ignore INT, as what a script starts in the
  /// background does: the process itself has ended. Returns whether nobody is left; to be called
  /// again until then.
  [[nodiscard]] bool wind_up();
  /// KILL to the guests and, if the process itself has not ended, to all of its own.
  void kill();
  /// The process itself has ended: KILL to everybody who is left. Nobody is a member any more.
  void finish();

 private:
  [[nodiscard]] bool lives() const { return process_.value != 0 && !gone_; }
  [[nodiscard]] std::vector<os::Pid> look();
  void end_guests();

  Deps deps_;
  job::AttemptId attempt_;
  AttemptMark mark_;
  os::Pid process_;
  std::optional<os::Exit> exit_;
  bool interrupted_ = false;  ///< Asked by INT, and not by TERM; those who ignore INT to be told.
  bool gone_ = false;         ///< Its process group's number may be somebody else's by now.
  std::set<os::Pid> guests_;
};

}  // namespace muster::agent
