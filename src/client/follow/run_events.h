#pragma once

#include "client/follow/console.h"
#include "client/follow/whole_output.h"
#include "job/plan.h"
#include "job/state.h"
#include "rt/loop.h"

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace muster::client {

/// What `muster run --json` prints: one JSON object a line, each with its time and its kind
/// (`event`), in the order in which things happen. The first is `submitted`, the last `ended`.
class RunEvents {
 public:
  using Clock = std::function<WallTime()>;
  RunEvents(Console& console, Clock clock) : console_(console), clock_(std::move(clock)) {}

  struct Submission {
    std::string job_id;
    std::string application_id;
    std::string on;
    std::string page;
  };
  void submitted(const Submission& submission);
  void phase(std::string_view phase);
  /// Prints each task whose state, or whose last attempt's state, differs from what was last
  /// printed.
  void tasks(const job::Plan& plan, const job::State& state);
  /// Prints what a person would be told: a sentence.
  void told(std::string_view text);
  /// Bytes of a task's output; whole lines are printed, longer ones than 1 MiB in parts.
  void output(const job::Plan& plan, const StreamId& stream, std::string_view bytes);
  /// Prints the lines that have no newline. No more task output follows.
  void finish_output(const job::Plan& plan);
  /// `status`: what `muster status --json` prints for the job; "" if that cannot be known.
  void ended(std::string_view status);

 private:
  /// What distinguishes a line about a task from the previous one.
  struct ToldTask {
    job::TaskState state{};
    size_t attempts = 0;
    job::AttemptState last{};
    bool operator==(const ToldTask&) const = default;
  };

  void print(std::string_view event, std::string_view members);
  void print_task(const job::Plan& plan, const job::Task& task);
  void print_line(const job::Plan& plan, const StreamId& stream, std::string_view line);

  Console& console_;
  Clock clock_;
  std::map<StreamId, std::string> partials_;
  std::vector<std::vector<ToldTask>> told_tasks_;  ///< By role, by index.
};

}  // namespace muster::client
