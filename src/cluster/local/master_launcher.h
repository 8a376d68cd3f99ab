#pragma once

#include "base/result.h"
#include "base/time.h"
#include "cluster/cluster.h"
#include "os/file/files.h"

#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace muster::cluster::local {

/// Starts masters as processes of this machine, detached from the client's terminal, so that they
/// survive when that closes.
class MasterLauncher {
 public:
  struct Options {
    std::filesystem::path program;  ///< This binary.
    /// The client's environment: the master, and all tasks of this machine, inherit it.
    std::map<std::string, std::string> environment;
    Duration start_deadline = std::chrono::seconds(30);
  };

  /// What a master gets in addition to its job, if it serves a cluster other than this machine.
  struct Extras {
    std::vector<std::string> arguments;  ///< Added to its command line.
    int fd = -1;                         ///< Inherited as kMasterLinkFd; -1 for none.
  };

  /// `files` must outlive this.
  MasterLauncher(os::Files& files, Options options) : files_(files), options_(std::move(options)) {}

  /// Starts a master, whatever its plan requests, and waits until it can be reached. Returns its
  /// address. AlreadyExists while the job has one.
  [[nodiscard]] Result<std::string> start(const Submission& submission, const Extras& extras);

 private:
  os::Files& files_;
  Options options_;
};

}  // namespace muster::cluster::local
