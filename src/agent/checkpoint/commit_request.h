#pragma once

#include "os/file/files.h"

#include <optional>
#include <string>
#include <string_view>

namespace muster::agent {

/// A task's statement that its checkpoint is complete, left by `muster-commit` as a file in the
/// attempt's commit folder.
struct CommitRequest {
  std::string stem;  ///< Of the file; the answer's file has the same.
  std::string name;  ///< As the task calls the checkpoint.
};

/// Finds one request in `folder`, if there is any; a missing folder holds none. Blocks.
[[nodiscard]] std::optional<CommitRequest> find_commit_request(os::Files& files,
                                                               const os::Path& folder);

/// Answers a request and removes it: "committed 3", "refused: WHY".
void answer_commit_request(os::Files& files, const os::Path& folder, const CommitRequest& request,
                           const std::string& answer);

/// The program `muster-commit` for tasks that say themselves when a checkpoint is complete: leaves
/// a request in MUSTER_COMMIT_DIR and waits for the answer.
[[nodiscard]] std::string_view commit_program();

}  // namespace muster::agent
