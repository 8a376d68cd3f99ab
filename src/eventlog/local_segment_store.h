#pragma once

#include "eventlog/segment_store.h"
#include "os/file/files.h"
#include "rt/loop.h"

#include <memory>
#include <optional>

namespace muster::eventlog {

/// Segments as files `NNNNNN.log` of one folder, mode 0600. A new segment is synced with its
/// folder, so that the fence it means survives the host; appended bytes are given to the kernel
/// (write(2)) and survive the process. Errors name the file; OutOfSpace and PermissionDenied (a
/// read-only file system) are distinguished.
///
/// What was appended is written at once; its answer comes even if the store is gone by then.
///
/// For readers without a loop, `loop` may be nullptr: append must not be called then.
class LocalSegmentStore final : public SegmentStore {
 public:
  LocalSegmentStore(rt::Loop* loop, os::Files& files, os::Path folder);

  Result<std::vector<job::Epoch>> list() override;
  Status create(job::Epoch epoch) override;
  void append(std::string bytes, std::function<void(Status)> done) override;
  Result<std::string> read(job::Epoch epoch) override;

 private:
  rt::Loop* loop_;
  os::Files& files_;
  os::Path folder_;
  std::unique_ptr<os::AppendFile> file_;
};

}  // namespace muster::eventlog
