#pragma once

#include "base/result.h"
#include "os/file/files.h"
#include "spec/spec.h"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace muster::cluster::yarn {

/// A file of this host that containers need, under the name `link` next to their process.
struct Upload {
  std::filesystem::path file;
  std::string link;
  bool unpack = false;  ///< By the node manager, which caches the result.

  bool operator==(const Upload&) const = default;
};

/// The same for a file that is in HDFS already.
struct RemoteFile {
  std::string address;  ///< "hdfs://nn:8020/data/x.tgz"
  std::string link;
  bool unpack = false;

  bool operator==(const RemoteFile&) const = default;
};

/// Finds the files that a job's specification names on this host, and rewrites it to where they are
/// in a container: `files/N/NAME`, where NAME is reduced to characters that no shell interprets.
/// Folders are packed, keeping times and permissions; tasks find them unpacked under their own
/// names. Files at HDFS addresses are not touched: node managers fetch them there. For the Python
/// environment only the content matters, so that node managers unpack it once for all containers of
/// a host. Blocks.
class JobFiles {
 public:
  /// `packing`: an existing folder for packed folders, which must exist until they are uploaded.
  JobFiles(os::Files& files, std::filesystem::path packing)
      : files_(files), packing_(std::move(packing)) {}

  /// Errors name the file.
  [[nodiscard]] Status collect(spec::Spec& spec);
  [[nodiscard]] const std::vector<Upload>& uploads() const { return uploads_; }
  [[nodiscard]] const std::vector<RemoteFile>& remotes() const { return remotes_; }

 private:
  Status collect_file(spec::File& file);
  Status collect_python(spec::Python& python);
  Result<std::string> add(const std::filesystem::path& source, const std::string& name,
                          bool unpack = false);
  Result<std::string> add_folder(const std::filesystem::path& source, const std::string& name,
                                 bool unpack = false);
  std::string add_remote(const std::string& address, bool unpack);

  os::Files& files_;
  std::filesystem::path packing_;
  std::vector<Upload> uploads_;
  std::vector<RemoteFile> remotes_;
  std::map<std::string, std::string> links_;  ///< By source and name.
};

}  // namespace muster::cluster::yarn
