#pragma once

#include "base/log.h"
#include "cluster/job_folder.h"
#include "cluster/link.h"
#include "cluster/local/container_record.h"
#include "job/fact.h"
#include "os/file/files.h"
#include "rt/fd.h"
#include "rt/io_loop.h"
#include "rt/running.h"
#include "rt/scope.h"
#include "rt/wait.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace muster::cluster::local {

/// One container of this machine, from its grant to its end. Its processes are a stub, started by
/// the link, and its descendants. It is gone when the stub has ended and nobody holds its claim any
/// more, that is, when its last process has ended, which for a killed stub is later. Destroying
/// this ends no process. Lives on the loop's thread.
class LocalContainer {
 public:
  struct Deps {
    rt::IoLoop& loop;
    os::Files& files;
    JobFolder folder;
    std::filesystem::path program;  ///< `program keeper ...` becomes the stub.
    spec::Network network;          ///< Where its agent and tasks listen.
    Duration orphan;                ///< How long an agent without a master keeps its tasks.
  };
  /// Called once, from the loop; may destroy the container.
  using OnEnded = std::function<void(job::ContainerEnded ended)>;

  /// A container that this master was granted; `claim` is ours until the stub has it.
  LocalContainer(Deps deps, ContainerRecord record, rt::Fd claim, std::vector<uint32_t> gpus,
                 OnEnded on_ended);
  /// A container of an earlier master, in whatever state it is.
  LocalContainer(Deps deps, ContainerRecord record, OnEnded on_ended);
  LocalContainer(const LocalContainer&) = delete;
  LocalContainer& operator=(const LocalContainer&) = delete;

  /// Starts the stub. Does nothing if repeated, or after release().
  Status launch(const LaunchOrder& order);
  /// Ends the processes: sends TERM to the stub, which ends all others, and KILL after a grace
  /// period. May be repeated.
  void release();
  /// Checks whether the stub is alive, without waiting for a notification from the kernel.
  void check();

  [[nodiscard]] const job::HostName& host() const { return record_.host; }
  /// Returns whether the agent is known to have ended.
  [[nodiscard]] bool known_dead() const;
  [[nodiscard]] bool gone() const { return gone_; }

 private:
  [[nodiscard]] rt::Async<job::ContainerEnded> live();
  [[nodiscard]] rt::Async<> stub_exit();
  [[nodiscard]] rt::Async<> kill_late();
  [[nodiscard]] Status spawn_stub(const LaunchOrder& order);
  void reap();
  [[nodiscard]] job::ContainerEnded end_fact() const;
  [[nodiscard]] bool stub_lives() const;
  void signal_stub(int signal) const;
  [[nodiscard]] std::filesystem::path log_path() const;
  [[nodiscard]] std::string last_output() const;

  Deps deps_;
  ContainerRecord record_;
  rt::Fd claim_;
  std::vector<uint32_t> gpus_;
  bool spawned_here_ = false;  ///< The stub is a child of this process.
  bool released_ = false;
  bool stub_ended_ = false;
  bool gone_ = false;
  std::optional<int32_t> exit_code_;
  std::optional<int32_t> signal_;
  rt::Event begun_;  ///< There is a stub, or there will never be one.
  rt::Event stub_exited_;
  rt::Running life_;  ///< The coroutines last: they use the rest.
  rt::Scope scope_;
};

}  // namespace muster::cluster::local
