#include "base/check.h"
#include "base/text.h"
#include "cluster/agent_launch.h"
#include "cluster/local/local_link.h"
#include "os/spawn.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

/// The second half of LocalLink: from a launch to the end of a container.
namespace muster::cluster::local {
namespace {

constexpr Duration kTermGrace = std::chrono::seconds(2);
constexpr Duration kClaimLook = std::chrono::milliseconds(5);
constexpr int kClaimLooksMax = 1000;
constexpr Duration kFinishMax = std::chrono::seconds(5);
constexpr size_t kLastWordsBytes = 2048;
constexpr int kOrderFd = 3;
constexpr int kClaimFd = 4;

}  // namespace

void LocalLink::launch(const LaunchOrder& order) {
  const auto found = containers_.find(order.container);
  if (found == containers_.end() || found->second.record.stub_pid != 0 || found->second.released) {
    return;
  }
  Container& container = found->second;
  if (const Status spawned = spawn_stub(container, order); !spawned.has_value()) {
    log_.warning("container.not-launched",
                 {{"container", order.container.value}, {"error", spawned.error().message}});
    tell(job::LaunchFailed{order.container, spawned.error().message});
    return;
  }
  watch_stub(container);
}

Status LocalLink::spawn_stub(Container& container, const LaunchOrder& order) {
  AgentLaunch launch;
  launch.order = order;
  launch.order.host = container.record.host;
  launch.job_folder = options_.folder.root().string();
  launch.listen_host = "127.0.0.1";
  launch.gpus = container.gpus;
  launch.orphan = options_.plan->liveness.orphan;
  const std::string text = encode(launch);
  int pipe_fds[2];
  if (::pipe2(pipe_fds, O_CLOEXEC) != 0) {
    return system_error(errno, "no pipe for the agent's order");
  }
  const rt::Fd read_end(pipe_fds[0]);
  rt::Fd write_end(pipe_fds[1]);
  MUSTER_CHECK(text.size() <= kAgentLaunchMax, "a launch order is too long for a pipe");
  if (::write(write_end.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    return system_error(errno, "the agent's order cannot be written");
  }
  write_end.reset();
  os::SpawnOptions spawn;
  spawn.argv = {options_.program.string(),
                "keeper",
                "--order-fd",
                std::to_string(kOrderFd),
                "--claim-fd",
                std::to_string(kClaimFd),
                "--claim-file",
                container.record.claim_file};
  spawn.env = os::own_environment();
  spawn.folder = options_.folder.root();
  spawn.stdout_to = os::ToFile{log_path(order.container)};
  spawn.stderr_to = os::ToFile{log_path(order.container)};
  spawn.grouping = os::Grouping::NewSession;
  spawn.keep = {{read_end.get(), kOrderFd}, {container.claim.get(), kClaimFd}};
  MUSTER_TRY(const os::Spawned spawned, os::spawn(spawn));
  container.record.stub_pid = spawned.pid.value;
  container.record.start_ticks = start_ticks_of(spawned.pid.value);
  container.claim.reset();  // The container's own processes hold it now.
  return write_record(files_, options_.folder.containers(), container.record);
}

void LocalLink::watch_stub(Container& container) {
  auto ended = [this, id = container.record.container] { on_stub_ended(id); };
  auto watch = os::watch_exit(loop_, os::Pid{container.record.stub_pid}, ended);
  if (watch.has_value()) {
    container.exit = std::move(*watch);
    return;
  }
  loop_.post([this, id = container.record.container, alive = alive_] {
    if (*alive) {
      on_stub_ended(id);
    }
  });
}

void LocalLink::on_stub_ended(const job::ContainerId& id) {
  Container& container = containers_.at(id);
  if (container.stub_ended) {
    return;
  }
  container.stub_ended = true;
  if (container.record.stub_pid != 0) {
    const auto exit = os::try_reap(os::Pid{container.record.stub_pid});
    if (exit.has_value() && exit->has_value()) {
      container.exit_code = (*exit)->code;
      container.signal = (*exit)->signal;
    }
  }
  look_at_claim(id);
}

/// A killed stub is gone before the rest of its container: that is when the claim is free.
void LocalLink::look_at_claim(const job::ContainerId& id) {
  Container& container = containers_.at(id);
  container.claim.reset();
  if (ClaimFolder::is_held(container.record.claim_file) && ++container.looks < kClaimLooksMax) {
    container.timer = loop_.call_after(kClaimLook, [this, id] { look_at_claim(id); });
    return;
  }
  if (!container.record.claim_file.empty()) {
    ::unlink(container.record.claim_file.c_str());
  }
  tell_ended(container);
}

void LocalLink::tell_ended(Container& container) {
  if (container.told) {
    return;
  }
  container.told = true;
  container.exit.reset();
  job::ContainerEnded ended;
  ended.container = container.record.container;
  ended.exit_code = container.exit_code;
  if (container.released) {
    ended.kind = job::ContainerEndKind::Released;
  } else if (container.signal || container.exit_code.value_or(0) > 128) {
    ended.kind = job::ContainerEndKind::Killed;
    ended.diagnostics = last_words(container.record.container);
  } else if (container.exit_code.value_or(0) != 0) {
    ended.diagnostics = last_words(container.record.container);
  }
  log_.info("container.ended", {{"container", ended.container.value},
                                {"kind", job::to_string(ended.kind)},
                                {"code", container.exit_code.value_or(0)}});
  tell(ended);
  check_finished();
}

void LocalLink::release(const job::ContainerId& id) {
  const auto found = containers_.find(id);
  if (found == containers_.end() || found->second.released || found->second.told) {
    return;
  }
  Container& container = found->second;
  container.released = true;
  if (container.record.stub_pid == 0) {
    loop_.post([this, id, alive = alive_] {
      if (*alive) {
        on_stub_ended(id);
      }
    });
    return;
  }
  signal_stub(container, SIGTERM);
  container.timer = loop_.call_after(kTermGrace, [this, id] {
    const Container& late = containers_.at(id);
    if (!late.stub_ended) {
      signal_stub(late, SIGKILL);
    }
  });
}

void LocalLink::reconcile() {
  for (auto& [id, container] : containers_) {
    if (!container.told && container.record.stub_pid != 0 && !stub_lives(container)) {
      loop_.post([this, gone = id, alive = alive_] {
        if (*alive) {
          on_stub_ended(gone);
        }
      });
    }
  }
}

bool LocalLink::known_dead(const job::ContainerId& id) const {
  const auto found = containers_.find(id);
  if (found == containers_.end()) {
    return true;
  }
  const Container& container = found->second;
  return container.told || container.stub_ended ||
         (container.record.stub_pid != 0 && !stub_lives(container));
}

bool LocalLink::stub_lives(const Container& container) const {
  return container.record.stub_pid != 0 && container.record.start_ticks != 0 &&
         start_ticks_of(container.record.stub_pid) == container.record.start_ticks;
}

void LocalLink::signal_stub(const Container& container, int signal) const {
  if (stub_lives(container)) {
    ::kill(container.record.stub_pid, signal);
  }
}

std::filesystem::path LocalLink::log_path(const job::ContainerId& id) const {
  return options_.folder.containers() / (id.value + ".log");
}

std::string LocalLink::last_words(const job::ContainerId& id) const {
  const Result<os::FileStat> stat = files_.stat(log_path(id));
  if (!stat.has_value()) {
    return "";
  }
  const uint64_t offset = stat->size_bytes - std::min<uint64_t>(stat->size_bytes, kLastWordsBytes);
  const Result<std::string> text = files_.read_part(log_path(id), offset, kLastWordsBytes);
  return text.has_value() ? std::string(trim(*text)) : "";
}

void LocalLink::finish(const job::Outcome&, std::function<void()> done) {
  finished_ = std::move(done);
  pending_.clear();
  for (const auto& [id, container] : containers_) {
    release(id);
  }
  finish_timer_ = loop_.call_after(kFinishMax, [this] {
    if (const auto call = std::exchange(finished_, nullptr)) {
      call();
    }
  });
  check_finished();
}

void LocalLink::check_finished() {
  const bool all_gone =
      std::ranges::all_of(containers_, [](const auto& entry) { return entry.second.told; });
  if (finished_ == nullptr || !all_gone) {
    return;
  }
  loop_.cancel(std::exchange(finish_timer_, {}));
  loop_.post([call = std::exchange(finished_, nullptr)] { call(); });
}

}  // namespace muster::cluster::local
