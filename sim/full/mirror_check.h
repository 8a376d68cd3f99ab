#pragma once

#include "job/ids.h"
#include "testing/memory_files.h"

#include <filesystem>
#include <map>
#include <set>
#include <string>

namespace muster::sim {

/// What the log says about commits: which generation was granted which name.
using Grants = std::set<std::pair<job::Generation, std::string>>;

/// Watches the committed checkpoints of a run, where agents keep them for all hosts: each was
/// granted, is whole, and none is of an older generation than the one before it.
class MirrorCheck {
 public:
  /// Looks at everything below `root`; returns what is broken, in one sentence, or "".
  [[nodiscard]] std::string look(const testing::MemoryTree& tree, const std::filesystem::path& root,
                                 const Grants& grants);

 private:
  std::string take(const std::filesystem::path& folder, const std::string& manifest,
                   const testing::MemoryTree& tree, const Grants& grants);

  /// By one owner's folder and the number; those that were pruned stay here.
  std::map<std::filesystem::path, std::map<std::string, job::Generation>> seen_;
};

/// The files of a simulated checkpoint: the content, and the mark that says that it is complete.
/// Both hold the same text.
inline constexpr const char* kWeightsFile = "weights";
inline constexpr const char* kMarkFile = "DONE";

}  // namespace muster::sim
