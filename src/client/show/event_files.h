#pragma once

#include "base/result.h"

#include <cstddef>
#include <filesystem>
#include <string>

namespace muster::client {

/// TensorBoard event files that are not on this machine. `conf`: the folder of the configuration
/// that names the file systems; empty: the default lookup. Calls block.
class EventFiles {
 public:
  virtual ~EventFiles() = default;
  /// Returns the folder or URI of the newest checkpoint in `to` (a job's checkpoint.to, a folder of
  /// this machine or of another file system); `to` itself if it holds no checkpoint named by
  /// Muster.
  virtual Result<std::string> newest_checkpoint(const std::string& conf, const std::string& to) = 0;
  /// Copies the event files below the URI `from` into the folder `to`, which is made, keeping their
  /// subfolders; files already there with the same size stay. Returns how many there are.
  virtual Result<size_t> bring(const std::string& conf, const std::string& from,
                               const std::filesystem::path& to) = 0;
};

}  // namespace muster::client
