#include "os/process/pipes.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>

namespace muster::os {
namespace {

namespace fs = std::filesystem;

/// "pipe:[4711]"; "" if it is something else.
std::string pipe_at(const fs::path& descriptor) {
  std::error_code failed;
  std::string target = fs::read_symlink(descriptor, failed).string();
  return failed || !target.starts_with("pipe:") ? std::string() : target;
}

bool may_read(Pid process, const std::string& pipe) {
  std::error_code failed;
  fs::directory_iterator entries(fmt::format("/proc/{}/fd", process.value), failed);
  for (; !failed && entries != fs::directory_iterator(); entries.increment(failed)) {
    // The permissions of these links are the modes in which the descriptors were opened.
    std::error_code unseen;
    const fs::perms mode = entries->symlink_status(unseen).permissions();
    if (!unseen && (mode & fs::perms::owner_read) != fs::perms::none &&
        pipe_at(entries->path()) == pipe) {
      return true;
    }
  }
  return false;
}

}  // namespace

Pid only_reader(Pid writer, int32_t descriptor, std::span<const Pid> processes) {
  const std::string pipe = pipe_at(fmt::format("/proc/{}/fd/{}", writer.value, descriptor));
  Pid found;
  for (const Pid process : processes) {
    if (pipe.empty() || process == writer || !may_read(process, pipe)) {
      continue;
    }
    if (found != Pid()) {
      return {};
    }
    found = process;
  }
  return found;
}

}  // namespace muster::os
