#include "client/follow/run_end.h"

#include "base/text.h"
#include "cluster/logs_command.h"
#include "verdict/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace muster::client {
namespace {

std::string timeline(const job::State& state, Duration submitted_in) {
  std::string line = fmt::format("submitted {}", format_duration(submitted_in));
  Time last = state.started;
  for (const job::Step& step : state.chronicle.steps()) {
    line += fmt::format(" · {} +{}", step.name, format_duration(step.at - last));
    last = step.at;
  }
  return line;
}

/// Returns the log that says most about the first cause: its stderr, or stdout if stderr is empty.
std::string log_of(os::Files& files, const job::Plan& plan, const cluster::JobFolder& folder,
                   const job::Outcome& outcome) {
  if (!outcome.first_cause) {
    return {};
  }
  const job::AttemptId attempt = outcome.first_cause->attempt;
  const std::string stem = cluster::JobFolder::attempt_stem(plan.role(attempt.task.role).name,
                                                            attempt.task.index, attempt.number);
  for (const char* stream : {".stderr", ".stdout"}) {
    const std::filesystem::path path = folder.logs() / (stem + stream);
    const Result<os::FileStat> stat = files.stat(path);
    if (stat && stat->size_bytes > 0) {
      return path.string();
    }
  }
  return folder.logs().string();
}

/// Returns where the job's checkpoints are: at `to:`, else in the first host's folder that is not
/// empty; "" if there are none.
std::string checkpoint_place(os::Files& files, const job::Plan& plan,
                             const cluster::JobFolder& folder) {
  const spec::Checkpoint& checkpoint = plan.spec.checkpoint;
  if (!checkpoint.to.empty()) {
    return checkpoint.to;
  }
  const Result<std::vector<os::FolderEntry>> hosts = files.list(folder.root() / "hosts");
  for (const os::FolderEntry& host : hosts.value_or(std::vector<os::FolderEntry>())) {
    const std::filesystem::path place = folder.checkpoint(host.name, checkpoint.dir);
    const Result<std::vector<os::FolderEntry>> held = files.list(place);
    if (held && !held->empty()) {
      return place.string();
    }
  }
  return {};
}

}  // namespace

void print_end(Session& session, const Submitted& submitted, const job::Outcome& outcome,
               const job::Machine* machine, Duration submitted_in, bool quiet) {
  const Screen& screen = session.console.screen();
  verdict::SummaryStyle style;
  const std::string logs = cluster::place_of_logs(submitted.folder, submitted.place.application_id);
  style.log_path = submitted.place.application_id.empty()
                       ? log_of(*session.files, submitted.plan, submitted.folder, outcome)
                       : logs;
  // A file or a pipe has no width: what is cut there cannot be read by widening the window.
  style.columns = screen.err_is_terminal ? std::max(60U, screen.width) : verdict::kUnbounded;
  style.colour = screen.colour;
  if (!quiet || outcome.result != job::JobResult::Succeeded) {
    session.console.err(verdict::render_summary(submitted.plan, outcome, style));
  }
  if (quiet) {
    return;
  }
  if (machine != nullptr) {
    session.console.err("start-up: " + timeline(machine->state(), submitted_in) + "\n");
  }
  session.console.err(fmt::format("job:  {}\nlogs: {}\n", submitted.folder.root().string(), logs));
  const std::string checkpoint = checkpoint_place(*session.files, submitted.plan, submitted.folder);
  if (!checkpoint.empty()) {
    session.console.err("checkpoint: " + checkpoint + "\n");
  }
}

int role_exit_code(const job::Machine& machine, std::string_view role_name, int otherwise) {
  const auto role = machine.plan().find_role(role_name);
  if (!role) {
    return otherwise;
  }
  int code = 0;
  for (const job::Task& task : machine.state().tasks[role->value]) {
    if (!task.attempts.empty() && task.attempts.back().exit) {
      const job::Exit& exit = *task.attempts.back().exit;
      const int each = exit.exit_code ? *exit.exit_code : exit.signal ? 128 + *exit.signal : 0;
      code = each != 0 ? each : code;
    }
  }
  return code;
}

}  // namespace muster::client
