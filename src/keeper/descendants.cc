#include "keeper/descendants.h"

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <string>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>

namespace muster::keeper {
namespace {

/// Reads a small file of /proc; false if it cannot be opened.
bool read_proc_file(const std::string& path, std::string& text) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    return false;
  }
  text.clear();
  char buffer[4096];
  ssize_t got = 0;
  while ((got = ::read(fd, buffer, sizeof buffer)) > 0) {
    text.append(buffer, static_cast<size_t>(got));
  }
  ::close(fd);
  return true;
}

std::vector<pid_t> parse_pids(std::string_view text) {
  std::vector<pid_t> pids;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    pid_t pid = 0;
    const auto [next, error] = std::from_chars(at, end, pid);
    if (error == std::errc{} && pid > 0) {
      pids.push_back(pid);
    }
    at = next > at ? next : at + 1;
  }
  return pids;
}

/// The parent in a /proc/PID/stat line; its second field may hold blanks and parentheses.
pid_t parent_in_stat(std::string_view stat) {
  const size_t name_end = stat.rfind(')');
  if (name_end == std::string_view::npos || name_end + 4 >= stat.size()) {
    return 0;
  }
  pid_t parent = 0;
  std::from_chars(stat.data() + name_end + 4, stat.data() + stat.size(), parent);
  return parent;
}

/// For kernels built without /proc/PID/task/TID/children.
std::vector<pid_t> children_by_scan() {
  std::vector<pid_t> pids;
  DIR* const proc = ::opendir("/proc");
  if (proc == nullptr) {
    return pids;
  }
  const pid_t self = ::getpid();
  std::string stat;
  while (const dirent* entry = ::readdir(proc)) {
    const pid_t pid = static_cast<pid_t>(std::atoi(entry->d_name));
    if (pid > 0 && read_proc_file("/proc/" + std::to_string(pid) + "/stat", stat) &&
        parent_in_stat(stat) == self) {
      pids.push_back(pid);
    }
  }
  ::closedir(proc);
  return pids;
}

}  // namespace

std::vector<pid_t> children_of_self() {
  const std::string self = std::to_string(::getpid());
  std::string text;
  if (read_proc_file("/proc/" + self + "/task/" + self + "/children", text)) {
    return parse_pids(text);
  }
  return children_by_scan();
}

void end_descendants() {
  while (true) {
    bool killable = false;
    for (const pid_t pid : children_of_self()) {
      // A zombie accepts the signal, too, and is reaped below.
      killable |= ::kill(pid, SIGKILL) == 0;
    }
    const pid_t reaped = ::waitpid(-1, nullptr, killable ? 0 : WNOHANG);
    if (reaped < 0 && errno == EINTR) {
      continue;
    }
    if (reaped <= 0) {
      return;
    }
    while (::waitpid(-1, nullptr, WNOHANG) > 0) {
    }
  }
}

}  // namespace muster::keeper
