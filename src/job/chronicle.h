#pragma once

#include "base/time.h"
#include "job/fact.h"
#include "job/failure.h"
#include "job/ids.h"
#include "job/outcome.h"
#include "job/plan.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace muster::job {

/// One step of the job's start and end, for the time line: "gathered", "joined", "running".
struct Step {
  std::string name;
  Time at{};
};

/// A restart as shown to people: which rung of whose budget, and why.
struct RestartNote {
  Rung rung = Rung::Process;
  uint32_t nth = 0;  ///< Of `limit`, within `window`; this one included.
  uint32_t limit = 0;
  std::optional<Duration> window;  ///< nullopt: the job's whole life.
  Duration wait{};                 ///< Before it begins.
  uint32_t others = 0;             ///< Tasks that start again with it.
  FirstCause cause;
  bool operator==(const RestartNote&) const = default;
};

/// What the machine tells people about the job beyond the states of its tasks. No decision depends
/// on it. Only the machine's parts write it; everybody else sees it as const, in State::chronicle.
class Chronicle {
 public:
  /// For how many notices the latest status is kept; a job has far fewer.
  static constexpr size_t kNoticesMax = 64;

  // ---- for readers

  /// How the job started and ended, oldest first. Restarts show in the attempts.
  [[nodiscard]] const std::vector<Step>& steps() const { return steps_; }
  /// Returns whether that step was reached.
  [[nodiscard]] bool reached(std::string_view step) const;
  /// What the job waits for now ("2 of 4 workers to join"); "" when for nothing.
  [[nodiscard]] const std::string& waits_for() const { return waits_for_; }
  /// The restart that the newest fact led to.
  [[nodiscard]] const std::optional<RestartNote>& restart() const { return restart_; }
  /// Attempts that may still be running although the newest fact lets their successors start: their
  /// end has not been confirmed.
  [[nodiscard]] const std::vector<AttemptId>& unconfirmed() const { return unconfirmed_; }
  /// The cause of the first failure that was settled.
  [[nodiscard]] const std::optional<FirstCause>& first_cause() const { return first_cause_; }
  /// The latest status of each notice.
  [[nodiscard]] const std::vector<NoticeTold>& notices() const { return notices_; }

  // ---- for the machine

  /// A new fact begins: what the previous one led to is no longer news.
  void begin_fact();
  /// Puts a step on the time line; only its first time counts.
  void reach(std::string_view step, Time at);
  void wait_for(std::string what) { waits_for_ = std::move(what); }
  void restarting(RestartNote restart) { restart_ = std::move(restart); }
  void give_up_confirming(std::vector<AttemptId> attempts) { unconfirmed_ = std::move(attempts); }
  /// The fact has been applied: if it settled a failure, and none was settled before, that is the
  /// job's first cause.
  void end_fact(const std::optional<Outcome>& outcome);
  /// Records the latest status of a notice; new notices beyond kNoticesMax are dropped.
  void take(const NoticeTold& told);

 private:
  std::vector<Step> steps_;
  std::string waits_for_;
  std::optional<RestartNote> restart_;
  std::vector<AttemptId> unconfirmed_;
  std::optional<FirstCause> first_cause_;
  std::vector<NoticeTold> notices_;
};

}  // namespace muster::job
