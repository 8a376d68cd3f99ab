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
/// is one at once. Marks the attempts with their part; what follows from a verdict is the caller's.
class Blame {
 public:
  /// Nothing is settled yet: it waits for an origin.
  struct Waits {};
  /// A victim of the last wave that comes late: it restarts without a charge.
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
  /// Several attempts went with one container: one cause, and the first of them stands for it.
  /// nullopt: there are none.
  [[nodiscard]] std::optional<Verdict> failed_together(std::vector<Cause> causes);
  /// The wait for an origin is over; nullopt: it goes on, or nobody waits.
  [[nodiscard]] std::optional<Verdict> passed();

  /// A new master has heard nobody yet: the wait begins again, and is long enough for its verdict
  /// on agents that do not answer it. Before Timers::set_again().
  void wait_again();

  /// Takes out those losses that need no origin any more, because their gang starts again anyway.
  [[nodiscard]] std::vector<TaskId> absorb();
  /// Everything starts over, or ends.
  void forget();

  /// A wave without a failure, as a preemption is.
  void begin_wave();
  /// Whether the newest wave led to a restart: then its late victims restart freely.
  void set_cured(bool cured) { cured_ = cured; }

  [[nodiscard]] uint32_t waves() const { return wave_; }
  [[nodiscard]] uint32_t victim_of(TaskId id) const { return victim_of_[id]; }
  /// The tasks whose loss waits for an origin.
  [[nodiscard]] std::vector<TaskId> waiting() const;

 private:
  [[nodiscard]] Verdict settle(Cause origin, std::vector<Cause> victims);
  [[nodiscard]] std::optional<Verdict> settle_losses();
  [[nodiscard]] bool given_up(const Cause& loss) const;
  void drop_given_up();

  const Plan& plan_;
  Turn& turn_;
  Timers& timers_;
  Lives& lives_;
  std::vector<Cause> losses_;  ///< Peer losses that wait for an origin.
  Timer<BlameTimer> timer_;
  bool extended_ = false;           ///< They wait a second time, for the verdict on a silent agent.
  uint32_t wave_ = 0;               ///< Settled so far.
  std::optional<Time> wave_at_;     ///< When the last one was settled.
  bool cured_ = false;              ///< It led to a restart.
  PerTask<uint32_t> victim_of_;     ///< The wave that last restarted the task without a charge.
  std::map<HostName, Time> hosts_;  ///< When a loss of the host was last charged.
};

}  // namespace muster::job
