#include "client/keep/home_check.h"

#include "base/text.h"
#include "os/file/trusted_folder.h"

#include <fmt/format.h>

#include <string>

namespace muster::client {

Status check_home(const Session& session) {
  const bool in_container = session.environment.find("CONTAINER_ID").has_value();
  const std::filesystem::path& home = session.home.root();
  const Status checked =
      os::check_trusted(home, in_container ? os::Above::Trusted : os::Above::Checked);
  if (!checked) {
    return user_error(fmt::format(
        "jobs cannot be kept in {}: {}; set MUSTER_HOME to a folder that only you can write to",
        printable(home.string()), checked.error().message));
  }
  return {};
}

}  // namespace muster::client
