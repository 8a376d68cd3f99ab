#pragma once

#include "agent/checkpoint/checkpoint_restore.h"
#include "agent/checkpoint/checkpoint_scan.h"
#include "agent/checkpoint/commit_request.h"
#include "base/log.h"
#include "job/ids.h"
#include "os/file/files.h"
#include "rt/loop.h"
#include "rt/running.h"
#include "rt/wait.h"
#include "wire/frame.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace muster::agent {

/// Grants commits: the master, as this agent reaches it.
class CommitAuthority {
 public:
  virtual ~CommitAuthority() = default;
  /// Sends the request; returns false while there is no master. The answer, if any, goes to
  /// Checkpointer::answered().
  virtual bool ask(const wire::CommitAsked& request) = 0;
  /// The newest generation this agent has seen: an attempt that survives while others restart
  /// commits in that one.
  [[nodiscard]] virtual job::Generation generation() const = 0;
};

/// What mirroring checkpoints works with. All must outlive it.
struct CheckpointDeps {
  rt::Loop& loop;
  os::Files& files;
  log::Logger log;
  CommitAuthority& authority;
};

/// What is mirrored for one attempt.
struct WatchedCheckpoint {
  job::AttemptId attempt;
  job::JobId job;
  CheckpointPlace place;
  uint32_t keep = 3;                    ///< Committed checkpoints that are kept.
  std::filesystem::path commit_folder;  ///< Of muster-commit.
  FolderLook at_start;                  ///< The folder before the attempt's process ran.
};

/// Mirrors the checkpoints of one attempt while it lives: looks at its folder every second, copies
/// a complete checkpoint to where it is not visible yet, asks for a grant, and only then gives the
/// copy its name. Lives on the loop's thread; slow work runs on the pool. Destroying it abandons
/// the work in progress; an uncommitted copy is removed by a later prune.
class CheckpointWatch {
 public:
  CheckpointWatch(const CheckpointDeps& deps, WatchedCheckpoint watched);
  CheckpointWatch(const CheckpointWatch&) = delete;
  CheckpointWatch& operator=(const CheckpointWatch&) = delete;

  void answered(const wire::CommitAnswered& answer);
  /// The attempt's process has ended: commits what is complete now, then sets over().
  void end();
  [[nodiscard]] rt::Event& over() { return over_; }

 private:
  /// What one look at the folder found.
  struct Look {
    std::shared_ptr<const FolderLook> now = std::make_shared<const FolderLook>();
    std::optional<CommitRequest> request;
    std::optional<CheckpointStore::Staged> staged;  ///< The copy of a complete checkpoint.
    std::string trouble;
  };
  struct Scan;
  /// What came of a request for a grant.
  struct Grant {
    enum class Kind : uint8_t { Granted, Refused, Unanswered };
    Kind kind = Kind::Granted;
    std::string why;  ///< Unless it was granted.
  };
  using Staged = std::shared_ptr<const CheckpointStore::Staged>;

  rt::Async<> run();
  rt::Async<Look> look();
  /// Handles what a look found; returns whether it was committed.
  rt::Async<bool> settle(Look look);
  rt::Async<Grant> ask(Staged staged);
  rt::Async<Result<uint64_t>> commit(Staged staged);
  rt::Async<> discard(Staged staged);
  void reply(const Look& look, const std::string& answer);

  CheckpointDeps deps_;
  std::shared_ptr<const WatchedCheckpoint> watched_;
  std::shared_ptr<const FolderLook> before_;     ///< The look before.
  std::shared_ptr<const FolderLook> committed_;  ///< As it was when last committed or refused.
  HostTime changed_{};                           ///< When a look last differed.
  std::optional<wire::CommitAnswered> answer_;   ///< To the request under way.
  rt::Event ended_;
  rt::Event answered_;
  rt::Event over_;
  rt::Running running_;  ///< Last: it uses all of the above.
};

}  // namespace muster::agent
