#include "cluster/local/local_container.h"

#include "base/check.h"
#include "base/text.h"
#include "cluster/agent_launch.h"
#include "cluster/local/claims.h"
#include "os/process/exit_watch.h"
#include "os/process/spawn.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

namespace muster::cluster::local {
namespace {

constexpr Duration kTermGrace = std::chrono::seconds(2);
constexpr Duration kClaimLook = std::chrono::milliseconds(5);
constexpr int kClaimLooksMax = 1000;
constexpr size_t kLastOutputBytes = 2048;
constexpr int kOrderFd = 3;
constexpr int kClaimFd = 4;

/// Returns the end to read from of a pipe that holds `text` and then ends.
Result<rt::Fd> pipe_with(const std::string& text) {
  int pipe_fds[2];
  if (::pipe2(pipe_fds, O_CLOEXEC) != 0) {
    return system_error(errno, "cannot make a pipe for the agent's order");
  }
  rt::Fd read_end(pipe_fds[0]);
  const rt::Fd write_end(pipe_fds[1]);
  if (::write(write_end.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    return system_error(errno, "cannot write the agent's order");
  }
  return read_end;
}

}  // namespace

LocalContainer::LocalContainer(Deps deps, ContainerRecord record, rt::Fd claim,
                               std::vector<uint32_t> gpus, OnEnded on_ended)
    : deps_(std::move(deps)),
      record_(std::move(record)),
      claim_(std::move(claim)),
      gpus_(std::move(gpus)),
      begun_(deps_.loop),
      stub_exited_(deps_.loop),
      scope_(deps_.loop) {
  life_ = rt::start(deps_.loop, live(),
                    [this, on_ended = std::move(on_ended)](job::ContainerEnded ended) {
                      gone_ = true;
                      on_ended(std::move(ended));
                    });
}

LocalContainer::LocalContainer(Deps deps, ContainerRecord record, OnEnded on_ended)
    : LocalContainer(std::move(deps), std::move(record), rt::Fd(), {}, std::move(on_ended)) {
  begun_.set();
}

rt::Async<job::ContainerEnded> LocalContainer::live() {
  co_await begun_.wait();
  // The pid of an earlier master's stub may belong to another process by now.
  if (spawned_here_ || stub_lives()) {
    co_await stub_exit();
  }
  stub_ended_ = true;
  reap();
  claim_.reset();
  for (int looks = 1; ClaimFolder::is_held(record_.claim_file) && looks < kClaimLooksMax; ++looks) {
    co_await rt::pause_for(deps_.loop, kClaimLook);
  }
  if (!record_.claim_file.empty()) {
    ::unlink(record_.claim_file.c_str());
  }
  co_return end_fact();
}

rt::Async<> LocalContainer::stub_exit() {
  const auto watch =
      os::watch_exit(deps_.loop, os::Pid{record_.stub_pid}, [this] { stub_exited_.set(); });
  if (watch.has_value()) {
    co_await stub_exited_.wait();
  }
}

void LocalContainer::reap() {
  if (record_.stub_pid == 0) {
    return;
  }
  const auto exit = os::try_reap(os::Pid{record_.stub_pid});
  if (exit.has_value() && exit->has_value()) {
    exit_code_ = (*exit)->code;
    signal_ = (*exit)->signal;
  }
}

job::ContainerEnded LocalContainer::end_fact() const {
  job::ContainerEnded ended;
  ended.container = record_.container;
  ended.exit_code = exit_code_;
  if (signal_ || exit_code_) {
    ended.cluster_code = std::to_string(signal_ ? 128 + *signal_ : *exit_code_);
  }
  if (released_) {
    ended.kind = job::ContainerEndKind::Released;
  } else if (signal_ || exit_code_.value_or(0) > 128) {
    ended.kind = job::ContainerEndKind::Killed;
    ended.diagnostics = last_output();
  } else if (exit_code_.value_or(0) != 0) {
    ended.diagnostics = last_output();
  }
  return ended;
}

Status LocalContainer::launch(const LaunchOrder& order) {
  if (record_.stub_pid != 0 || released_ || stub_ended_) {
    return {};
  }
  Status spawned = spawn_stub(order);
  if (spawned_here_) {
    begun_.set();
  }
  return spawned;
}

Status LocalContainer::spawn_stub(const LaunchOrder& order) {
  AgentLaunch launch;
  launch.order = order;
  launch.order.host = record_.host;
  launch.job_folder = deps_.folder.root().string();
  launch.listen_host = "127.0.0.1";
  launch.gpus = gpus_;
  launch.network = deps_.network;
  launch.orphan = deps_.orphan;
  const std::string text = encode(launch);
  MUSTER_CHECK(text.size() <= kAgentLaunchMax, "a launch order is too long for a pipe");
  MUSTER_TRY(const rt::Fd order_fd, pipe_with(text));
  os::SpawnOptions spawn;
  spawn.argv = {deps_.program.string(),   "keeper",          "--order-fd",
                std::to_string(kOrderFd), "--claim-fd",      std::to_string(kClaimFd),
                "--claim-file",           record_.claim_file};
  spawn.env = os::own_environment();
  spawn.folder = deps_.folder.root();
  spawn.stdout_to = os::ToFile{log_path()};
  spawn.stderr_to = os::ToFile{log_path()};
  spawn.grouping = os::Grouping::NewSession;
  spawn.keep = {{order_fd.get(), kOrderFd}, {claim_.get(), kClaimFd}};
  MUSTER_TRY(const os::Spawned spawned, os::spawn(spawn));
  spawned_here_ = true;
  record_.stub_pid = spawned.pid.value;
  record_.start_ticks = start_ticks_of(spawned.pid.value);
  claim_.reset();  // The container's own processes hold it now.
  return write_record(deps_.files, deps_.folder.containers(), record_);
}

void LocalContainer::release() {
  if (std::exchange(released_, true) || gone_) {
    return;
  }
  if (record_.stub_pid == 0) {
    begun_.set();
    return;
  }
  signal_stub(SIGTERM);
  scope_.spawn(kill_late());
}

rt::Async<> LocalContainer::kill_late() {
  co_await rt::pause_for(deps_.loop, kTermGrace);
  if (!stub_ended_) {
    signal_stub(SIGKILL);
  }
}

void LocalContainer::check() {
  if (record_.stub_pid != 0 && !stub_lives()) {
    stub_exited_.set();
  }
}

bool LocalContainer::known_dead() const {
  return stub_ended_ || (record_.stub_pid != 0 && !stub_lives());
}

bool LocalContainer::stub_lives() const {
  return record_.stub_pid != 0 && record_.start_ticks != 0 &&
         start_ticks_of(record_.stub_pid) == record_.start_ticks;
}

void LocalContainer::signal_stub(int signal) const {
  if (stub_lives()) {
    ::kill(record_.stub_pid, signal);
  }
}

std::filesystem::path LocalContainer::log_path() const {
  return deps_.folder.containers() / (record_.container.value + ".log");
}

std::string LocalContainer::last_output() const {
  const Result<os::FileStat> stat = deps_.files.stat(log_path());
  if (!stat.has_value()) {
    return "";
  }
  const uint64_t offset = stat->size_bytes - std::min<uint64_t>(stat->size_bytes, kLastOutputBytes);
  const Result<std::string> text = deps_.files.read_part(log_path(), offset, kLastOutputBytes);
  return text.has_value() ? std::string(trim(*text)) : "";
}

}  // namespace muster::cluster::local
