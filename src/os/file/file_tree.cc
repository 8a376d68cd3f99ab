#include "os/file/file_tree.h"

#include "os/file/path_error.h"
#include "rt/fd.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace muster::os {
namespace {

/// Lists the names in an open folder; an empty list with errno set on failure.
std::vector<std::string> names_in(int folder) {
  std::vector<std::string> names;
  const int copy = ::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (copy < 0) {
    return names;
  }
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(::fdopendir(copy), ::closedir);
  if (stream == nullptr) {
    ::close(copy);
    return names;
  }
  while (const dirent* entry = ::readdir(stream.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") {
      names.emplace_back(name);
    }
  }
  return names;
}

// ---- copying ----

Status copy_bytes(int from, int to, const Path& target) {
  while (true) {
    // Shares the blocks, or copies within the kernel, if possible (Linux 4.5 and later).
    const ssize_t moved =
        ::syscall(SYS_copy_file_range, from, nullptr, to, nullptr, size_t{1} << 30, 0);
    if (moved == 0) {
      break;  // The end; but some file systems claim it for /proc files, so read decides below.
    }
    if (moved < 0 && errno != EINTR) {
      break;
    }
  }
  std::array<char, 64U << 10> buffer;  // NOLINT: filled by read.
  while (true) {
    const ssize_t got = ::read(from, buffer.data(), buffer.size());
    if (got == 0) {
      return {};
    }
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got < 0) {
      return path_error(errno, "cannot be copied: its source cannot be read", target);
    }
    for (ssize_t written = 0; written < got;) {
      const ssize_t put = ::write(to, buffer.data() + written, static_cast<size_t>(got - written));
      if (put < 0 && errno != EINTR) {
        return path_error(errno, "cannot be written", target);
      }
      written += put > 0 ? put : 0;
    }
  }
}

void copy_times(int fd, const struct stat& source) {
  const std::array<timespec, 2> times{source.st_atim, source.st_mtim};
  ::futimens(fd, times.data());  // Times are a courtesy: some file systems keep none.
}

Status copy_file(const Path& from, const Path& to, const struct stat& source) {
  const rt::Fd in(::open(from.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!in.valid()) {
    return path_error(errno, "cannot be read", from);
  }
  const rt::Fd out(::open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!out.valid()) {
    return path_error(errno, "cannot be created", to);
  }
  MUSTER_TRY_STATUS(copy_bytes(in.get(), out.get(), to));
  if (::fchmod(out.get(), source.st_mode & 07777) != 0) {
    return path_error(errno, "cannot be given its permissions", to);
  }
  copy_times(out.get(), source);
  return {};
}

Status copy_link(const Path& from, const Path& to) {
  std::string target(4096, '\0');
  const ssize_t length = ::readlink(from.c_str(), target.data(), target.size());
  if (length < 0) {
    return path_error(errno, "cannot be read", from);
  }
  target.resize(static_cast<size_t>(length));
  if (::symlink(target.c_str(), to.c_str()) != 0) {
    return path_error(errno, "cannot be created", to);
  }
  return {};
}

Status copy_any(const Path& from, const Path& to);

Status copy_folder(const Path& from, const Path& to, const struct stat& source) {
  const rt::Fd folder(::open(from.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
  if (!folder.valid()) {
    return path_error(errno, "cannot be read", from);
  }
  if (::mkdir(to.c_str(), 0700) != 0) {
    return path_error(errno, "cannot be created", to);
  }
  for (const std::string& name : names_in(folder.get())) {
    MUSTER_TRY_STATUS(copy_any(from / name, to / name));
  }
  const rt::Fd made(::open(to.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
  if (!made.valid() || ::fchmod(made.get(), source.st_mode & 07777) != 0) {
    return path_error(errno, "cannot be given its permissions", to);
  }
  copy_times(made.get(), source);
  return {};
}

Status copy_any(const Path& from, const Path& to) {
  struct stat source{};
  if (::lstat(from.c_str(), &source) != 0) {
    return path_error(errno, "cannot be copied", from);
  }
  if (S_ISREG(source.st_mode)) {
    return copy_file(from, to, source);
  }
  if (S_ISDIR(source.st_mode)) {
    return copy_folder(from, to, source);
  }
  if (S_ISLNK(source.st_mode)) {
    return copy_link(from, to);
  }
  return user_error(
      fmt::format("{} is neither a file, a folder nor a link and cannot be copied", from.string()));
}

// ---- removing ----

/// Opens a folder by its name in an open one, never through a link; makes it readable if its owner
/// made it unreadable.
rt::Fd open_below(int folder, const std::string& name) {
  constexpr int kFlags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW;
  rt::Fd child(::openat(folder, name.c_str(), kFlags));
  if (!child.valid() && errno == EACCES) {
    const rt::Fd handle(
        ::openat(folder, name.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
    if (handle.valid() &&
        ::chmod(fmt::format("/proc/self/fd/{}", handle.get()).c_str(), 0700) == 0) {
      child.reset(::openat(folder, name.c_str(), kFlags));
    }
  }
  return child;
}

/// Empties an open folder by names relative to it, so that nothing outside is touched, whatever
/// happens to the path meanwhile. `depth_left` limits the depth, not the size.
Status empty_folder(int folder, const Path& path, int depth_left) {
  if (depth_left == 0) {
    return path_error(ELOOP, "is too deep to be removed", path);
  }
  for (const std::string& name : names_in(folder)) {
    if (::unlinkat(folder, name.c_str(), 0) == 0 || errno == ENOENT) {
      continue;
    }
    if (errno != EISDIR && errno != EPERM) {
      return path_error(errno, "cannot be removed", path / name);
    }
    const int unlink_error = errno;
    const rt::Fd child = open_below(folder, name);
    if (!child.valid()) {
      return path_error(errno == ENOTDIR ? unlink_error : errno, "cannot be removed", path / name);
    }
    MUSTER_TRY_STATUS(empty_folder(child.get(), path / name, depth_left - 1));
    if (::unlinkat(folder, name.c_str(), AT_REMOVEDIR) != 0 && errno != ENOENT) {
      return path_error(errno, "cannot be removed", path / name);
    }
  }
  return {};
}

}  // namespace

Status copy_tree(const Path& from, const Path& to) { return copy_any(from, to); }

Status remove_tree(const Path& path) {
  if (::unlink(path.c_str()) == 0 || errno == ENOENT) {
    return {};
  }
  if (errno != EISDIR && errno != EPERM) {
    return path_error(errno, "cannot be removed", path);
  }
  const rt::Fd folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
  if (!folder.valid()) {
    return path_error(errno, "cannot be removed", path);
  }
  constexpr int kDepthMax = 1000;  // One descriptor per level.
  MUSTER_TRY_STATUS(empty_folder(folder.get(), path, kDepthMax));
  if (::rmdir(path.c_str()) != 0 && errno != ENOENT) {
    return path_error(errno, "cannot be removed", path);
  }
  return {};
}

}  // namespace muster::os
