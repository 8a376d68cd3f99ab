#pragma once

#include "agent/agent_deps.h"
#include "agent/attempt/placement.h"
#include "agent/checkpoint/checkpoint_restore.h"
#include "agent/checkpoint/checkpoint_scan.h"
#include "agent/job_context.h"
#include "base/log.h"
#include "base/result.h"
#include "job/action.h"
#include "rt/async.h"
#include "spec/settings.h"

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>

namespace muster::agent {

/// What an attempt is started from, once everything is in its place.
struct Preparation {
  job::PrepareAttempt order;
  spec::RoleSettings settings;
  std::filesystem::path work_folder;
  std::filesystem::path python_folder;  ///< Put first on PATH; empty for none.
  std::string class_path;               ///< Of this host's Hadoop; "" if not wanted.
  CheckpointPlace checkpoint;
  FolderLook checkpoint_look;  ///< The mirrored folder before the attempt's process runs.

  [[nodiscard]] bool mirrors() const { return checkpoint.store != nullptr && checkpoint.owner; }
  /// Where muster-commit leaves its requests.
  [[nodiscard]] std::filesystem::path commit_folder() const {
    return work_folder / ".muster-commit";
  }
};

/// Takes attempts from their order to a Preparation: places their files and Python environment and
/// restores their checkpoint. Lives on the loop's thread; slow work runs on the pool.
class Preparer {
 public:
  Preparer(const AgentDeps& deps, const JobContext& job, Unpacker unpack);

  /// Prepares an attempt that the plan knows. `stop` ends it between two files. An error's blame
  /// says whose it is; preparation_failure() makes it a failure of the attempt.
  [[nodiscard]] rt::Async<Result<Preparation>> prepare(job::PrepareAttempt order,
                                                       std::stop_token stop);

 private:
  AgentDeps deps_;
  const JobContext& job_;
  Unpacker unpack_;
  log::Logger log_;
  std::optional<std::string> class_path_;  ///< Of this host's Hadoop, once asked for.
};

}  // namespace muster::agent
