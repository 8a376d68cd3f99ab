#pragma once

#include "job/action.h"
#include "job/fact.h"
#include "job/machine.h"
#include "sim/core/truth.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>

namespace muster::sim {

/// Who is to blame for the end of an attempt.
enum class Guilt : uint8_t {
  None,      ///< Somebody else ended it: a peer's end, or Muster. Blaming it is a mistake.
  Possible,  ///< Anyone who heard what the master heard may blame it, but need not.
  Sure,      ///< It, or the container that it had to itself, ended by itself, and the master knows.
};

/// The culprits of a run as its world knows them. Fed with what the master heard and ordered, in
/// the log's order, and with what really happened. It ignores whom the machine blames; from the
/// machine's state it takes only which attempts there are, and which fact ended each of them.
///
/// An end is Sure when the world ended it (its program failed, or its container or host was taken)
/// and nothing excuses it. Each of these excuses it, so that the end is only Possible:
///
///   * It was told to stop, or its container given back, before its end was heard.
///   * Its program said that it lost a peer, and lied.
///   * It went with its container, and so did others, or one report announced several ends: one
///     of them stands for all.
///   * It went with its host: the first container that was heard of stands for all.
///   * An agent's report left it out, a deadline took it, or its container was to be preempted and
///     had not begun: nobody said how it ended.
///   * It lost a peer whose own end the master had not heard within liveness.lost, or had heard
///     longer ago than that, or which was given up while the job went on.
class Culprits {
 public:
  explicit Culprits(const job::Plan& plan) : plan_(plan) {}

  void heard(Time now, const job::Fact& fact, std::span<const job::Action> actions,
             const job::Machine& machine);

  [[nodiscard]] Guilt of(job::AttemptId attempt, const Truth& truth) const;
  /// Returns the exit that the master heard; nullptr if it ended without one, or not at all.
  [[nodiscard]] const job::Exit* exit_of(job::AttemptId attempt) const;
  /// Returns the fact that ended an attempt without an exit; nullptr if none did.
  [[nodiscard]] const job::Fact* taken_by(job::AttemptId attempt) const;
  /// Returns whether that was the deadline by which it had to stop.
  [[nodiscard]] bool outlived_its_stop(job::AttemptId attempt) const;

 private:
  struct End {
    Time at{};
    job::ContainerId container;
    job::HostName host;
    std::optional<job::Exit> exit;
    std::optional<job::Fact> taken_by;
    bool ordered = false;  ///< Before its end was heard.
    bool alone = true;     ///< Nobody else's end came with the same fact.
    bool outlived = false;
    uint32_t start_overs = 0;  ///< Of the whole job, before it.
  };

  void note_exits(const job::Fact& fact, const job::Machine& machine);
  void note_ends(Time now, const job::Fact& fact, const job::Machine& machine);
  void note_orders(std::span<const job::Action> actions, const job::Machine& machine);
  [[nodiscard]] Guilt of_exit(job::AttemptId attempt, const End& end, const Truth& truth) const;
  [[nodiscard]] Guilt of_loss(const End& end, const Truth& truth) const;
  [[nodiscard]] bool may_be_its_own_origin(job::AttemptId victim, const End& end,
                                           const Truth& truth) const;
  [[nodiscard]] bool was_given_up(job::AttemptId origin, const Truth& truth) const;
  [[nodiscard]] bool another_stands_for(const End& end) const;

  const job::Plan& plan_;
  std::map<job::AttemptId, End> ends_;
  std::map<job::AttemptId, job::Exit> exits_;
  std::set<job::AttemptId> told_to_stop_;
  std::set<job::ContainerId> given_back_;
  std::set<job::DeadlineId> stop_deadlines_;
  uint32_t start_overs_ = 0;
};

}  // namespace muster::sim
