#pragma once

#include "cluster/host_memory.h"
#include "os/file/files.h"
#include "rt/loop.h"

#include <string>

namespace muster::cluster {

/// The hosts that jobs of this machine remember: a file, mode 0600, written on the blocking pool.
/// Lines of masters that end at the same moment are written one after the other.
class FolderHostMemory final : public HostMemory {
 public:
  /// Loop and files must outlive it, and the writes it has begun.
  FolderHostMemory(rt::Loop& loop, os::Files& files, os::Path file);

  rt::Async<Status> add(std::string line) override;

 private:
  rt::Loop& loop_;
  os::Files& files_;
  os::Path file_;
};

/// Returns the lines in such a file; "" if it is missing.
[[nodiscard]] Result<std::string> read_host_memory(os::Files& files, const os::Path& file);

}  // namespace muster::cluster
