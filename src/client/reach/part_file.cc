#include "client/reach/part_file.h"

#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <fcntl.h>
#include <random>
#include <string_view>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace muster::client {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMark = ".muster-";
constexpr size_t kRandomBytes = 6;
constexpr int kNamesMax = 100;
/// Where this process can see its open files, if it can.
constexpr const char* kOwnFiles = "/proc/self/fd";

Error cannot_write(int error, const fs::path& target) {
  return system_error(error, fmt::format("cannot write {}", printable(target.string())));
}

fs::path folder_of(const fs::path& target) {
  return target.has_parent_path() ? target.parent_path() : fs::path(".");
}

/// How the names of a target's parts begin: with its own name, as far as that leaves room for the
/// rest.
std::string part_prefix(const fs::path& target) {
  const std::string name = target.filename().string();
  return name.substr(0, NAME_MAX - kMark.size() - kRandomBytes) + std::string(kMark);
}

std::string part_name(const fs::path& target) {
  static constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz0123456789";
  std::random_device random;  // lint: allow(random) only a name that nobody else has
  std::string name = part_prefix(target);
  for (size_t i = 0; i < kRandomBytes; ++i) {
    name += kLetters[random() % kLetters.size()];
  }
  return (folder_of(target) / name).string();
}

std::string own_file(int fd) { return fmt::format("{}/{}", kOwnFiles, fd); }

/// Removes what killed copies to that name have left behind.
void remove_remains(const fs::path& target) {
  const std::string prefix = part_prefix(target);
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(folder_of(target), failed)) {
    const std::string name = entry.path().filename().string();
    if (name.size() != prefix.size() + kRandomBytes || !name.starts_with(prefix)) {
      continue;
    }
    const rt::Fd fd(::open(entry.path().c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    struct stat status{};
    if (fd.valid() && ::fstat(fd.get(), &status) == 0 && S_ISREG(status.st_mode) &&
        status.st_uid == ::geteuid() && ::flock(fd.get(), LOCK_EX | LOCK_NB) == 0) {
      ::unlink(entry.path().c_str());
    }
  }
}

}  // namespace

bool lock_new(int fd) {
  struct stat status{};
  const bool taken = ::flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  return !taken && ::fstat(fd, &status) == 0 && status.st_nlink > 0;
}

Result<PartFile> PartFile::create(Options options) {
  remove_remains(options.target);
  if (options.nameless && ::access(kOwnFiles, F_OK) == 0) {
    rt::Fd fd(::open(folder_of(options.target).c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
    if (fd.valid()) {
      return PartFile(std::move(options.target), std::move(fd), "");
    }
  }
  for (int i = 0; i < kNamesMax; ++i) {
    std::string name = part_name(options.target);
    rt::Fd fd(::open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!fd.valid() && errno != EEXIST) {
      return cannot_write(errno, options.target);
    }
    if (fd.valid() && lock_new(fd.get())) {
      return PartFile(std::move(options.target), std::move(fd), std::move(name));
    }
  }
  return cannot_write(EEXIST, options.target);
}

PartFile::~PartFile() {
  if (!name_.empty()) {
    ::unlink(name_.c_str());
  }
}

uint64_t PartFile::size_bytes() const {
  struct stat status{};
  return ::fstat(fd_.get(), &status) == 0 ? static_cast<uint64_t>(status.st_size) : 0;
}

std::string PartFile::take_end(size_t size) const {
  std::string end(size, '\0');
  const off_t from =
      std::max<off_t>(static_cast<off_t>(size_bytes()) - static_cast<off_t>(size), 0);
  const ssize_t got = ::pread(fd_.get(), end.data(), end.size(), from);
  end.resize(got > 0 ? static_cast<size_t>(got) : 0);
  return ::ftruncate(fd_.get(), from) == 0 ? end : std::string();
}

Status PartFile::keep(mode_t permissions) {
  constexpr mode_t kPermissions = 0777;
  const mode_t mask = ::umask(0);
  ::umask(mask);
  struct stat old{};
  const bool replaces = ::lstat(target_.c_str(), &old) == 0 && S_ISREG(old.st_mode);
  const mode_t mode = replaces ? old.st_mode & kPermissions : permissions & kPermissions & ~mask;
  // Some file systems report only at a close that there was no room for what was written.
  if (::fchmod(fd_.get(), mode) != 0 || ::close(::fcntl(fd_.get(), F_DUPFD_CLOEXEC, 0)) != 0) {
    return broken();
  }
  if (name_.empty()) {
    const std::string self = own_file(fd_.get());
    const auto give_name = [&self](const std::string& name) {
      return ::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
    };
    if (give_name(target_.string())) {
      return {};
    }
    // No call replaces a file with one that has no name.
    std::string name = part_name(target_);
    if (errno != EEXIST || !give_name(name)) {
      return broken();
    }
    name_ = std::move(name);
  }
  if (::rename(name_.c_str(), target_.c_str()) != 0) {
    return broken();
  }
  name_.clear();
  return {};
}

Status PartFile::broken() const { return cannot_write(errno, target_); }

}  // namespace muster::client
