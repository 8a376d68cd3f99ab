#include "agent/stacks/attempt_processes.h"

#include "os/host/proc_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>
#include <unistd.h>

namespace muster::agent {

std::vector<os::ProcessInfo> attempt_processes(const std::map<std::string, std::string>& mine) {
  constexpr std::array<std::string_view, 4> kMarks = {"MUSTER_JOB_ID", "MUSTER_ROLE",
                                                      "MUSTER_INDEX", "MUSTER_ATTEMPT"};
  const os::Pid agent(::getppid());
  std::vector<os::ProcessInfo> all = os::list_descendants(agent);
  std::vector<os::Pid> known;
  std::vector<os::ProcessInfo> found;
  for (const os::ProcessInfo& process : all) {
    bool belongs = std::ranges::find(known, process.parent) != known.end();
    if (process.parent == agent && process.session != process.pid && !process.zombie) {
      const std::string theirs = os::read_proc(fmt::format("/proc/{}/environ", process.pid.value));
      belongs = std::ranges::all_of(kMarks, [&](std::string_view mark) {
        const auto own = mine.find(std::string(mark));
        return own != mine.end() && os::variable_in(theirs, mark) == own->second;
      });
    }
    if (belongs && !process.zombie) {
      known.push_back(process.pid);
      found.push_back(process);
    }
  }
  return found;
}

std::vector<os::ProcessInfo> ended_children(const std::vector<os::ProcessInfo>& parents) {
  std::vector<os::ProcessInfo> ended = os::list_descendants(os::Pid(::getppid()));
  std::erase_if(ended, [&](const os::ProcessInfo& process) {
    return !process.zombie ||
           std::ranges::find(parents, process.parent, &os::ProcessInfo::pid) == parents.end();
  });
  return ended;
}

bool is_python(const os::ProcessInfo& process, std::string_view name) {
  std::error_code failed;
  const std::string program =
      std::filesystem::read_symlink(fmt::format("/proc/{}/exe", process.pid.value), failed)
          .filename();
  return program.starts_with("python") || program.starts_with("pypy") || name.starts_with("python");
}

}  // namespace muster::agent
