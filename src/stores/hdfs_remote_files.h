#pragma once

#include "client/remote_files.h"
#include "client/session.h"

#include <cstdint>
#include <string>

namespace muster::stores {

/// Files in HDFS, found by this machine's Hadoop configuration.
class HdfsRemoteFiles final : public client::RemoteFiles {
 public:
  /// `session` outlives this.
  explicit HdfsRemoteFiles(client::Session& session) : session_(session) {}

  Result<std::string> read(const std::string& uri, uint64_t limit_bytes) override;

 private:
  client::Session& session_;
};

}  // namespace muster::stores
