#pragma once

#include "base/result.h"
#include "base/time.h"
#include "os/file/files.h"

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace muster::client {

/// Who may see every job of a team's portal: users named when it is made, and those of a file with
/// one user per line; empty lines and those that begin with # are ignored. A changed file takes
/// effect from the next look; one that cannot be read any more names nobody.
class AdminBook {
 public:
  /// `file`: "" for none. Errors name the file and what is wrong: others may write it, or a line
  /// has more than a name.
  [[nodiscard]] static Result<AdminBook> read(os::Files& files, std::vector<std::string> named,
                                              std::filesystem::path file);

  /// Returns the users, rereading the file if it has changed.
  [[nodiscard]] const std::set<std::string>& users() const;

 private:
  AdminBook(os::Files& files, std::vector<std::string> named, std::filesystem::path file)
      : files_(&files), named_(named.begin(), named.end()), file_(std::move(file)) {}
  Status load(const os::FileStat& stat) const;

  os::Files* files_;
  std::set<std::string> named_;
  std::filesystem::path file_;
  // What the file said when it was last looked at.
  mutable std::set<std::string> users_;
  mutable WallTime modified_{};
  mutable uint64_t size_ = 0;
};

}  // namespace muster::client
