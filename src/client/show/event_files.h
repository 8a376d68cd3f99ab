#pragma once

#include "base/result.h"

#include <cstddef>
#include <filesystem>
#include <string>

namespace muster::client {

/// What TensorBoard reads, where that does not lie on this machine. `conf`: the folder of the
/// configuration that names the file systems; empty: as they look for it themselves. Calls block.
class EventFiles {
 public:
  virtual ~EventFiles() = default;
  /// Returns the newest checkpoint in `to` (a folder of this machine or of another file system,
  /// checkpoint.to of a job): its folder or URI; `to` itself where it holds none by Muster's names.
  virtual Result<std::string> newest_checkpoint(const std::string& conf, const std::string& to) = 0;
  /// Copies the event files below the URI `from` into the folder `to`, which is made, with the
  /// folders they lie in; those that are there with the same size stay. Returns how many there are.
  virtual Result<size_t> bring(const std::string& conf, const std::string& from,
                               const std::filesystem::path& to) = 0;
};

}  // namespace muster::client
