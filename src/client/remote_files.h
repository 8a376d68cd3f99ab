#pragma once

#include "base/result.h"

#include <cstdint>
#include <string>

namespace muster::client {

/// Files that do not lie on this machine, by their URI. Calls block.
class RemoteFiles {
 public:
  virtual ~RemoteFiles() = default;
  /// Returns the bytes of the file `uri`; one larger than `limit_bytes` is an error.
  virtual Result<std::string> read(const std::string& uri, uint64_t limit_bytes) = 0;
};

}  // namespace muster::client
