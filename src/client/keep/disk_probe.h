#pragma once

#include "spec/check/file_check.h"

#include <filesystem>
#include <string>
#include <vector>

namespace muster::client {

/// The files of this host as a specification names them: relative paths count from `folder`.
class DiskProbe final : public spec::FileProbe {
 public:
  explicit DiskProbe(std::filesystem::path folder) : folder_(std::move(folder)) {}

  spec::PathInfo look(const std::string& path) override;
  std::vector<std::string> names_in(const std::string& folder) override;

 private:
  std::filesystem::path folder_;
};

}  // namespace muster::client
