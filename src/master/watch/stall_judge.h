#pragma once

#include "base/jitter.h"
#include "base/log.h"
#include "base/time.h"
#include "job/ids.h"
#include "master/clients/stream_relay.h"
#include "master/decider.h"
#include "master/watch/stack_reader.h"
#include "rt/loop.h"
#include "stacks/stack_groups.h"
#include "stacks/suspect.h"
#include "wire/frame.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace muster::master {

/// Finds tasks that hang. All attempts that depend on each other have done nothing that can be seen
/// from outside for StallPlan::after, and for twice as long as the longest pause after which they
/// ever went on: while one of them still computes, writes or moves files, the others may well wait
/// for it. Then the stacks of all are read, once, by sessions as people have them, the suspect is
/// found by comparing them, and the verdict is entered as a fact; unless something still comes to
/// one of them. When one of them moves again, that is a fact, too.
///
/// Some wait busily, or go on printing. So the same is done where all that are not quiet have shown
/// no progress for that long, measured by their own past: their stacks are read several times, and
/// whoever stays where it is without computing is taken to wait.
///
/// Tasks of independent roles are judged alone. Those that the job does not wait for, such as
/// parameter servers, have nothing to do by nature: they count while they move, and are the suspect
/// only where the kernel holds them. Lives on the loop's thread.
class StallJudge {
 public:
  struct Deps {
    rt::Loop& loop;
    log::Logger log;
    Decider& decider;
  };
  /// Carries a frame of one of its streams to the task.
  using Send = std::function<void(const StreamRelay::Opener& opener, wire::StreamFrame frame)>;

  StallJudge(Deps deps, Send send);
  ~StallJudge();
  StallJudge(const StallJudge&) = delete;
  StallJudge& operator=(const StallJudge&) = delete;

  /// An agent reports what its attempts do.
  void sampled(const job::ContainerId& container, const std::vector<wire::Samples>& samples);
  /// Takes a frame of one of its streams. May be called inside a call of `send`.
  void take(const wire::StreamFrame& frame) { stacks_.take(frame); }

 private:
  /// Tasks that are judged together: one independent task, or (nullopt) all others.
  using Cohort = std::optional<job::TaskId>;
  struct Seen {
    wire::Pause quiet;
    std::optional<wire::Fruitless> fruitless;
    HostTime at{};
  };
  /// What an attempt's agent has reported about it.
  struct Known {
    std::optional<Seen> seen;    ///< nullopt: no pause yet.
    std::optional<double> step;  ///< The last one that it has reported.
  };
  /// What makes a cohort suspicious: all do nothing, or some are busy and none makes progress.
  enum class Sign : uint8_t { Quiet, Fruitless };
  struct Member {
    job::AttemptId attempt;
    Duration pause{};
    stacks::Pause kind;
    bool got_on = false;  ///< As in stacks::Subject.
  };
  /// Found to be hanging, and not seen to move since.
  struct Told {
    job::AttemptId attempt;
    Sign sign = Sign::Quiet;
  };
  /// A closer look at a suspicious cohort.
  struct Inquiry {
    Cohort cohort;
    Sign sign = Sign::Quiet;
    std::vector<Member> members;
    std::vector<std::vector<stacks::Subject>> rounds;  ///< Their stacks as read, the newest last.
    rt::TimerId pause{};                               ///< Before the next round.
  };

  [[nodiscard]] Cohort cohort_of(job::TaskId task) const;
  [[nodiscard]] std::optional<Duration> after_of(job::RoleIndex role) const;
  /// The attempts that are judged together, which of them can be suspected, and how long all of
  /// them must have been quiet. nullopt: one is between two attempts, or not there yet.
  struct Watched {
    std::vector<job::AttemptId> attempts;
    Duration after{};
    std::optional<Time> last_end;  ///< Of a peer: reacting to it takes the others time again.
  };
  [[nodiscard]] std::optional<Watched> watched(const Cohort& cohort) const;
  /// Returns those members that can be suspected, if all have paused for long enough; otherwise
  /// nothing.
  [[nodiscard]] std::vector<Member> stalled(const Cohort& cohort, Sign sign);
  void take_sample(const wire::Samples& samples);
  void take_step(const wire::Samples& samples);
  /// Returns whether the job waits for the attempt's end.
  [[nodiscard]] bool is_needed(job::AttemptId attempt) const;
  /// Returns what its agent has reported recently; nullptr if nothing.
  [[nodiscard]] const Seen* seen_lately(job::AttemptId attempt) const;
  /// How long the attempt has paused, if that is long enough for the sign; a quiet attempt counts
  /// as paused by either sign.
  struct Paused {
    Duration lasts{};
    bool quiet = false;
    wire::Fruitless past;  ///< What else is known about it.
  };
  [[nodiscard]] std::optional<Paused> paused(job::AttemptId attempt, Duration after,
                                             Sign sign) const;
  void suspect(const Cohort& cohort, Sign sign);
  void moved(const Cohort& cohort);
  /// Returns "; worker:1 has ended, with exit code 0, and may be what they wait for" for those that
  /// are judged together; "" if all are still running.
  [[nodiscard]] std::string ended_text(const Cohort& cohort) const;
  void begin(const Cohort& cohort, Sign sign, std::vector<Member> members);
  [[nodiscard]] std::optional<double> step_of(job::AttemptId attempt) const;
  /// Returns how long what they read is watched at most.
  [[nodiscard]] Duration watch_of(const Inquiry& inquiry) const;
  void begin_round();
  void end_round(std::vector<stacks::Subject> read);
  void end();

  Deps deps_;
  std::map<job::AttemptId, Known> known_;
  std::map<Cohort, Told> told_;
  std::map<Cohort, HostTime> not_before_;  ///< For cohorts found at work.
  // Witnesses that the coupled tasks are not stalled, which are asked first:
  std::optional<job::AttemptId> moving_;       ///< One that moved when it was last looked at.
  std::optional<job::AttemptId> progressing_;  ///< One that had made progress.
  std::unique_ptr<Inquiry> inquiry_;
  Jitter jitter_;  ///< Of the pauses between rounds.
  StackReader stacks_;
};

}  // namespace muster::master
