#pragma once

#include "base/result.h"
#include "cluster/yarn/staging/host_room.h"
#include "hadoop/yarn/launch.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace muster::cluster::yarn {

/// A file in HDFS that containers find next to their process.
struct StagedFile {
  std::string link;  ///< Its name there; may hold folders.
  hadoop::yarn::LocalResource file;

  bool operator==(const StagedFile&) const = default;
};

/// What a job's client sends along to its master, as one file.
struct JobPackage {
  std::string job_id;
  std::string application_id;  ///< "" from versions that did not write it.
  std::string user;            ///< The user as whom the job acts.
  std::string folder;          ///< The job's own folder in HDFS.
  std::string plan_file;       ///< eventlog::PlanFile as text; its files are names in containers.
  std::string configuration_xml;     ///< The client's view of the cluster.
  std::vector<StagedFile> files;     ///< For every container, the program among them.
  std::vector<HostRoom> hosts = {};  ///< Those with room; older versions do not write any.

  bool operator==(const JobPackage&) const = default;
};

/// The name of the package next to the master's process.
inline constexpr std::string_view kPackageName = "job.json";
/// No package file is longer.
inline constexpr uint64_t kPackageBytesMax = 64U << 20;
/// The name of the program next to each process.
inline constexpr std::string_view kProgramName = "muster";

[[nodiscard]] std::string encode(const JobPackage& package);
/// Corrupt for anything that encode() does not make.
[[nodiscard]] Result<JobPackage> decode_package(std::string_view text);

}  // namespace muster::cluster::yarn
