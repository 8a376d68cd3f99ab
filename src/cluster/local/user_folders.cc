#include "cluster/local/user_folders.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace muster::cluster::local {
namespace {

constexpr mode_t kUserFolderMode = 0755;
constexpr const char* kLockName = "lock";
constexpr int kLockTries = 500;
constexpr timespec kLockPause{0, 10'000'000};

/// Returns the user id in "STEM.UID.RANDOM"; nullopt for any other name.
std::optional<uint32_t> user_of(std::string_view name, std::string_view stem) {
  if (!name.starts_with(stem) || name.size() == stem.size() || name[stem.size()] != '.') {
    return std::nullopt;
  }
  name.remove_prefix(stem.size() + 1);
  uint32_t user = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), user);
  const bool good = error == std::errc() && end != name.data() + name.size() && *end == '.';
  return good ? std::optional(user) : std::nullopt;
}

/// Opens the folder if it belongs to the user in its name and nobody else can write to it.
std::optional<UserFolder> open_folder(const std::filesystem::path& path, uint32_t user) {
  rt::Fd fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat stat{};
  if (!fd.valid() || ::fstat(fd.get(), &stat) != 0 || stat.st_uid != user ||
      (stat.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return std::nullopt;
  }
  return UserFolder{.path = path, .owner = user, .fd = std::move(fd)};
}

}  // namespace

std::vector<UserFolder> list_user_folders(const std::filesystem::path& stem) {
  std::map<uint32_t, std::vector<std::string>> names;
  DIR* const entries = ::opendir(stem.parent_path().c_str());
  if (entries == nullptr) {
    return {};
  }
  for (const dirent* entry = ::readdir(entries); entry != nullptr; entry = ::readdir(entries)) {
    const auto user = user_of(entry->d_name, stem.filename().string());
    struct stat stat{};
    if (user.has_value() &&
        ::fstatat(::dirfd(entries), entry->d_name, &stat, AT_SYMLINK_NOFOLLOW) == 0 &&
        S_ISDIR(stat.st_mode) && stat.st_uid == *user) {
      names[*user].emplace_back(entry->d_name);
    }
  }
  ::closedir(entries);
  std::vector<UserFolder> folders;
  for (auto& [user, of_user] : names) {
    std::ranges::sort(of_user);
    of_user.resize(std::min(of_user.size(), kUserFoldersMax));
    for (const std::string& name : of_user) {
      if (auto folder = open_folder(stem.parent_path() / name, user); folder.has_value()) {
        folders.push_back(*std::move(folder));
      }
    }
  }
  return folders;
}

Result<UserFolder> open_own_folder(const std::filesystem::path& stem) {
  const auto find_own = [&stem]() -> std::optional<UserFolder> {
    std::vector<UserFolder> folders = list_user_folders(stem);
    const auto own = std::ranges::find(folders, ::geteuid(), &UserFolder::owner);
    return own == folders.end() ? std::nullopt : std::optional(std::move(*own));
  };
  if (auto own = find_own(); own.has_value()) {
    return *std::move(own);
  }
  std::string name = fmt::format("{}.{}.XXXXXX", stem.string(), ::geteuid());
  // Regardless of the umask: others read what is claimed.
  if (::mkdtemp(name.data()) == nullptr || ::chmod(name.c_str(), kUserFolderMode) != 0) {
    return system_error(errno, "cannot create a folder of claims beside " + stem.string());
  }
  // Another job may have created one meanwhile: all use the first by name.
  auto own = find_own();
  if (!own.has_value()) {
    return system_error(ENOENT, "the folder of claims has gone: " + name);
  }
  return *std::move(own);
}

Result<rt::Fd> lock_own_folder(const UserFolder& own) {
  rt::Fd fd(::openat(own.fd.get(), kLockName, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!fd.valid()) {
    return system_error(errno, "cannot lock the folder of claims " + own.path.string());
  }
  for (int tries = 0; tries < kLockTries; ++tries) {
    if (::flock(fd.get(), LOCK_EX | LOCK_NB) == 0) {
      return fd;
    }
    if (errno != EWOULDBLOCK && errno != EINTR) {
      return system_error(errno, "cannot lock the folder of claims " + own.path.string());
    }
    // lint: allow(sleep) flock has no deadline, and this thread no loop
    ::nanosleep(&kLockPause, nullptr);
  }
  return Error{Errc::DeadlineExceeded, Blame::Cluster,
               "another of your processes has held the lock on the folder of claims for 5 s: " +
                   own.path.string()};
}

}  // namespace muster::cluster::local
