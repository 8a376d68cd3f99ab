#pragma once

#include "agent/checkpoint_restore.h"
#include "agent/checkpoint_scan.h"
#include "base/log.h"
#include "job/ids.h"
#include "os/files.h"
#include "rt/loop.h"
#include "wire/frame.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace muster::agent {

/// Mirrors the checkpoints of the attempts of this container that own one: looks at their folders
/// every second, copies what is complete to where nobody sees it, asks the master, and only when
/// that grants it gives the copy its name. One step at a time for each attempt; what is slow runs
/// on the pool. Lives on the loop's thread.
class Checkpointer {
 public:
  struct Deps {
    rt::Loop& loop;
    os::Files& files;
    log::Logger log;
    /// Sends the ask; false while there is no master.
    std::function<bool(const wire::CommitAsked&)> ask;
    /// The newest generation this agent has seen: an attempt that lives on while others restart
    /// commits in that one.
    std::function<job::Generation()> generation;
  };
  /// What is watched for one attempt.
  struct Watched {
    job::AttemptId attempt;
    job::JobId job;
    CheckpointPlace place;
    uint32_t keep = 3;
    std::filesystem::path ask_folder;  ///< Of muster-commit.
    FolderLook at_start;               ///< The folder before the attempt's process ran.
  };

  explicit Checkpointer(Deps deps) : deps_(std::move(deps)) {}
  ~Checkpointer();
  Checkpointer(const Checkpointer&) = delete;
  Checkpointer& operator=(const Checkpointer&) = delete;

  void watch(Watched watched);
  [[nodiscard]] bool watches(job::AttemptId attempt) const { return records_.contains(attempt); }
  void answered(const wire::CommitAnswered& answer);
  /// The attempt's process has ended: looks a last time, commits what is complete, then calls
  /// `done`, after `patience` at the latest.
  void finish(job::AttemptId attempt, Duration patience, std::function<void()> done);

 private:
  struct Record;
  struct Step;
  using Shared = std::shared_ptr<Record>;

  void look(const Shared& record);
  void on_looked(const Shared& record, Step& step);
  void commit(const Shared& record);
  void give_up(const Shared& record, const std::string& why);
  void rest(const Shared& record);
  void end(const Shared& record);

  Deps deps_;
  std::map<job::AttemptId, Shared> records_;
};

/// The program `muster-commit` for tasks that say themselves when a checkpoint is complete: leaves
/// an ask in MUSTER_COMMIT_DIR and waits for the answer.
[[nodiscard]] std::string_view commit_program();

}  // namespace muster::agent
