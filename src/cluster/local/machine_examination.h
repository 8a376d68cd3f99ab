#pragma once

#include "cluster/finding.h"
#include "os/file/files.h"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace muster::cluster::local {

/// What is examined; everything else it finds out itself.
struct ExaminationInput {
  std::filesystem::path home;
  std::filesystem::path claims_folder;  ///< Where local jobs of all users claim memory and GPUs.
  std::map<std::string, std::string> environment;
};

/// Checks what jobs on this machine need: the home folder, disk, memory, cores, GPUs, the kernel,
/// python3 and the frameworks it can import. Blocks for some seconds at most; changes nothing
/// except for a file that it makes and removes in the home folder.
[[nodiscard]] std::vector<Finding> examine_machine(os::Files& files, const ExaminationInput& input);

}  // namespace muster::cluster::local
