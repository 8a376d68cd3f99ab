#pragma once

#include "job/action.h"
#include "job/fact.h"
#include "job/liveness.h"
#include "job/machine.h"
#include "sim/faults.h"
#include "sim/world.h"

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace muster::sim {

/// The master of a run through all its lives: batches facts, logs them, releases actions once they
/// are in the log, crashes between any two of these steps, and recovers by replay. Checks along the
/// way that a replay of the log yields the machine that wrote it.
class MasterModel {
 public:
  struct Around {
    World& world;
    Faults& faults;
    const job::Plan& plan;
    /// The machine in charge applied a fact.
    std::function<void(const job::Fact&, std::span<const job::Action>, const job::Machine&)>
        applied;
    /// An action is released, by a master of this epoch.
    std::function<void(job::Epoch, const job::Action&)> act;
    /// A successor has replayed the log; what was not in it never happened.
    std::function<void(const job::Machine&)> recovered;
    /// A replay differed from the machine that wrote the log.
    std::function<void(std::string)> broken;
    /// The master is gone, and its connections with it.
    std::function<void()> crashed;
    /// Returns whether an agent's beats reach the master now.
    std::function<bool(const job::ContainerId&)> hears;
    /// A suspected agent beats again, and is asked to report.
    std::function<void(const job::ContainerId&)> ask_report;
  };

  explicit MasterModel(Around around);

  void start();
  /// A fact has arrived. It is lost if no master is alive.
  void feed(job::Fact fact);
  /// Crashes, with some part of the current batch in the log, and lets a successor come.
  void crash();
  /// Does nothing for a while: facts and deadlines pile up.
  void stall(Duration duration);
  /// Appends fail for a while.
  void lose_log(Duration duration);

  [[nodiscard]] const job::Machine& machine() const { return *machine_; }
  [[nodiscard]] job::Epoch epoch() const { return epoch_; }
  [[nodiscard]] bool alive() const { return alive_; }
  [[nodiscard]] bool finished() const { return finished_; }
  [[nodiscard]] uint64_t facts() const { return facts_; }
  job::Liveness& liveness() { return *liveness_; }

  /// Replays the log, compares every prefix with what was known when it was written, and shows each
  /// step to `replayed`.
  using Step = std::function<void(Time, const job::Fact&, std::span<const job::Action>,
                                  const job::Machine&)>;
  void check_replay(const Step& replayed);

 private:
  struct Logged {
    Time at;
    job::Fact fact;
    uint64_t digest;
  };
  struct Pending {
    Logged logged;
    std::vector<job::Action> actions;
  };

  void turn();
  void apply(const job::Fact& fact);
  void write_batch();
  void release(size_t count);
  void perform(const job::Action& action);
  void set_deadline(const job::SetDeadline& set);
  void recover();
  void judge_later();

  Around around_;
  std::optional<job::Machine> machine_;
  std::optional<job::Liveness> liveness_;
  job::Epoch epoch_{1};
  bool alive_ = false;
  bool finished_ = false;
  bool turn_due_ = false;
  bool writing_ = false;
  Time stalled_until_{};
  Time log_back_at_{};
  uint64_t life_ = 0;
  uint64_t facts_ = 0;
  std::deque<job::Fact> inbox_;
  std::deque<Pending> unlogged_;
  std::vector<Logged> log_;
  std::map<job::DeadlineId, Time> deadlines_;
};

}  // namespace muster::sim
