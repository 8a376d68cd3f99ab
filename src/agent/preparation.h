#pragma once

#include "agent/agent.h"
#include "agent/checkpoint_restore.h"
#include "agent/checkpoint_scan.h"
#include "agent/placement.h"
#include "base/result.h"
#include "job/action.h"
#include "os/files.h"
#include "spec/spec.h"

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <optional>

namespace muster::agent {

/// One attempt on its way to Joined. Shared with the pool thread that places its files.
struct Agent::Preparation {
  job::PrepareAttempt order;
  spec::RoleSettings settings;
  std::filesystem::path work_folder;
  std::filesystem::path host_folder;
  CheckpointPlace checkpoint;
  bool anew = false;                     ///< The attempt is to find no checkpoint.
  const Variables* hadoop_of = nullptr;  ///< Whose Hadoop class path is wanted; nullptr: none.
  std::atomic<bool> cancelled = false;
  // Written by the pool thread, read once it is done.
  std::filesystem::path python_folder;
  std::string class_path;
  FolderLook checkpoint_look;
  std::optional<uint64_t> restored;
  Status placed;

  /// Runs on a pool thread.
  Status place(os::Files& files, Placement placement);
};

}  // namespace muster::agent
