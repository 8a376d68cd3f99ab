#pragma once

#include "base/result.h"
#include "os/files.h"
#include "spec/spec.h"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace muster::cluster::yarn {

/// A file of this host that containers need, under the name `link` beside their process.
struct Upload {
  std::filesystem::path file;
  std::string link;

  bool operator==(const Upload&) const = default;
};

/// Finds the files that a job's specification names on this host, and rewrites it to where they lie
/// in a container: `files/N/NAME`. Folders are packed, times and permissions kept; tasks find them
/// unpacked under their own names. Blocks.
class JobFiles {
 public:
  /// `packing`: an existing folder for packed folders, which must live until they are uploaded.
  JobFiles(os::Files& files, std::filesystem::path packing)
      : files_(files), packing_(std::move(packing)) {}

  /// Errors name the file.
  [[nodiscard]] Status collect(spec::Spec& spec);
  [[nodiscard]] const std::vector<Upload>& uploads() const { return uploads_; }

 private:
  Status collect_file(spec::File& file);
  Status collect_python(spec::Python& python);
  Result<std::string> add(const std::filesystem::path& source, const std::string& name);
  Result<std::string> add_folder(const std::filesystem::path& source, const std::string& name);

  os::Files& files_;
  std::filesystem::path packing_;
  std::vector<Upload> uploads_;
  std::map<std::string, std::string> links_;  ///< By source and name.
};

/// Returns what of `spec` cannot be had on YARN yet, in one sentence, or "".
[[nodiscard]] std::string unsupported(const spec::Spec& spec);

}  // namespace muster::cluster::yarn
