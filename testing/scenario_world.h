#pragma once

#include "base/result.h"
#include "job/machine.h"
#include "testing/scenario_action.h"

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace muster::testing {

/// The world around the machine of a scenario: says facts in a scenario's words, keeps what the
/// machine asked for and has not received yet, and remembers the log.
class ScenarioWorld {
 public:
  explicit ScenarioWorld(const job::Plan& plan) : plan_(plan), machine_(plan) {}

  /// Makes one fact of a `when` line happen, such as "granted r1 c1". take_issued() returns the
  /// actions.
  [[nodiscard]] Status happen(std::string_view fact);

  [[nodiscard]] const job::Machine& machine() const { return machine_; }
  /// Returns the actions since the last call.
  [[nodiscard]] std::vector<ActionText> take_issued() { return std::exchange(issued_, {}); }

  /// Replays the log in a fresh machine; fails, saying what differs, unless the state is the same.
  [[nodiscard]] Status replay() const;

  /// Returns the attempt that "worker:0" (its last) or "worker:0#2" names.
  [[nodiscard]] Result<job::AttemptId> attempt_of(std::string_view name) const;

 private:
  struct Deadline {
    job::DeadlineKind kind;
    Time at;
    std::string waits_for;
  };
  using Words = std::vector<std::string>;

  void tell(const job::Fact& fact);
  void note(const job::Action& action);
  [[nodiscard]] Status say(const Words& words);
  [[nodiscard]] Status say_of_container(const Words& words);
  [[nodiscard]] Status say_of_attempt(const Words& words);
  [[nodiscard]] Status say_of_job(const Words& words);
  [[nodiscard]] Status stalled(const Words& words, job::AttemptId id);
  [[nodiscard]] Status ended(const Words& words);
  [[nodiscard]] Status reported(const Words& words);
  [[nodiscard]] Status deadline(const Words& words);
  [[nodiscard]] Status after(std::string_view duration);
  void run_everything();
  void end_everything();
  [[nodiscard]] job::Address address_of(job::AttemptId id) const;

  job::Plan plan_;
  job::Machine machine_;
  Time now_{};
  std::vector<ActionText> issued_;
  std::vector<std::pair<Time, job::Fact>> log_;
  std::map<uint32_t, Deadline> deadlines_;
  std::set<job::RequestId> requests_;
  std::set<job::ContainerId> launches_, releases_;
  std::set<job::AttemptId> prepares_, starts_, stops_;
};

/// Returns the exit of a process that was told to stop.
[[nodiscard]] job::Exit stopped_exit();

/// Expands ranges: "start worker:0-2#1" becomes three items. If several words have ranges, these
/// must be equally long.
[[nodiscard]] Result<std::vector<std::string>> expand_ranges(std::string_view item);

}  // namespace muster::testing
