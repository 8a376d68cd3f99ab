#include "agent/attempt/task_run.h"

#include "agent/attempt/shell_command.h"
#include "base/text.h"
#include "os/process/process_tree.h"
#include "rt/wait_until.h"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <system_error>
#include <utility>

namespace muster::agent {
namespace {

constexpr Duration kLookPeriodLow = std::chrono::milliseconds(2);
constexpr Duration kLookPeriodHigh = std::chrono::milliseconds(100);

}  // namespace

TaskRun::TaskRun(Deps deps, Names names)
    : deps_(std::move(deps)),
      names_(std::move(names)),
      family_({.processes = deps_.processes, .leftovers = deps_.leftovers}, names_.attempt,
              names_.mark),
      killed_(deps_.loop) {}

TaskRun::~TaskRun() {
  if (family_.process().value != 0) {
    deps_.processes.close_output(family_.process());
  }
}

Result<os::Pid> TaskRun::start(StartOptions options, std::function<void(Ended)> ended) {
  options_ = std::move(options);
  output_.emplace(TaskOutput::Deps{deps_.loop, deps_.files, deps_.feed}, names_.attempt,
                  names_.log_stem, options_.rotation);
  memory_.emplace(MemoryGuard::Deps{deps_.loop, deps_.meter, deps_.close_looks, deps_.cgroups},
                  names_.mark.job + "-" + names_.log_stem.filename().string(),
                  options_.memory_limit_bytes);
  ended_ = std::move(ended);
  if (options_.release_ports) {
    ports_.release();
  }
  MUSTER_TRY(const os::Pid process, spawn());
  family_.begin(process);
  running_ = true;
  memory_->begin(process);
  return process;
}

Result<os::Pid> TaskRun::spawn() {
  os::SpawnOptions spawn;
  spawn.argv = shell_argv(deps_.files, options_.command, options_.environment);
  spawn.env = options_.environment;
  spawn.folder = names_.work_folder;
  spawn.stdout_to = os::ToPipe{};
  spawn.stderr_to = os::ToPipe{};
  spawn.merges_streams = options_.merges_streams;
  spawn.grouping = os::Grouping::NewGroup;
  spawn.parent_death_signal = SIGKILL;  // In case all of our processes are killed at once.
  const auto on_output = [this](os::Stream stream, std::string_view bytes) {
    output_->write(
        stream == os::Stream::Stdout ? wire::OutputStream::Stdout : wire::OutputStream::Stderr,
        bytes);
  };
  return deps_.processes.spawn(
      spawn, {.output = on_output, .exited = [this](const os::Exit& exit) { on_exit(exit); }});
}

std::filesystem::path TaskRun::folder() const {
  std::filesystem::path now =
      running_ ? os::working_folder(family_.process()) : std::filesystem::path();
  std::error_code error;
  // The shell may not have got as far as its `cd` yet.
  if (!now.empty() && !std::filesystem::equivalent(now, names_.work_folder, error)) {
    return now;
  }
  std::filesystem::path first = first_folder(options_.command, names_.work_folder);
  return std::filesystem::is_directory(first, error) ? first : names_.work_folder;
}

void TaskRun::admit(os::Pid guest) {
  family_.admit(guest);
  memory_->admit(guest);
}

void TaskRun::ask_to_end(int signal) {
  if (running_) {
    asked_ = true;
    family_.ask_to_end(signal);
  }
}

void TaskRun::kill() {
  if (running_) {
    family_.kill();
    killed_.set();
  }
}

std::optional<TaskRun::Use> TaskRun::watch_memory(const os::FamilyRound& round) {
  if (!running_) {
    return std::nullopt;
  }
  std::vector<os::Pid> members = family_.members(round);
  const MemoryReader::Reading usage = memory_->read(members);
  family_.note(members);
  if (memory_->over() && !killed_.is_set()) {
    // Once the kernel has ended one process, the rest of the task is useless.
    kill();
  }
  return Use{.processes = std::move(members),
             .memory_bytes = usage.bytes,
             .memory_peak_bytes = memory_->peak_bytes(),
             .memory_limit_bytes = memory_->limit_bytes(),
             .print = usage.print};
}

void TaskRun::on_exit(const os::Exit& exit) {
  family_.process_ended(exit);
  ending_ = rt::start(deps_.loop, await_end(), [this] { finish(); });
}

rt::Async<> TaskRun::await_end() {
  if (family_.process_exit()->code != 0) {
    co_await memory_->settled().wait();  // The control group may know why.
  }
  // TERM ends the shell at once, but the program under it may have something to save.
  Duration period = kLookPeriodLow;
  while (asked_ && !killed_.is_set() && !family_.wind_up()) {
    (void)co_await rt::wait_until(deps_.loop, deps_.loop.now() + period, killed_);
    period = std::min(2 * period, kLookPeriodHigh);
  }
}

void TaskRun::finish() {
  running_ = false;
  family_.finish();
  deps_.processes.drain_output(family_.process());
  deps_.processes.close_output(family_.process());
  ports_.release();
  output_->finish();
  const os::Exit& exit = *family_.process_exit();
  Ended ended;
  ended.exit = exit;
  ended.memory_peak_bytes = std::max(memory_->peak_bytes(), exit.memory_peak_bytes);
  ended.memory = memory_->evidence(exit);
  // The callee may destroy this run.
  const std::function<void(Ended)> tell = std::move(ended_);
  tell(std::move(ended));
}

}  // namespace muster::agent
