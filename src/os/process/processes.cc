#include "os/process/processes.h"

#include "os/host/proc_text.h"
#include "os/process/exit_watch.h"
#include "os/process/loop_interactive_child.h"
#include "os/process/pipe_reader.h"
#include "os/process/signal_set.h"
#include "os/process/threads.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <fcntl.h>
#include <map>
#include <optional>
#include <set>
#include <unistd.h>
#include <utility>

namespace muster::os {
namespace {

/// The most a pipe can hold: an ended child's output is read up to this much before its exit is
/// reported. A task's pipe is made this large so that a program that writes much seldom waits for
/// its reader.
constexpr size_t kDrainMax = 1U << 20;

class LoopProcesses final : public Processes {
 public:
  explicit LoopProcesses(rt::IoLoop& loop) : loop_(loop) {}

  Result<Pid> spawn(const SpawnOptions& options, Handlers handlers) override;
  Result<std::unique_ptr<InteractiveChild>> spawn_interactive(
      SpawnOptions options, std::optional<WindowSize> terminal,
      InteractiveChild::Handlers handlers) override {
    return os::spawn_interactive(loop_, std::move(options), terminal, std::move(handlers));
  }
  Status signal_group(Pid leader, int signal) override { return os::signal_group(leader, signal); }
  void drain_output(Pid pid) override;
  void close_output(Pid pid) override;
  [[nodiscard]] std::vector<Pid> family(Pid child) const override;
  [[nodiscard]] std::vector<Pid> members(Pid child) const override;
  [[nodiscard]] FamilyRound begin_round() override { return rounds_.begin(); }
  [[nodiscard]] std::vector<Pid> members(Pid child, const FamilyRound& round) override;
  size_t signal_family(Pid child, int signal) override;
  size_t signal_ignoring(Pid child, int ignored, int signal) override;
  [[nodiscard]] std::vector<Pid> stopped(Pid child) const override;
  void go_on(Pid child, const std::vector<Pid>& stood) override;

 private:
  struct Child {
    Handlers handlers;
    std::unique_ptr<PipeReader> stdout_reader;
    std::unique_ptr<PipeReader> stderr_reader;
    std::unique_ptr<ExitWatch> exit;
    bool reaped = false;
  };
  using Shared = std::shared_ptr<Child>;

  std::unique_ptr<PipeReader> read_output(Pid pid, const Shared& child, rt::Fd pipe, Stream stream);
  void on_exit(Pid pid, const Shared& child);
  static void drain(const Shared& child);
  void forget_if_done(Pid pid, const Shared& child);

  rt::IoLoop& loop_;
  FamilyRounds rounds_;
  std::map<Pid, Shared> children_;  // Includes reaped ones while their output is open.
};

Result<Pid> LoopProcesses::spawn(const SpawnOptions& options, Handlers handlers) {
  MUSTER_TRY(Spawned spawned, os::spawn(options));
  const Pid pid = spawned.pid;
  auto child = std::make_shared<Child>();
  child->handlers = std::move(handlers);
  auto exit = watch_exit(loop_, pid, [this, pid, weak = std::weak_ptr(child)] {
    if (const Shared found = weak.lock()) {
      on_exit(pid, found);
    }
  });
  if (!exit.has_value()) {
    // A child whose end nobody would notice must not run.
    ::kill(pid.value, SIGKILL);
    (void)reap(pid);
    return std::move(exit).error();
  }
  child->exit = std::move(exit).value();
  child->stdout_reader = read_output(pid, child, std::move(spawned.stdout_pipe), Stream::Stdout);
  child->stderr_reader = read_output(pid, child, std::move(spawned.stderr_pipe), Stream::Stderr);
  // This forgets an ended child of the same number whose output somebody still holds open.
  children_[pid] = std::move(child);
  return pid;
}

std::unique_ptr<PipeReader> LoopProcesses::read_output(Pid pid, const Shared& child, rt::Fd pipe,
                                                       Stream stream) {
  if (!pipe.valid()) {
    return nullptr;
  }
  // If the user's share of memory for pipes is used up, the pipe keeps its size.
  (void)::fcntl(pipe.get(), F_SETPIPE_SZ, kDrainMax);
  const std::weak_ptr<Child> weak = child;
  return std::make_unique<PipeReader>(
      loop_, std::move(pipe),
      PipeReader::Handlers{
          .bytes =
              [weak, stream](std::string_view bytes) {
                const Shared found = weak.lock();
                if (found != nullptr && found->handlers.output) {
                  found->handlers.output(stream, bytes);
                }
              },
          .ended =
              [this, pid, weak, stream] {
                const Shared found = weak.lock();
                if (found == nullptr) {
                  return;
                }
                (stream == Stream::Stdout ? found->stdout_reader : found->stderr_reader).reset();
                forget_if_done(pid, found);
              }},
      PipeReader::Pace::Batches);
}

void LoopProcesses::drain(const Shared& child) {
  if (child->stdout_reader != nullptr) {
    child->stdout_reader->drain(kDrainMax);
  }
  if (child->stderr_reader != nullptr) {
    child->stderr_reader->drain(kDrainMax);
  }
}

void LoopProcesses::drain_output(Pid pid) {
  if (const auto found = children_.find(pid); found != children_.end()) {
    const Shared child = found->second;
    drain(child);
  }
}

void LoopProcesses::on_exit(Pid pid, const Shared& child) {
  drain(child);
  child->exit.reset();
  child->reaped = true;
  auto exit = try_reap(pid);
  const Exit told = exit.has_value() && exit->has_value() ? **exit : Exit{};
  const std::function<void(const Exit&)> exited = std::move(child->handlers.exited);
  forget_if_done(pid, child);
  if (exited) {
    exited(told);
  }
}

void LoopProcesses::forget_if_done(Pid pid, const Shared& child) {
  const auto found = children_.find(pid);
  if (found != children_.end() && found->second == child && child->reaped &&
      child->stdout_reader == nullptr && child->stderr_reader == nullptr) {
    children_.erase(found);
  }
}

void LoopProcesses::close_output(Pid pid) {
  const auto found = children_.find(pid);
  if (found == children_.end()) {
    return;
  }
  const Shared child = found->second;
  child->stdout_reader.reset();
  child->stderr_reader.reset();
  forget_if_done(pid, child);
}

std::vector<Pid> LoopProcesses::family(Pid child) const {
  const std::vector<ProcessInfo> all = list_processes();
  std::set<Pid> members;
  const auto belongs = [&](const ProcessInfo& process) {
    return process.pid == child || process.group == child || process.session == child ||
           members.contains(process.parent);
  };
  // Most listings have parents before their children, but not all: go on until nobody joins.
  size_t before = 0;
  do {
    before = members.size();
    for (const ProcessInfo& process : all) {
      if (process.pid.value != ::getpid() && belongs(process)) {
        members.insert(process.pid);
      }
    }
  } while (members.size() != before);
  std::vector<Pid> living;
  for (const ProcessInfo& process : all) {
    if (!process.zombie && members.contains(process.pid)) {
      living.push_back(process.pid);
    }
  }
  return living;
}

std::vector<Pid> LoopProcesses::members(Pid child) const {
  const OwnChildren own = list_own_children();
  return own ? pids_of(list_family(child, *own)) : family(child);
}

std::vector<Pid> LoopProcesses::members(Pid child, const FamilyRound& round) {
  return round.own ? rounds_.members(child, round) : family(child);
}

size_t LoopProcesses::signal_family(Pid child, int signal) {
  std::set<Pid> signalled;
  constexpr int kRoundsMax = 16;  // Some may fork while they are listed.
  for (int round = 0; round < kRoundsMax; ++round) {
    bool any_new = false;
    for (const Pid pid : family(child)) {
      if (signalled.insert(pid).second) {
        any_new = ::kill(pid.value, signal) == 0 || any_new;
      }
    }
    if (!any_new) {
      break;
    }
  }
  return signalled.size();
}

size_t LoopProcesses::signal_ignoring(Pid child, int ignored, int signal) {
  size_t signalled = 0;
  for (const Pid pid : family(child)) {
    const std::string status = read_proc(fmt::format("/proc/{}/status", pid.value));
    if (holds_signal(status, "SigIgn:", ignored)) {
      signalled += ::kill(pid.value, signal) == 0 ? 1 : 0;
    }
  }
  return signalled;
}

std::vector<Pid> LoopProcesses::stopped(Pid child) const { return stopped_among(members(child)); }

void LoopProcesses::go_on(Pid child, const std::vector<Pid>& stood) {
  continue_others(family(child), stood);
}

}  // namespace

// lint: allow(unused) this runs in fakes and in the simulator
std::vector<Pid> Processes::members(Pid child, const FamilyRound& /*round*/) {
  return members(child);
}

// lint: allow(unused) as above
size_t Processes::signal_ignoring(Pid /*child*/, int /*ignored*/, int /*signal*/) { return 0; }

// lint: allow(unused) as above
std::vector<Pid> Processes::stopped(Pid /*child*/) const { return {}; }

// lint: allow(unused) as above
void Processes::go_on(Pid /*child*/, const std::vector<Pid>& /*stood*/) {}

// NOLINTBEGIN(performance-unnecessary-value-param): overrides take them over.
Result<std::unique_ptr<InteractiveChild>> Processes::spawn_interactive(
    SpawnOptions /*options*/, std::optional<WindowSize> /*terminal*/,
    InteractiveChild::Handlers /*handlers*/) {
  // NOLINTEND(performance-unnecessary-value-param)
  return Error{Errc::Unsupported, Blame::Cluster, "interactive programs cannot be started here"};
}

std::unique_ptr<Processes> make_processes(rt::IoLoop& loop) {
  return std::make_unique<LoopProcesses>(loop);
}

}  // namespace muster::os
