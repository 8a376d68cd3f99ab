#pragma once

#include "cluster/find_variable.h"
#include "cluster/folder_host_memory.h"
#include "cluster/folder_place_store.h"
#include "cluster/folder_sample_store.h"
#include "cluster/job_folder.h"
#include "cluster/master_side.h"
#include "eventlog/local_segment_store.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace muster::cluster::local {

/// A master on this machine: everything is in the job's folder, and whoever started the process
/// waits at a pipe for its first line (ready_line.h). SIGTERM and SIGINT stop the job.
class LocalMasterSide final : public MasterSide {
 public:
  struct Options {
    JobFolder folder{""};
    std::filesystem::path program;  ///< This binary.
    FindVariable find;              ///< The process's environment, with the client's variables.
    int ready_fd = -1;              ///< Where to report that the master listens; -1: nobody waits.
    int lock_fd = -1;               ///< The job's lock, held as long as this process lives.
  };
  explicit LocalMasterSide(Options options);

  Result<std::filesystem::path> log_file() override { return options_.folder.master_log(); }
  Result<MasterOrder> read_order(os::Files& files) override;
  Result<MasterPost> open(const Deps& deps) override;
  Result<std::unique_ptr<Link>> open_link(const Deps& deps) override;
  void report(const Result<std::string>& address) override;
  bool signalled(int signal) override;
  void ended(bool) override { quit_(0); }

 private:
  Options options_;
  std::function<void(int exit_status)> quit_;
  std::optional<eventlog::LocalSegmentStore> segments_;
  std::optional<FolderPlaceStore> place_;
  std::optional<FolderSampleStore> samples_;
  std::optional<FolderHostMemory> hosts_;
};

}  // namespace muster::cluster::local
