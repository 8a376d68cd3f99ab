#include "agent/task_run.h"

#include "base/text.h"

#include <algorithm>
#include <csignal>
#include <utility>

namespace muster::agent {
namespace {

constexpr Duration kLookPeriodLow = std::chrono::milliseconds(2);
constexpr Duration kLookPeriodHigh = std::chrono::milliseconds(100);

}  // namespace

TaskRun::TaskRun(Deps deps, Names names) : deps_(deps), names_(std::move(names)) {}

TaskRun::~TaskRun() {
  deps_.loop.cancel(look_timer_);
  if (pid_.value != 0) {
    deps_.processes.close_output(pid_);
  }
}

Result<job::Address> TaskRun::reserve(const std::string& host, uint16_t keep_port,
                                      const std::vector<std::string>& port_names) {
  job::Address address;
  address.host = host;
  MUSTER_TRY(auto port, keep_port == 0 ? deps_.ports.reserve(host)
                                       : deps_.ports.reserve_given(host, keep_port));
  address.port = port->number();
  held_.push_back(std::move(port));
  for (const std::string& name : port_names) {
    MUSTER_TRY(auto named, deps_.ports.reserve(host));
    address.named_ports[name] = named->number();
    held_.push_back(std::move(named));
  }
  address_ = address;
  return address;
}

Result<os::Pid> TaskRun::start(StartOptions options, std::function<void(Ended)> ended) {
  std::filesystem::path stem = names_.log_stem;
  const OutputLog::Clock clock = [&loop = deps_.loop] { return loop.wall_now(); };
  stdout_log_.emplace(deps_.files, std::filesystem::path(stem) += ".stdout", options.rotation,
                      clock);
  stderr_log_.emplace(deps_.files, std::filesystem::path(stem) += ".stderr", options.rotation,
                      clock);
  limit_bytes_ = options.memory_limit_bytes;
  oom_kills_before_ = deps_.meter.oom_kills();
  ended_ = std::move(ended);
  python_ = std::move(options.python);
  if (options.release_ports) {
    held_.clear();
  }
  os::SpawnOptions spawn;
  spawn.argv = {"/bin/sh", "-c", std::move(options.command)};
  spawn.env = std::move(options.environment);
  spawn.folder = names_.work_folder;
  spawn.stdout_to = os::ToPipe{};
  spawn.stderr_to = os::ToPipe{};
  spawn.grouping = os::Grouping::NewGroup;
  spawn.parent_death_signal = SIGKILL;  // For the day when all of our processes are killed at once.
  MUSTER_TRY(pid_,
             deps_.processes.spawn(
                 spawn, {
                            .output = [this](os::Stream stream,
                                             std::string_view bytes) { on_output(stream, bytes); },
                            .exited = [this](const os::Exit& exit) { on_exit(exit); },
                        }));
  running_ = true;
  guard_memory();
  return pid_;
}

/// The kernel as the second guard, where this user may make control groups: what allocates faster
/// than the watch looks, it ends. Its sum has more in it than the watch's (page tables, buffers),
/// so its limit is a little higher.
void TaskRun::guard_memory() {
  if (deps_.cgroups == nullptr || limit_bytes_ == 0) {
    return;
  }
  constexpr uint64_t kSlackMin = 8U << 20;
  os::CgroupLimits limits{.memory_bytes = limit_bytes_ + std::max(limit_bytes_ / 16, kSlackMin)};
  auto guard = std::make_shared<std::shared_ptr<os::Cgroup>>();
  auto work = [guard, limits, groups = deps_.cgroups, pid = pid_,
               name = names_.mark.job + "-" + names_.log_stem.filename().string()] {
    auto group = groups->create(name, limits);
    if (group.has_value() && (*group)->add(pid).has_value()) {
      *guard = std::move(*group);
    }
  };
  guarding_ = true;
  deps_.loop.run_blocking(std::move(work), [this, guard, life = std::weak_ptr(life_)] {
    if (!life.expired()) {
      on_guarded(std::move(*guard));
    }
  });
}

void TaskRun::on_guarded(std::shared_ptr<os::Cgroup> guard) {
  guarding_ = false;
  guard_ = std::move(guard);
  if (early_) {
    on_exit(*early_);
  }
}

/// What the process forked before it was in its group.
void TaskRun::guard_all(const std::vector<os::Pid>& members) {
  if (guards_all_ || guard_ == nullptr) {
    return;
  }
  guards_all_ = true;
  if (members.size() < 2) {
    return;
  }
  deps_.loop.run_blocking(
      [guard = guard_, members, first = pid_] {
        for (const os::Pid member : members) {
          if (member != first) {
            (void)guard->add(member);  // One that has just ended needs no guard.
          }
        }
      },
      [] {});
}

void TaskRun::on_output(os::Stream stream, std::string_view bytes) {
  const bool is_stdout = stream == os::Stream::Stdout;
  OutputLog& log = is_stdout ? *stdout_log_ : *stderr_log_;
  const uint64_t offset = log.size_bytes();
  log.write(bytes);
  deps_.feed.offer(deps_.loop.now(), names_.attempt,
                   is_stdout ? wire::OutputStream::Stdout : wire::OutputStream::Stderr, offset,
                   bytes);
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
  killed_ = true;
  if (!exit_) {
    deps_.processes.signal_family(pid_, SIGKILL);
    return;
  }
  deps_.loop.cancel(look_timer_);
  look_timer_ = deps_.loop.call_after({}, [this] { finish(); });
}

std::optional<wire::Sample> TaskRun::watch_memory() {
  if (!running_) {
    return std::nullopt;
  }
  const std::vector<os::Pid> members = family();
  const os::Usage usage = deps_.meter.measure(members);
  deps_.leftovers.saw(names_.attempt, members);
  guard_all(members);
  used_bytes_ = usage.memory_bytes;
  peak_bytes_ = std::max(peak_bytes_, used_bytes_);
  if (guard_ && over_memory_.empty() && guard_->oom_kills() > 0) {
    // The kernel ends one process; what is left of the task is no task any more.
    over_memory_ = killed_at_limit();
    kill();
  }
  if (limit_bytes_ > 0 && used_bytes_ > limit_bytes_ && usage.exact && over_memory_.empty()) {
    over_memory_ = "its processes used " + format_bytes(used_bytes_) + " of memory; the limit is " +
                   format_bytes(limit_bytes_);
    kill();
  }
  return wire::Sample{names_.attempt, usage.memory_bytes, usage.cpu};
}

std::optional<Duration> TaskRun::look_for_stall(const wire::Sample& sample) {
  return stall_.look(deps_.loop.now(), sample.cpu,
                     stdout_log_->size_bytes() + stderr_log_->size_bytes());
}

bool TaskRun::near_limit() const {
  return running_ && limit_bytes_ > 0 && used_bytes_ > limit_bytes_ / 10 * 6;
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
  if (guarding_ && exit.code != 0) {
    early_ = exit;
    return;
  }
  exit_ = exit;
  look_period_ = kLookPeriodLow;
  asked_ && !killed_ ? wait_for_family() : finish();
}

/// The shell ends by TERM at once, the program under it may have something to save.
void TaskRun::wait_for_family() {
  if (family().empty() && deps_.leftovers.ask_to_end(names_.attempt, names_.mark) == 0) {
    finish();
    return;
  }
  look_timer_ = deps_.loop.call_after(look_period_, [this] { wait_for_family(); });
  look_period_ = std::min(2 * look_period_, kLookPeriodHigh);
}

void TaskRun::finish() {
  running_ = false;
  deps_.loop.cancel(look_timer_);
  if (!family_gone_) {
    // Those of its group first: they are known without looking at every process.
    (void)deps_.processes.signal_group(pid_, SIGKILL);
    deps_.processes.signal_family(pid_, SIGKILL);
  }
  deps_.leftovers.end(names_.attempt, names_.mark);
  deps_.processes.drain_output(pid_);
  deps_.processes.close_output(pid_);
  held_.clear();
  deps_.feed.finish(names_.attempt, wire::OutputStream::Stdout, stdout_log_->size_bytes());
  deps_.feed.finish(names_.attempt, wire::OutputStream::Stderr, stderr_log_->size_bytes());
  Ended ended;
  ended.exit = *exit_;
  ended.memory_peak_bytes = std::max(peak_bytes_, exit_->memory_peak_bytes);
  ended.memory_evidence = over_memory_;
  if (over_memory_.empty()) {
    ended.memory_evidence = kernel_kill(ended);
  }
  ended.over_memory = !ended.memory_evidence.empty();
  // The callee may destroy this run.
  const std::function<void(Ended)> tell = std::move(ended_);
  tell(std::move(ended));
}

std::string TaskRun::killed_at_limit() const {
  const uint64_t peak = std::max(peak_bytes_, guard_->memory_peak_bytes().value_or(0));
  return "the kernel stopped its processes at " + format_bytes(peak) + " of memory; the limit is " +
         format_bytes(limit_bytes_);
}

/// Says that the kernel killed for lack of memory; "" if it did not.
std::string TaskRun::kernel_kill(const Ended& ended) const {
  const bool succeeded = ended.exit.code == 0 && !ended.exit.signal;
  if (guard_ && !succeeded && guard_->oom_kills() > 0) {
    return killed_at_limit();
  }
  const bool killed = ended.exit.signal == SIGKILL || ended.exit.code == 128 + SIGKILL;
  return killed && deps_.meter.oom_kills() > oom_kills_before_
             ? "the kernel ran out of memory and killed it; it had used up to " +
                   format_bytes(ended.memory_peak_bytes)
             : "";
}

const OutputLog* TaskRun::output(wire::OutputStream stream) const {
  const std::optional<OutputLog>& log =
      stream == wire::OutputStream::Stdout ? stdout_log_ : stderr_log_;
  return log ? &*log : nullptr;
}

}  // namespace muster::agent
