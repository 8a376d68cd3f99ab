#pragma once

#include "base/result.h"
#include "base/time.h"
#include "os/file/files.h"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace muster::client {

/// The people who may look at a team's portal, from a file with lines "USER TOKEN"; empty lines and
/// those that begin with # are ignored. A changed file takes effect from the next look; one that
/// cannot be read any more lets nobody in.
class TokenBook {
 public:
  /// Errors name the file, the line and what is wrong: others may read it, or a token is too short
  /// or belongs to two users.
  [[nodiscard]] static Result<TokenBook> read(os::Files& files, std::filesystem::path path);

  /// Returns whose token that is. Compares with all, so that its timing reveals nothing about them.
  [[nodiscard]] std::optional<std::string> user_of(std::string_view token);

  static constexpr size_t kTokenMin = 16;

 private:
  TokenBook(os::Files& files, std::filesystem::path path)
      : files_(&files), path_(std::move(path)) {}
  Status load(const os::FileStat& stat);

  os::Files* files_;
  std::filesystem::path path_;
  WallTime modified_{};
  uint64_t size_ = 0;
  std::map<std::string, std::string> users_;  ///< By token.
};

}  // namespace muster::client
