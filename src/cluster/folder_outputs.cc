#include "cluster/folder_outputs.h"

#include <algorithm>

namespace muster::cluster {

Result<std::vector<LogStream>> FolderOutputs::streams() {
  MUSTER_TRY(std::vector<LogStream> all, list_logs(files_, folder_, roles_));
  std::erase_if(all, [&](const LogStream& stream) { return !filter_.admits(stream); });
  return all;
}

Result<std::string> FolderOutputs::read(const LogStream& stream, uint64_t from, uint64_t limit) {
  std::string text;
  // The oldest part has the highest number; the newest has none.
  for (uint32_t part = stream.parts; part-- > 0 && text.size() < limit;) {
    const std::filesystem::path path =
        part == 0 ? stream.path
                  : std::filesystem::path(stream.path.string() + "." + std::to_string(part));
    const Result<os::FileStat> stat = files_.stat(path);
    if (!stat && stat.error().code != Errc::NotFound) {
      return stat.error();
    }
    const uint64_t size = stat ? stat->size_bytes : 0;
    if (from >= size) {
      from -= size;
      continue;
    }
    MUSTER_TRY(const std::string piece, files_.read_part(path, from, limit - text.size()));
    text += piece;
    from = 0;
  }
  return text;
}

std::vector<std::string> roles_of(const job::Plan& plan) {
  std::vector<std::string> roles;
  for (const job::RolePlan& role : plan.roles) {
    roles.push_back(role.name);
  }
  return roles;
}

}  // namespace muster::cluster
