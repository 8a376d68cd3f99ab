#include "os/host/identity.h"

#include "base/text.h"
#include "os/process/command.h"

#include <fmt/format.h>

#include <chrono>
#include <sys/utsname.h>
#include <unistd.h>

namespace muster::os {

std::string user_name(const std::map<std::string, std::string>& environment) {
  for (const char* variable : {"HADOOP_USER_NAME", "USER"}) {
    const auto found = environment.find(variable);
    if (found != environment.end() && !found->second.empty()) {
      return found->second;
    }
  }
  // If users come from a directory service, only the host's own libraries can name them.
  SpawnOptions id{.argv = {"id", "-un"},
                  .env = {{"PATH", "/usr/local/bin:/usr/bin:/bin"}},
                  .stderr_to = ToNull{}};
  const auto output = run_command(std::move(id), std::chrono::seconds(5));
  if (output.has_value() && output->exit.code == 0 && !trim(output->stdout_text).empty()) {
    return std::string(trim(output->stdout_text));
  }
  return fmt::to_string(::geteuid());
}

std::string host_name() {
  utsname names{};
  if (::uname(&names) != 0 || names.nodename[0] == '\0') {
    return "localhost";
  }
  return names.nodename;
}

}  // namespace muster::os
