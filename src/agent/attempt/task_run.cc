#include "agent/attempt/task_run.h"

#include "agent/attempt/shell_command.h"
#include "base/text.h"
#include "os/process_tree.h"
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
    : deps_(std::move(deps)), names_(std::move(names)), killed_(deps_.loop) {}

TaskRun::~TaskRun() {
  if (pid_.value != 0) {
    deps_.processes.close_output(pid_);
  }
}

Result<job::Address> TaskRun::reserve(const PortsWanted& wanted) {
  const auto hold_any = [&] {
    return wanted.range
               ? deps_.ports.reserve_between(wanted.host, wanted.range->low, wanted.range->high)
               : deps_.ports.reserve(wanted.host);
  };
  job::Address address;
  address.host = wanted.host;
  MUSTER_TRY(auto port, wanted.keep_port == 0
                            ? hold_any()
                            : deps_.ports.reserve_given(wanted.host, wanted.keep_port));
  address.port = port->number();
  held_.push_back(std::move(port));
  for (const std::string& name : wanted.names) {
    MUSTER_TRY(auto named, hold_any());
    address.named_ports[name] = named->number();
    held_.push_back(std::move(named));
  }
  address_ = address;
  return address;
}

Result<os::Pid> TaskRun::start(StartOptions options, std::function<void(Ended)> ended) {
  output_.emplace(TaskOutput::Deps{deps_.loop, deps_.files, deps_.feed}, names_.attempt,
                  names_.log_stem, options.rotation);
  memory_.emplace(MemoryGuard::Deps{deps_.loop, deps_.meter, deps_.close_looks, deps_.cgroups},
                  names_.mark.job + "-" + names_.log_stem.filename().string(),
                  options.memory_limit_bytes);
  ended_ = std::move(ended);
  python_ = std::move(options.python);
  if (options.release_ports) {
    held_.clear();
  }
  MUSTER_TRY(pid_, spawn(std::move(options)));
  running_ = true;
  memory_->begin(pid_);
  return pid_;
}

Result<os::Pid> TaskRun::spawn(StartOptions options) {
  os::SpawnOptions spawn;
  first_folder_ = first_folder(options.command, names_.work_folder);
  spawn.argv = {"/bin/sh", "-c", std::move(options.command)};
  environment_ = std::move(options.environment);
  spawn.env = environment_;
  spawn.folder = names_.work_folder;
  spawn.stdout_to = os::ToPipe{};
  spawn.stderr_to = os::ToPipe{};
  spawn.grouping = os::Grouping::NewGroup;
  spawn.parent_death_signal = SIGKILL;  // For the day when all of our processes are killed at once.
  const auto on_output = [this](os::Stream stream, std::string_view bytes) {
    output_->write(
        stream == os::Stream::Stdout ? wire::OutputStream::Stdout : wire::OutputStream::Stderr,
        bytes);
  };
  return deps_.processes.spawn(
      spawn, {.output = on_output, .exited = [this](const os::Exit& exit) { on_exit(exit); }});
}

std::filesystem::path TaskRun::folder() const {
  std::filesystem::path now = running_ ? os::working_folder(pid_) : std::filesystem::path();
  std::error_code error;
  // The shell may not have got as far as its `cd` yet.
  if (!now.empty() && !std::filesystem::equivalent(now, names_.work_folder, error)) {
    return now;
  }
  return std::filesystem::is_directory(first_folder_, error) ? first_folder_ : names_.work_folder;
}

void TaskRun::admit(os::Pid guest) {
  guests_.insert(guest);
  memory_->admit(guest);
}

bool TaskRun::dismiss(os::Pid guest) { return guests_.erase(guest) > 0; }

void TaskRun::end_guests() {
  for (const os::Pid guest : std::exchange(guests_, {})) {
    deps_.processes.signal_family(guest, SIGKILL);
  }
}

void TaskRun::ask_to_end() {
  if (!running_) {
    return;
  }
  asked_ = true;
  deps_.leftovers.saw(names_.attempt, family());
  (void)deps_.processes.signal_group(pid_, SIGTERM);
  (void)deps_.processes.signal_group(pid_, SIGCONT);
}

void TaskRun::kill() {
  if (!running_) {
    return;
  }
  if (!exit_) {
    deps_.processes.signal_family(pid_, SIGKILL);
  }
  end_guests();
  killed_.set();
}

std::optional<TaskRun::Use> TaskRun::watch_memory() {
  if (!running_) {
    return std::nullopt;
  }
  std::vector<os::Pid> members = this->members();
  const MemoryReader::Reading usage = memory_->read(members);
  deps_.leftovers.saw(names_.attempt, members);
  if (memory_->over() && !killed_.is_set()) {
    // Where the kernel has ended one process, the rest of the task is of no use.
    kill();
  }
  return Use{.processes = std::move(members),
             .memory_bytes = usage.bytes,
             .memory_peak_bytes = memory_->peak_bytes(),
             .memory_limit_bytes = memory_->limit_bytes(),
             .print = usage.print};
}

std::vector<os::Pid> TaskRun::members() const {
  std::vector<os::Pid> members =
      !running_ || family_gone_ ? std::vector<os::Pid>() : deps_.processes.members(pid_);
  for (const os::Pid guest : guests_) {
    const std::vector<os::Pid> theirs = deps_.processes.members(guest);
    members.insert(members.end(), theirs.begin(), theirs.end());
  }
  return members;
}

TaskRun::Pause TaskRun::look_for_pause(const Use& use, const os::FileActivity& files,
                                       uint64_t told) {
  QuietWatch::Signs signs{.cpu = use.print.cpu,
                          .output_bytes = output_->size_bytes(),
                          .moved_bytes = files.moved_bytes,
                          .told = told};
  uint64_t faults = use.print.faults;
  if (!guests_.empty()) {
    const std::vector<os::Pid> own =
        family_gone_ ? std::vector<os::Pid>() : deps_.processes.members(pid_);
    const os::Footprint print = deps_.meter.glance(own);
    signs.cpu = print.cpu;
    faults = print.faults;
    signs.moved_bytes = deps_.meter.file_activity(own).moved_bytes;
  }
  const HostTime now = deps_.loop.now();
  return {.quiet = quiet_.look(now, signs),
          .fruitless = progress_.look(now, {.told = told,
                                            .output_bytes = signs.output_bytes,
                                            .moved_bytes = signs.moved_bytes,
                                            .faults = faults})};
}

std::vector<os::Pid> TaskRun::family() {
  if (family_gone_) {
    return {};
  }
  std::vector<os::Pid> members = deps_.processes.family(pid_);
  family_gone_ = exit_.has_value() && members.empty();
  return members;
}

void TaskRun::on_exit(const os::Exit& exit) {
  exit_ = exit;
  ending_ = rt::start(deps_.loop, await_end(), [this] { finish(); });
}

rt::Async<> TaskRun::await_end() {
  if (exit_->code != 0) {
    co_await memory_->settled().wait();  // The control group may know why.
  }
  // The shell ends by TERM at once, the program under it may have something to save.
  Duration period = kLookPeriodLow;
  while (asked_ && !killed_.is_set()) {
    if (family().empty()) {
      end_guests();  // A session has nothing to save: a shell would not hear TERM.
      if (deps_.leftovers.ask_to_end(names_.attempt, names_.mark) == 0) {
        break;
      }
    }
    (void)co_await rt::wait_until(deps_.loop, deps_.loop.now() + period, killed_);
    period = std::min(2 * period, kLookPeriodHigh);
  }
}

void TaskRun::finish() {
  running_ = false;
  if (!family_gone_) {
    // Those of its group first: they are known without looking at every process.
    (void)deps_.processes.signal_group(pid_, SIGKILL);
    deps_.processes.signal_family(pid_, SIGKILL);
  }
  end_guests();
  deps_.leftovers.end(names_.attempt, names_.mark);
  deps_.processes.drain_output(pid_);
  deps_.processes.close_output(pid_);
  held_.clear();
  output_->finish();
  Ended ended;
  ended.exit = *exit_;
  ended.memory_peak_bytes = std::max(memory_->peak_bytes(), exit_->memory_peak_bytes);
  ended.memory = memory_->evidence(*exit_);
  // The callee may destroy this run.
  const std::function<void(Ended)> tell = std::move(ended_);
  tell(std::move(ended));
}

}  // namespace muster::agent
