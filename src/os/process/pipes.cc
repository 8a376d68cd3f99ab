#include "os/process/pipes.h"

#include <fmt/format.h>

#include <filesystem>
#include <set>
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

/// Returns the pipes from which a process can read.
std::set<std::string> pipes_read_by(Pid process) {
  std::set<std::string> pipes;
  std::error_code failed;
  fs::directory_iterator entries(fmt::format("/proc/{}/fd", process.value), failed);
  for (; !failed && entries != fs::directory_iterator(); entries.increment(failed)) {
    // The permissions of these links are the modes in which the descriptors were opened.
    std::error_code unseen;
    const fs::perms mode = entries->symlink_status(unseen).permissions();
    if (!unseen && (mode & fs::perms::owner_read) != fs::perms::none) {
      pipes.insert(pipe_at(entries->path()));
    }
  }
  return pipes;
}

}  // namespace

Pid PipeReaders::only_reader(Pid writer, int32_t descriptor) {
  const std::string pipe = pipe_at(fmt::format("/proc/{}/fd/{}", writer.value, descriptor));
  if (pipe.empty()) {
    return {};
  }
  if (!readers_) {
    readers_.emplace();
    for (const Pid process : processes_) {
      for (const std::string& read : pipes_read_by(process)) {
        (*readers_)[read].push_back(process);
      }
    }
  }
  std::vector<Pid> readers = (*readers_)[pipe];
  std::erase(readers, writer);
  return readers.size() == 1 ? readers.front() : Pid();
}

}  // namespace muster::os
