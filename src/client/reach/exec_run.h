#pragma once

#include "base/time.h"
#include "client/session.h"
#include "spec/keys/keys.h"
#include "wire/stream.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace muster::client {

/// What to run, and where.
struct ExecPlan {
  spec::Reach way = spec::Reach::Exec;  ///< What the person asked for, for the site's rules.
  std::vector<std::string> tasks;       ///< None: the chief, or the only task there is.
  std::vector<std::string> arguments;
  std::optional<wire::Terminal> terminal;
  bool reads_input = true;
  std::string preamble = {};  ///< What a single task's command reads first; at most 64 KiB.
  uint32_t parallel = 16;
  /// Much data may flow: uses a connection of its own if the task's agent can be reached from here.
  bool direct = false;
  Duration wait = std::chrono::minutes(1);
  int input = 0;  ///< What the command of a single task reads.
  /// How much of it, before the end of input; all of it if not set.
  std::optional<uint64_t> input_bytes_max = std::nullopt;
  int output = 1;  ///< Where its standard output goes.
  /// The commands are this program's own: what they write on standard error is shown as its own
  /// messages, in which names chosen by a task may stand.
  bool plain_errors = false;
  /// A shell: it outlives this command, and is joined again when the connection breaks.
  bool keeps = false;
  std::optional<uint32_t> join = std::nullopt;  ///< Rejoins this one; 0: the only one.
  std::string detach_keys = {};                 ///< The bytes that leave it.
  /// Called for each piece that a single task's command has read or written.
  std::function<void(size_t bytes)> moved = nullptr;
};

/// Runs the command in the foreground until it has ended in every task. Returns the exit status:
/// the command's own or, if there is none, one for the reason, which people have been told. Ctrl-C
/// goes to the command.
[[nodiscard]] int run_in_tasks(Session& session, const std::string& job, const std::string& on,
                               const ExecPlan& plan);

/// The outcome of a command that was run for its answer.
struct Answer {
  int status = 0;    ///< As run_in_tasks returns it.
  std::string text;  ///< What it wrote, without the white space around it; "" unless status is 0.
};

/// Runs a command in one task for what it writes on standard output, of which the first KiB is
/// returned. It has no input, whatever `plan` says.
[[nodiscard]] Answer ask_task(Session& session, const std::string& job, const std::string& on,
                              ExecPlan plan);

}  // namespace muster::client
