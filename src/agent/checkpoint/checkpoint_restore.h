#pragma once

#include "agent/checkpoint/checkpoint_store.h"
#include "base/result.h"
#include "job/ids.h"
#include "job/plan.h"
#include "os/file/files.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace muster::agent {

/// Where the checkpoints of one task are on this host, and where they are mirrored.
struct CheckpointPlace {
  std::filesystem::path folder;      ///< MUSTER_CHECKPOINT_DIR.
  std::filesystem::path state_file;  ///< Says which committed checkpoint the folder came from.
  bool owner = false;                ///< This task's copy is the one that is mirrored.
  std::shared_ptr<CheckpointStore> store;  ///< nullptr: not mirrored.
};

/// What checkpoint_place() needs to know of this agent.
struct CheckpointSources {
  os::Files& files;
  const OpenCheckpointStore& open;  ///< For addresses; may be empty.
  std::filesystem::path host_folder;
  std::string writer;  ///< Names this agent.
};

/// Works out the place of a task by `checkpoint:`. With `by: chief`, all tasks of a host share one
/// folder and the chief's is mirrored; with `by: each`, every task has its own. An error means that
/// this agent cannot write to `to`.
[[nodiscard]] Result<CheckpointPlace> checkpoint_place(const CheckpointSources& sources,
                                                       const job::Plan& plan, job::TaskId task);

/// Puts the newest intact checkpoint into the folder, in one step, so that no half of it is ever
/// seen there. The owner's folder always becomes exactly that checkpoint, so that all hosts resume
/// from the same one; another task's folder is replaced only if it came from an older one (its
/// owner may live on this host and be further). Returns the checkpoint's number; nothing if there
/// is none or none was needed. Damaged ones are skipped in favour of older ones. Blocks.
[[nodiscard]] Result<std::optional<uint64_t>> restore_checkpoint(os::Files& files,
                                                                 const CheckpointPlace& place);

/// Returns whether an attempt must find an empty folder (`resume: never`): it follows another
/// attempt of its task, and no running task can have written to the folder. That is so for the
/// folder's owner, and for others when the whole gang waits for them.
[[nodiscard]] bool starts_anew(const job::Plan& plan, job::AttemptId attempt,
                               const CheckpointPlace& place);

/// Empties the folder. Blocks.
[[nodiscard]] Status clear_checkpoint(os::Files& files, const CheckpointPlace& place);

/// Records that the folder now is committed checkpoint `number`.
[[nodiscard]] Status note_checkpoint(os::Files& files, const CheckpointPlace& place,
                                     uint64_t number);

}  // namespace muster::agent
