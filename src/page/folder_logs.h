#pragma once

#include "os/files.h"
#include "os/watch.h"
#include "page/job_view.h"
#include "rt/io_loop.h"

#include <filesystem>
#include <functional>
#include <memory>

namespace muster::page {

/// Logs as files of one folder that this process can read: ROLE-INDEX.ATTEMPT.STREAM, the newest
/// part of each. While somebody reads, the folder is watched.
class FolderLogs final : public LogSource {
 public:
  /// `grown` is called on the loop when there may be more. `files` outlives this.
  FolderLogs(rt::IoLoop& loop, os::Files& files, std::filesystem::path folder,
             std::function<void()> grown);
  ~FolderLogs() override;
  FolderLogs(const FolderLogs&) = delete;
  FolderLogs& operator=(const FolderLogs&) = delete;

  [[nodiscard]] rt::Async<Result<LogPiece>> read(LogName log,
                                                 std::optional<uint64_t> from) override;

 private:
  void watch();

  rt::IoLoop& loop_;
  os::Files& files_;
  std::filesystem::path folder_;
  std::function<void()> grown_;
  rt::TimerId unwatch_timer_;
  std::unique_ptr<os::FileWatch> watch_;
};

}  // namespace muster::page
