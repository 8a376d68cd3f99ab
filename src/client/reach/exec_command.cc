#include "base/text.h"
#include "client/commands.h"
#include "client/reach/detach_keys.h"
#include "client/reach/exec_run.h"
#include "client/reach/shell_list.h"
#include "client/show/failure.h"
#include "spec/duration_text.h"
#include "wire/stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

namespace muster::client {
namespace {

Result<wire::Terminal> own_terminal(const Session& session) {
  if (::isatty(STDIN_FILENO) != 1) {
    return user_error("-t needs a terminal, but standard input is not one");
  }
  const std::string name = session.environment.find("TERM").value_or("");
  return wire::Terminal{name.empty() ? "dumb" : name, {}};
}

/// The user's own shell; a system user's shell may be one that lets nobody in.
constexpr const char* kShell =
    "case \"$SHELL\" in */nologin | */false | '') ;; "
    "*) [ ! -x \"$SHELL\" ] || exec \"$SHELL\" ;; esac; "
    "[ ! -x /bin/bash ] || exec /bin/bash; exec /bin/sh";

}  // namespace

int exec_in_tasks(Session& session, const ExecOptions& command) {
  ExecPlan plan;
  if (command.arguments.empty()) {
    return fail(
        session.console,
        user_error("name the command after --, as in muster exec last worker:0 -- nvidia-smi"));
  }
  size_t bytes = 0;
  for (const std::string& word : command.arguments) {
    bytes += word.size() + 1;
  }
  if (bytes > wire::kArgumentsBytesMax) {
    return fail(
        session.console,
        user_error(fmt::format(
            "the command has {}; at most {} can be sent: pass the rest through standard input",
            format_bytes(bytes), format_bytes(wire::kArgumentsBytesMax))));
  }
  const Result<Duration> wait = spec::parse_duration(command.wait);
  if (!wait) {
    return fail(session.console, wait.error().within("--wait"));
  }
  plan.tasks = command.tasks;
  plan.arguments = command.arguments;
  plan.reads_input = !command.no_input;
  plan.wait = *wait;
  plan.parallel = std::clamp(command.parallel.value_or(plan.parallel), 1U,
                             static_cast<uint32_t>(wire::kStreamsMax));
  if (command.terminal) {
    Result<wire::Terminal> terminal = own_terminal(session);
    if (!terminal) {
      return fail(session.console, terminal.error());
    }
    plan.terminal = *std::move(terminal);
  }
  return run_in_tasks(session, command.id, command.on, plan);
}

int open_shell(Session& session, const ShellOptions& command) {
  ExecPlan plan;
  if (command.list) {
    const std::vector<std::string> tasks =
        command.task.empty() ? std::vector<std::string>() : std::vector{command.task};
    return list_shells(session, command.id, command.on, tasks, command.json);
  }
  Result<std::string> keys = parse_detach_keys(command.detach_keys);
  if (!keys) {
    return fail(session.console, keys.error().within("--detach-keys"));
  }
  const Result<Duration> wait = spec::parse_duration(command.wait);
  if (!wait) {
    return fail(session.console, wait.error().within("--wait"));
  }
  Result<wire::Terminal> terminal = own_terminal(session);
  if (!terminal) {
    return fail(session.console,
                user_error("a shell needs a terminal, but standard input is not one; without one, "
                           "muster exec runs a command"));
  }
  if (!command.task.empty()) {
    plan.tasks = {command.task};
  }
  plan.way = spec::Reach::Shell;
  plan.keeps = true;
  plan.join = command.join;
  plan.detach_keys = *std::move(keys);
  plan.arguments = {"/bin/sh", "-c", kShell};
  plan.terminal = *std::move(terminal);
  plan.wait = *wait;
  return run_in_tasks(session, command.id, command.on, plan);
}

}  // namespace muster::client
