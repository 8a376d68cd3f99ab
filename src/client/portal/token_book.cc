#include "client/portal/token_book.h"

#include "base/text.h"
#include "page/access.h"

#include <fmt/format.h>

#include <utility>

namespace muster::client {
namespace {

constexpr uint64_t kBookMax = 1U << 20;
constexpr uint32_t kOthers = 077;

}  // namespace

Result<TokenBook> TokenBook::read(os::Files& files, std::filesystem::path path) {
  TokenBook book(files, std::move(path));
  const Result<os::FileStat> stat = files.stat(book.path_);
  if (!stat) {
    return user_error(stat.error().message);
  }
  MUSTER_TRY_STATUS(book.load(*stat));
  return book;
}

Status TokenBook::load(const os::FileStat& stat) {
  users_.clear();
  modified_ = stat.modified;
  size_ = stat.size_bytes;
  if ((stat.mode & kOthers) != 0) {
    return user_error(
        fmt::format("{} can be read by others; run `chmod 600` on it", path_.string()));
  }
  MUSTER_TRY(const std::string text, files_->read(path_, kBookMax));
  std::map<std::string, std::string> users;
  size_t number = 0;
  for (const std::string_view line : split(text, '\n')) {
    ++number;
    const std::string_view entry = trim(line);
    if (entry.empty() || entry.starts_with('#')) {
      continue;
    }
    const size_t blank = entry.find_first_of(" \t");
    const std::string_view token =
        blank == std::string_view::npos ? std::string_view() : trim(entry.substr(blank));
    if (token.size() < kTokenMin || token.find_first_of(" \t") != std::string_view::npos) {
      return user_error(fmt::format("{}:{}: must be a user and a token of {} characters or more",
                                    path_.string(), number, kTokenMin));
    }
    if (!users.emplace(token, entry.substr(0, blank)).second) {
      return user_error(fmt::format("{}:{}: another user has this token", path_.string(), number));
    }
  }
  users_ = std::move(users);
  return {};
}

std::optional<std::string> TokenBook::user_of(std::string_view token) {
  const Result<os::FileStat> stat = files_->stat(path_);
  if (!stat) {
    users_.clear();
    return std::nullopt;
  }
  if (stat->modified != modified_ || stat->size_bytes != size_) {
    (void)load(*stat);
  }
  std::optional<std::string> found;
  for (const auto& [known, user] : users_) {
    if (page::same_secret(known, token)) {
      found = user;
    }
  }
  return found;
}

}  // namespace muster::client
