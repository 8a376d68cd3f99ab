#include "client/keep/disk_probe.h"

#include <algorithm>
#include <cerrno>
#include <sys/stat.h>
#include <unistd.h>

namespace muster::client {
namespace fs = std::filesystem;
namespace {

spec::PathInfo::Kind kind_of(mode_t mode) {
  using Kind = spec::PathInfo::Kind;
  if (S_ISREG(mode)) {
    return Kind::Regular;
  }
  if (S_ISDIR(mode)) {
    return Kind::Folder;
  }
  if (S_ISSOCK(mode)) {
    return Kind::Socket;
  }
  return S_ISFIFO(mode) ? Kind::Pipe : Kind::Device;
}

}  // namespace

spec::PathInfo DiskProbe::look(const std::string& path) {
  spec::PathInfo info;
  const fs::path full = folder_ / path;
  std::error_code error;
  const fs::path target = fs::read_symlink(full, error);
  if (!error) {
    info.link = target.string();
  }
  struct stat found{};
  if (stat(full.c_str(), &found) != 0) {
    info.kind = errno == EACCES ? spec::PathInfo::Kind::Forbidden : spec::PathInfo::Kind::Missing;
    return info;
  }
  info.kind = kind_of(found.st_mode);
  info.size = static_cast<uint64_t>(found.st_size);
  info.readable = access(full.c_str(), S_ISDIR(found.st_mode) ? R_OK | X_OK : R_OK) == 0;
  return info;
}

std::vector<std::string> DiskProbe::names_in(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator it(folder_ / folder, error), end; !error && it != end;
       it.increment(error)) {
    names.push_back(it->path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace muster::client
