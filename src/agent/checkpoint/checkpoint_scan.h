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

/// One file of a checkpoint folder as one look at it found it.
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
  /// The look before: what did not change since is not being written.
  const FolderLook* before = nullptr;
  const FolderLook* now = nullptr;
  const FolderLook* committed = nullptr;  ///< As it was when the last checkpoint of it was taken.
  Duration quiet{};                       ///< For how long nothing changed.
  bool ended = false;                     ///< Nobody writes any more.
};

/// Judges whether the folder holds a checkpoint that is complete and newer than the committed one:
/// by TensorFlow's `checkpoint` file, a `DONE` file, whole files of the kinds that are
/// written under another name first (torch), and only as the last resort by quiet. Reads small
/// files of the folder. Blocks.
[[nodiscard]] std::optional<CompleteCheckpoint> find_complete(os::Files& files,
                                                              const std::filesystem::path& folder,
                                                              const CheckpointLooks& looks);

/// Reads TensorFlow's `checkpoint` file: the newest prefix first, then all it lists. Empty if it is
/// none.
[[nodiscard]] std::vector<std::string> tensorflow_prefixes(std::string_view text);

}  // namespace muster::agent
