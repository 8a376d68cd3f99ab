#pragma once

#include "base/result.h"
#include "job/ids.h"
#include "os/file/files.h"

#include <cstdint>
#include <filesystem>
#include <string>

namespace muster::cluster::local {

/// What the job's folder records about one container, so that a later master finds its processes
/// again and its id is never used twice.
struct ContainerRecord {
  job::ContainerId container;
  job::HostName host;
  int32_t stub_pid = 0;      ///< 0 until it is launched.
  uint64_t start_ticks = 0;  ///< Of the stub; distinguishes it from a later process with its pid.
  std::string claim_file;
};

/// Writes, reads and lists records in `folder` (JobFolder::containers).
[[nodiscard]] Status write_record(os::Files& files, const std::filesystem::path& folder,
                                  const ContainerRecord& record);
[[nodiscard]] Result<ContainerRecord> read_record(os::Files& files,
                                                  const std::filesystem::path& folder,
                                                  const job::ContainerId& container);
/// Returns the highest number N of a record "cN"; 0 if there is none.
[[nodiscard]] uint32_t highest_container(os::Files& files, const std::filesystem::path& folder);

/// Returns whether processes of any container are alive, judging by the claims that they hold.
[[nodiscard]] bool any_container_lives(os::Files& files, const std::filesystem::path& folder);

/// The same for a folder that another user may have written: judges only by the processes named
/// there, and opens no path given there.
[[nodiscard]] bool any_stub_lives(os::Files& files, const std::filesystem::path& folder);

/// Returns when `pid` started, in ticks since boot; 0 if it is gone (a zombie counts as gone).
[[nodiscard]] uint64_t start_ticks_of(int32_t pid);

}  // namespace muster::cluster::local
