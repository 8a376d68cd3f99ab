#pragma once

#include "base/result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace muster::client {

/// Files that are not on this machine, by their URI. Calls block.
class RemoteFiles {
 public:
  virtual ~RemoteFiles() = default;
  /// Returns the bytes of the file `uri`; one larger than `limit_bytes` is an error.
  virtual Result<std::string> read(const std::string& uri, uint64_t limit_bytes) = 0;
  /// Returns `uri` itself if it is a file, or the files directly in it if it is a folder. NotFound
  /// if there is nothing.
  virtual Result<std::vector<std::string>> files_at(const std::string& uri) = 0;
};

}  // namespace muster::client
