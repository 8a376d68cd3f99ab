#pragma once

#include "client/session.h"
#include "client/show/event_files.h"

#include <filesystem>
#include <string>

namespace muster::stores {

/// Event files in HDFS.
class HdfsEventFiles final : public client::EventFiles {
 public:
  /// `session` outlives this.
  explicit HdfsEventFiles(client::Session& session) : session_(session) {}

  Result<std::string> newest_checkpoint(const std::string& conf, const std::string& to) override;
  Result<size_t> bring(const std::string& conf, const std::string& from,
                       const std::filesystem::path& to) override;

 private:
  client::Session& session_;
};

}  // namespace muster::stores
