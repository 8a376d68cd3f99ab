#pragma once

#include "os/files.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace muster::client {

/// One thing that `muster doctor` looked at.
struct Finding {
  enum class Verdict : uint8_t { Good, Note, Bad };
  Verdict verdict = Verdict::Good;
  std::string subject;  ///< "memory", "python3": stable, for --json.
  std::string text;     ///< What was found.
  std::string advice;   ///< What to do; empty when all is well.
};

/// What doctor looks at; everything else it finds by itself.
struct DoctorInput {
  std::filesystem::path home;
  std::filesystem::path claims_folder;  ///< Where local jobs of all users claim memory and GPUs.
  std::map<std::string, std::string> environment;
};

/// Looks at what jobs on this machine need: the home folder, disk, memory, cores, GPUs, the kernel,
/// python3 and the frameworks it can import. Blocks for some seconds at most; changes nothing but a
/// file it makes and removes in the home folder.
[[nodiscard]] std::vector<Finding> examine(os::Files& files, const DoctorInput& input);

/// For people: one line a finding, advice indented below.
[[nodiscard]] std::string render(const std::vector<Finding>& findings, bool colour);
/// {"schema":"muster.doctor/1","findings":[...]}
[[nodiscard]] std::string render_json(const std::vector<Finding>& findings);

}  // namespace muster::client
