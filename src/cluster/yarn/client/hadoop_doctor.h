#pragma once

#include "base/time.h"
#include "cluster/finding.h"
#include "os/file/files.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace muster::cluster::yarn {

struct HadoopDoctorInput {
  std::map<std::string, std::string> environment;
  uint32_t uid = 0;
  WallTime now{};
  std::filesystem::path kerberos_helper;  ///< muster-krb5.
  /// How long each master may take to answer.
  Duration patience = std::chrono::seconds(10);
};

/// Examines the Hadoop cluster that this machine is configured for: the files, what they set, who
/// the user is there, tokens, and whether the file system and the resource manager answer. Returns
/// one note if nothing is configured. Then checks the rights that jobs need: a queue, and a folder
/// to write to (a small file is made there and removed). Blocks for four times `patience` at most.
[[nodiscard]] std::vector<Finding> examine_hadoop(os::Files& files, const HadoopDoctorInput& input);

}  // namespace muster::cluster::yarn
