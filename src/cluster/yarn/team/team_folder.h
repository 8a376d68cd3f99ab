#pragma once

#include "base/result.h"
#include "cluster/yarn/client/client_session.h"
#include "eventlog/replay.h"
#include "job/outcome.h"
#include "os/file/files.h"

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace muster::cluster::yarn {

/// One job's folder on this host, filled from HDFS for a portal and removed when it is no longer
/// needed. bring() and bring_output() block for as long as the cluster takes, each with its own
/// connections, so that they can run on threads beside the loop; one waits for the other.
class TeamFolder {
 public:
  struct Source {
    os::Files* files = nullptr;  ///< Outlives this.
    ClientSession::Options client;
    eventlog::PlanOf plan_of;
    std::string owner;
    std::string hdfs_folder;
    std::string application_id;
    uint64_t share_max = 0;  ///< Of the disk, in bytes: for output, and for samples.
  };

  /// `path`: its last part is the job's id; the folder above it belongs to this object, too.
  TeamFolder(std::filesystem::path path, Source source)
      : path_(std::move(path)), source_(std::move(source)) {}
  TeamFolder(const TeamFolder&) = delete;
  TeamFolder& operator=(const TeamFolder&) = delete;
  ~TeamFolder() { (void)source_.files->remove_tree(path_.parent_path()); }

  /// What there is to fetch.
  struct Stand {
    bool summarized = false;              ///< HDFS has its summary.
    std::optional<job::Outcome> outcome;  ///< The cluster has ended it without one.
  };
  /// Fetches plan, log, samples and summary, as far as they are written.
  [[nodiscard]] Status bring(const Stand& stand);
  /// Fetches what the tasks wrote. An error if there is none of it, and the cluster says why.
  /// NeverFits if it is more than Source::share_max: none of it is kept here, and it is not tried
  /// again.
  [[nodiscard]] Status bring_output();

  /// Returns how much disk it takes, in bytes, including what is reserved. May be called on any
  /// thread.
  [[nodiscard]] uint64_t disk_bytes() const { return used_ + reserved_; }
  /// Reserves what one call of those above may add, from before the call to its end. May be called
  /// on any thread.
  void reserve() { reserved_ += source_.share_max; }
  void release() { reserved_ -= source_.share_max; }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  [[nodiscard]] Status prepare(ClientSession& session);
  [[nodiscard]] Status copy_job(const Stand& stand);
  [[nodiscard]] Status copy_output();
  void measure();

  std::filesystem::path path_;
  Source source_;
  std::atomic<uint64_t> used_ = 0;
  std::atomic<uint64_t> reserved_ = 0;
  std::mutex turn_;
  std::optional<Error> too_much_;  ///< Why its output is not fetched.
};

/// The folders in use.
class TeamFolders {
 public:
  explicit TeamFolders(std::filesystem::path scratch) : scratch_(std::move(scratch)) {}
  /// Returns the folder of a job; a new one if it is not in use.
  [[nodiscard]] std::shared_ptr<TeamFolder> of(const std::string& key, const std::string& id,
                                               TeamFolder::Source source);
  /// Returns how much disk all of them take.
  [[nodiscard]] uint64_t disk_bytes() const;

 private:
  std::filesystem::path scratch_;
  uint64_t made_ = 0;
  std::map<std::string, std::weak_ptr<TeamFolder>> used_;  ///< By key.
};

}  // namespace muster::cluster::yarn
