#include "agent/stacks/tool_search.h"

#include "base/text.h"
#include "os/host/proc_text.h"

#include <fmt/format.h>

#include <system_error>
#include <unistd.h>

namespace muster::agent {
namespace {

namespace fs = std::filesystem;

bool is_program(const fs::path& path) {
  std::error_code failed;
  return fs::is_regular_file(path, failed) && ::access(path.c_str(), X_OK) == 0;
}

/// Returns the first lines of a failing tool's messages, without its own stack trace.
std::string first_words(std::string_view text) {
  std::string words;
  size_t lines = 0;
  for (const std::string_view line : split(text, '\n')) {
    if (trim(line).empty() || trim(line).starts_with("Stack backtrace") || lines == 4) {
      break;
    }
    words += (words.empty() ? "" : " ") + printable(trim(line));
    ++lines;
  }
  return words;
}

}  // namespace

std::string find_program(std::string_view name, const std::map<std::string, std::string>& variables,
                         const std::vector<fs::path>& folders) {
  const auto path = variables.find("PATH");
  for (const std::string_view folder :
       split(path == variables.end() ? "/usr/local/bin:/usr/bin:/bin" : path->second, ':')) {
    if (fs::path candidate = fs::path(folder) / name; !folder.empty() && is_program(candidate)) {
      return candidate;
    }
  }
  for (const fs::path& folder : folders) {
    if (fs::path candidate = folder / name; !folder.empty() && is_program(candidate)) {
      return candidate;
    }
  }
  return "";
}

std::vector<fs::path> folders_beside(int32_t pid) {
  std::error_code failed;
  const std::string command = os::read_proc(fmt::format("/proc/{}/cmdline", pid));
  return {fs::read_symlink("/proc/self/exe", failed).parent_path(),
          fs::path(command.substr(0, command.find('\0'))).parent_path()};
}

std::string host_name() { return std::string(trim(os::read_proc("/proc/sys/kernel/hostname"))); }

std::string why_forbidden() {
  const std::string scope(trim(os::read_proc("/proc/sys/kernel/yama/ptrace_scope")));
  if (!scope.empty() && scope != "0") {
    return fmt::format("kernel.yama.ptrace_scope is {} there: an administrator can set it to 0",
                       scope);
  }
  return "in a Docker container this needs --cap-add=SYS_PTRACE; elsewhere, the program must "
         "belong to the same user and must not have made itself undumpable";
}

std::string words_of_failure(std::string_view text) {
  const std::string said = first_words(text);
  const bool forbidden = said.find("ermission") != std::string::npos ||
                         said.find("not permitted") != std::string::npos;
  return said + (forbidden ? "; reading another process is forbidden on " + host_name() + ": " +
                                 why_forbidden()
                           : std::string());
}

}  // namespace muster::agent
