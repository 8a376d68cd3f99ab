#pragma once

#include "base/time.h"
#include "job/ids.h"
#include "job/parts/cause.h"
#include "job/parts/deps.h"
#include "job/parts/per_task.h"
#include "job/parts/timers.h"

#include <cstdint>
#include <map>
#include <optional>
#include <variant>
#include <vector>

namespace muster::job {

/// Decides which failure of a wave is its origin, and which are its victims. Victims often end
/// before the culprit is known, so a peer loss waits up to the agent time-out for an origin; any
/// other failure is an origin at once. What had not started was not a peer: its failure is settled
/// on its own, and neither begins nor ends a wave. Marks the attempts with their part; what follows
/// from a verdict is up to the caller.
class Blame {
 public:
  /// Nothing is settled yet: it waits for an origin.
  struct Waits {};
  /// A late victim of the last cured wave: it restarts without a charge.
  struct LateVictim {
    TaskId task;
  };
  struct Verdict {
    Cause origin;
    std::vector<Cause> victims;
    bool charged_before = false;  ///< The same host again, reported container by container.
  };
  using Answer = std::variant<Waits, LateVictim, Verdict>;

  explicit Blame(const Deps& deps);

  /// An attempt has failed on its own.
  [[nodiscard]] Answer failed(Cause cause);
  /// Several attempts were lost with one container: one cause, represented by the first of them
  /// that had started, or else the first. nullopt if there are none.
  [[nodiscard]] std::optional<Verdict> failed_together(std::vector<Cause> causes);
  /// The wait for an origin is over; nullopt if it continues, or nothing waits.
  [[nodiscard]] std::optional<Verdict> passed();

  /// A new master has not heard from any agent yet: the wait begins again, long enough for its
  /// verdict on agents that do not answer. Call before Timers::set_again().
  void wait_again();

  /// Removes and returns those losses that need no origin any more, because their gang starts again
  /// anyway.
  [[nodiscard]] std::vector<TaskId> absorb();
  /// Everything ends.
  void forget();
  /// Everything starts over, which cures all earlier failures.
  void started_over();

  /// Begins a wave without a failure, such as a preemption; `cured`: it leads to a restart.
  void begin_wave(bool cured);
  /// The newest verdict, which was on `cause`, leads to a restart: late victims of its wave restart
  /// without charge, and its host is not charged again. A wave that is not cured does not end the
  /// cured one before it.
  void cured(const Cause& cause);

  [[nodiscard]] uint32_t waves() const { return newest_.number; }
  [[nodiscard]] uint32_t victim_of(TaskId id) const { return victim_of_[id]; }
  /// The tasks whose loss waits for an origin.
  [[nodiscard]] std::vector<TaskId> waiting() const;

 private:
  struct Wave {
    uint32_t number = 0;  ///< Counted from 1; 0: none yet.
    Time at{};            ///< When it was settled.
  };
  /// A host whose loss was charged. The loss of its containers is reported one by one.
  struct LostHost {
    Time at{};
    bool cured = false;  ///< It led to a restart.
    uint32_t wave = 0;   ///< 0: nothing lost with it so far had started.
  };

  [[nodiscard]] Verdict settle(Cause origin, std::vector<Cause> victims);
  [[nodiscard]] std::optional<Verdict> settle_losses();
  [[nodiscard]] bool ran(const Cause& cause) const;
  [[nodiscard]] bool is_late_victim(const Cause& loss) const;
  [[nodiscard]] bool is_charged(const HostName& host) const;
  [[nodiscard]] bool given_up(const Cause& loss) const;
  void drop_given_up();

  const Plan& plan_;
  Turn& turn_;
  Timers& timers_;
  Lives& lives_;
  std::vector<Cause> losses_;  ///< Peer losses that wait for an origin.
  Timer<BlameTimer> timer_;
  bool extended_ = false;  ///< They are waiting again, for the verdict on a silent agent.
  Wave newest_;
  Wave cured_;                   ///< The newest that led to a restart.
  PerTask<uint32_t> victim_of_;  ///< The newest wave that counted the task as a victim.
  std::map<HostName, LostHost> hosts_;
};

}  // namespace muster::job
