#include "client/portal/admin_book.h"

#include "base/text.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace muster::client {
namespace {

constexpr uint64_t kAdminBookMax = 1U << 20;
constexpr uint32_t kOthersWrite = 022;

}  // namespace

Result<AdminBook> AdminBook::read(os::Files& files, std::vector<std::string> named,
                                  std::filesystem::path file) {
  AdminBook book(files, std::move(named), std::move(file));
  book.users_ = book.named_;
  if (!book.file_.empty()) {
    const Result<os::FileStat> stat = files.stat(book.file_);
    if (!stat) {
      return user_error(stat.error().message);
    }
    MUSTER_TRY_STATUS(book.load(*stat));
  }
  return book;
}

Status AdminBook::load(const os::FileStat& stat) const {
  users_ = named_;
  modified_ = stat.modified;
  size_ = stat.size_bytes;
  if ((stat.mode & kOthersWrite) != 0) {
    return user_error(
        fmt::format("{} can be written by others; run `chmod 644` on it", file_.string()));
  }
  MUSTER_TRY(const std::string text, files_->read(file_, kAdminBookMax));
  std::set<std::string> users = named_;
  size_t number = 0;
  for (const std::string_view line : split(text, '\n')) {
    ++number;
    const std::string_view user = trim(line);
    if (user.empty() || user.starts_with('#')) {
      continue;
    }
    if (user.find_first_of(" \t,:") != std::string_view::npos) {
      return user_error(fmt::format("{}:{}: must be one user", file_.string(), number));
    }
    users.emplace(user);
  }
  users_ = std::move(users);
  return {};
}

const std::set<std::string>& AdminBook::users() const {
  if (file_.empty()) {
    return users_;
  }
  const Result<os::FileStat> stat = files_->stat(file_);
  if (!stat) {
    users_ = named_;
    modified_ = {};
  } else if (stat->modified != modified_ || stat->size_bytes != size_) {
    (void)load(*stat);
  }
  return users_;
}

}  // namespace muster::client
