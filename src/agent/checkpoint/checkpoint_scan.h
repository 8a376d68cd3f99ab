#pragma once

#include "base/result.h"
#include "base/time.h"
#include "os/file/files.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::agent {

/// One file of a checkpoint folder as one look found it.
struct SeenFile {
  std::string path;  ///< Below the folder.
  uint64_t size_bytes = 0;
  WallTime modified{};
  bool operator==(const SeenFile&) const = default;
};
using FolderLook = std::vector<SeenFile>;

/// Lists all files below `folder`, sorted; hidden and temporary ones are left out. A missing folder
/// is empty. Blocks.
[[nodiscard]] Result<FolderLook> look_at(os::Files& files, const std::filesystem::path& folder);

/// A checkpoint that is whole: which files make it up, and what said so.
struct CompleteCheckpoint {
  std::string name;
  std::string marker;  ///< "tensorflow", "done", "file", "asked", "quiet" (a guess: nothing else
                       ///< ever said so).
  std::vector<std::string> files;
};

/// What is known when a folder is judged.
struct CheckpointLooks {
  /// The previous look: what has not changed since is not being written.
  const FolderLook* before = nullptr;
  const FolderLook* now = nullptr;
  const FolderLook* committed = nullptr;  ///< The folder when its last checkpoint was taken.
  Duration quiet{};                       ///< For how long nothing changed.
  bool ended = false;                     ///< Nothing writes to it any more.
};

/// Judges whether the folder holds a checkpoint that is complete and newer than the committed one:
/// by TensorFlow's `checkpoint` file, a `DONE` file, whole files of the kinds that are first
/// written under another name (torch), and only as a last resort by the absence of changes. Reads
/// small files of the folder. Blocks.
[[nodiscard]] std::optional<CompleteCheckpoint> find_complete(os::Files& files,
                                                              const std::filesystem::path& folder,
                                                              const CheckpointLooks& looks);

/// Reads TensorFlow's `checkpoint` file: the newest prefix first, then all it lists. Empty if the
/// text is not such a file.
[[nodiscard]] std::vector<std::string> tensorflow_prefixes(std::string_view text);

}  // namespace muster::agent
