#pragma once

#include "client/console.h"
#include "client/whole_output.h"
#include "job/plan.h"
#include "rt/loop.h"

#include <functional>
#include <map>
#include <string>
#include <string_view>

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
  /// What a person would be told: a sentence.
  void told(std::string_view text);
  /// Bytes of a task's output; whole lines are printed, longer ones than 1 MiB in parts.
  void output(const job::Plan& plan, const StreamId& stream, std::string_view bytes);
  /// Prints the lines that have no newline. Nothing more comes of the tasks.
  void finish_output(const job::Plan& plan);
  /// `status`: what `muster status --json` prints of the job; "" if that cannot be known.
  void ended(std::string_view status);

 private:
  void print(std::string_view event, std::string_view members);
  void print_line(const job::Plan& plan, const StreamId& stream, std::string_view line);

  Console& console_;
  Clock clock_;
  std::map<StreamId, std::string> partials_;
};

}  // namespace muster::client
