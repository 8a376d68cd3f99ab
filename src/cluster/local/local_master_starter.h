#pragma once

#include "cluster/job_folder.h"
#include "cluster/master_starter.h"
#include "os/file/files.h"

#include <filesystem>

namespace muster::cluster::local {

/// Starts the next master of a job on this machine: takes the job's lock, which only a dead master
/// releases, and hands it to `PROGRAM master --job FOLDER --lock-fd N`. That process must not live
/// below this agent's keeper, so the stub at the other end of `start_socket` starts it
/// (os/process/start_request.h).
class LocalMasterStarter final : public MasterStarter {
 public:
  struct Options {
    JobFolder folder{""};
    std::filesystem::path program;  ///< The name it is to have in the process list.
    int start_socket = -1;
  };
  LocalMasterStarter(os::Files& files, Options options)
      : files_(files), options_(std::move(options)) {}

  Result<MasterSought> seek() override;

 private:
  os::Files& files_;
  Options options_;
};

/// The descriptors at which a master finds what it was given.
inline constexpr int kMasterLockFd = 3;
inline constexpr int kMasterReadyFd = 4;
inline constexpr int kMasterLinkFd = 5;  ///< If a cluster other than this machine provides one.

}  // namespace muster::cluster::local
