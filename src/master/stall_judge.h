#pragma once

#include "base/log.h"
#include "base/time.h"
#include "job/ids.h"
#include "master/decider.h"
#include "master/stream_relay.h"
#include "rt/loop.h"
#include "stacks/stack_groups.h"
#include "stacks/suspect.h"
#include "wire/frame.h"
#include "wire/stream_ledger.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace muster::master {

/// Finds tasks that hang. All attempts that depend on each other have done nothing that can be seen
/// from outside for StallPlan::after, and for twice as long as the longest pause after which they
/// ever went on: while one of them still computes, writes or moves files, the others may well wait
/// for it. Then the stacks of all are read, once, by sessions as people have them, the suspect is
/// found by comparing them, and the verdict is entered as a fact. When one of them moves again,
/// that is a fact, too.
///
/// Some wait busily, or go on printing. So the same is done where all that are not quiet have shown
/// no progress for that long, measured by their own past: their stacks are read several times, and
/// whoever stays where it is without computing is taken to wait.
///
/// Tasks of independent roles are judged alone. Those that the job does not wait for, such as
/// parameter servers, have nothing to do by nature: they count while they move, and are never the
/// suspect. Lives on the loop's thread.
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

  /// An agent tells what its attempts do.
  void sampled(const job::ContainerId& container, const std::vector<wire::Samples>& samples);
  /// A frame of one of its streams. May come inside a call of `send`.
  void take(const wire::StreamFrame& frame);

 private:
  /// Those that are judged together: one independent task, or (nullopt) all others.
  using Cohort = std::optional<job::TaskId>;
  struct Seen {
    wire::Quiet quiet;
    std::optional<wire::Fruitless> fruitless;
    HostTime at{};
  };
  /// What makes a cohort suspicious: all do nothing, or some are busy and none gets on.
  enum class Sign : uint8_t { Quiet, Fruitless };
  struct Member {
    job::AttemptId attempt;
    Duration pause{};
    stacks::Pause kind;
  };
  /// Found to hang, and not seen to move since.
  struct Told {
    job::AttemptId attempt;
    Sign sign = Sign::Quiet;
  };
  /// The reading of one member's stacks.
  struct Reading {
    size_t member = 0;
    wire::StreamLedger ledger;
    stacks::ReportReader reader;
  };
  struct Inquiry {
    Cohort cohort;
    Sign sign = Sign::Quiet;
    std::vector<Member> members;
    std::vector<std::vector<stacks::Subject>> rounds;  ///< The newest, being read, last.
    size_t next = 0;                       ///< The first member that is not being read yet.
    std::map<uint64_t, Reading> readings;  ///< By stream.
    rt::TimerId deadline{};
    rt::TimerId end{};
    rt::TimerId pause{};  ///< Before the next round.
  };

  [[nodiscard]] Cohort cohort_of(job::TaskId task) const;
  [[nodiscard]] std::optional<Duration> after_of(job::RoleIndex role) const;
  /// The attempts that are judged together, whoever is suspected, and for how long all of them must
  /// have been quiet. nullopt: one is between two attempts, or not there yet.
  struct Watched {
    std::vector<job::AttemptId> attempts;
    Duration after{};
    std::optional<Time> last_end;  ///< Of a peer: what they do upon it takes them time again.
  };
  [[nodiscard]] std::optional<Watched> watched(const Cohort& cohort) const;
  /// Those of them that can be suspected, if all have paused for long enough; else nothing.
  [[nodiscard]] std::vector<Member> stalled(const Cohort& cohort, Sign sign);
  void take_sample(const wire::Samples& samples);
  /// What its agent has told not long ago; nullptr if it has not.
  [[nodiscard]] const Seen* seen_lately(job::AttemptId attempt) const;
  [[nodiscard]] bool is_quiet(job::AttemptId attempt, Duration after) const;
  [[nodiscard]] bool is_fruitless(job::AttemptId attempt, Duration after) const;
  [[nodiscard]] bool pauses(job::AttemptId attempt, Duration after, Sign sign) const {
    return is_quiet(attempt, after) || (sign == Sign::Fruitless && is_fruitless(attempt, after));
  }
  void suspect(const Cohort& cohort, Sign sign);
  void moved(const Cohort& cohort);
  void begin(const Cohort& cohort, Sign sign, std::vector<Member> members);
  void begin_round();
  void read_more();
  [[nodiscard]] Status take_kind(uint64_t id, const wire::StreamFrame::Kind& kind);
  void read(uint64_t id);
  void end_soon();
  void end_round();
  void end();
  void send(uint64_t id, wire::StreamFrame::Kind kind) const;

  Deps deps_;
  Send send_;
  std::map<job::AttemptId, Seen> seen_;
  std::map<Cohort, Told> told_;
  std::map<Cohort, HostTime> cleared_;       ///< Of what was busy: found at work, then.
  std::optional<job::AttemptId> mover_;      ///< One that moved when it was last looked at.
  std::optional<job::AttemptId> getter_on_;  ///< One that had made progress.
  std::unique_ptr<Inquiry> inquiry_;
  uint64_t last_stream_ = 0;
};

}  // namespace muster::master
