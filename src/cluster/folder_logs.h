#pragma once

#include "os/file/files.h"
#include "os/file/watch.h"
#include "page/job_view.h"
#include "rt/io_loop.h"

#include <filesystem>
#include <functional>
#include <memory>

namespace muster::cluster {

/// Output for the job's page, from files in one folder that this process can read, as agents write
/// them: ROLE-INDEX.ATTEMPT.STREAM with its older parts and its time index. The folder is watched
/// while somebody reads.
class FolderLogs final : public page::LogSource {
 public:
  /// `grown` is called on the loop when there may be more. `files` must outlive this.
  FolderLogs(rt::IoLoop& loop, os::Files& files, std::filesystem::path folder,
             std::function<void()> grown);
  ~FolderLogs() override;
  FolderLogs(const FolderLogs&) = delete;
  FolderLogs& operator=(const FolderLogs&) = delete;

  [[nodiscard]] rt::Async<Result<page::LogPiece>> read(page::LogName log,
                                                       page::LogWanted wanted) override;

 private:
  void watch();

  rt::IoLoop& loop_;
  os::Files& files_;
  std::filesystem::path folder_;
  std::function<void()> grown_;
  rt::TimerId unwatch_timer_;
  std::unique_ptr<os::FileWatch> watch_;
};

}  // namespace muster::cluster
