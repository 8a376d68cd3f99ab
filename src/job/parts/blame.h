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

/// Which failure of a wave is its origin, and which are its victims. Victims often end before the
/// culprit is known, so a peer loss waits up to the agent time-out for an origin; everything else
/// is one at once. What had not started was nobody's peer: its failure is settled by itself, and
/// neither begins a wave nor ends one. Marks the attempts with their part; what follows from a
/// verdict is the caller's.
class Blame {
 public:
  /// Nothing is settled yet: it waits for an origin.
  struct Waits {};
  /// A victim of the last cured wave that comes late: it restarts without a charge.
  struct LateVictim {
    TaskId task;
  };
  struct Verdict {
    Cause origin;
    std::vector<Cause> victims;
    bool charged_before = false;  ///< The same host again, told of container by container.
  };
  using Answer = std::variant<Waits, LateVictim, Verdict>;

  explicit Blame(const Deps& deps);

  /// An attempt has failed by itself.
  [[nodiscard]] Answer failed(Cause cause);
  /// Several attempts went with one container: one cause, and the first of them that had started
  /// stands for it, or else the first. nullopt: there are none.
  [[nodiscard]] std::optional<Verdict> failed_together(std::vector<Cause> causes);
  /// The wait for an origin is over; nullopt: it goes on, or nobody waits.
  [[nodiscard]] std::optional<Verdict> passed();

  /// A new master has heard nobody yet: the wait begins again, and is long enough for its verdict
  /// on agents that do not answer it. Before Timers::set_again().
  void wait_again();

  /// Takes out those losses that need no origin any more, because their gang starts again anyway.
  [[nodiscard]] std::vector<TaskId> absorb();
  /// Everything ends.
  void forget();
  /// Everything starts over, which cures whatever there was.
  void started_over();

  /// A wave without a failure, as a preemption is; `cured`: it leads to a restart.
  void begin_wave(bool cured);
  /// The newest verdict, which was on `cause`, leads to a restart: late victims of its wave restart
  /// freely, and its host is not charged again. A wave that is not cured does not end the cured one
  /// before it.
  void cured(const Cause& cause);

  [[nodiscard]] uint32_t waves() const { return newest_.number; }
  [[nodiscard]] uint32_t victim_of(TaskId id) const { return victim_of_[id]; }
  /// The tasks whose loss waits for an origin.
  [[nodiscard]] std::vector<TaskId> waiting() const;

 private:
  struct Wave {
    uint32_t number = 0;  ///< From 1; 0: there was none.
    Time at{};            ///< When it was settled.
  };
  /// A host whose loss was charged. Its containers are told of one by one.
  struct LostHost {
    Time at{};
    bool cured = false;  ///< It led to a restart.
    uint32_t wave = 0;   ///< 0: nothing that went with it so far had started.
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
  bool extended_ = false;  ///< They wait a second time, for the verdict on a silent agent.
  Wave newest_;
  Wave cured_;                   ///< The newest that led to a restart.
  PerTask<uint32_t> victim_of_;  ///< The newest wave that took the task for a victim.
  std::map<HostName, LostHost> hosts_;
};

}  // namespace muster::job
