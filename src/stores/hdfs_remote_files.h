#pragma once

#include "client/session.h"
#include "client/show/remote_files.h"
#include "fs/file_systems.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace muster::stores {

/// Files in HDFS, found by this machine's Hadoop configuration.
class HdfsRemoteFiles final : public client::RemoteFiles {
 public:
  /// `session` outlives this.
  explicit HdfsRemoteFiles(client::Session& session) : session_(session) {}

  Result<std::string> read(const std::string& uri, uint64_t limit_bytes) override;
  Result<std::vector<std::string>> files_at(const std::string& uri) override;

 private:
  Result<std::unique_ptr<fs::FileSystems>> open();

  client::Session& session_;
};

}  // namespace muster::stores
