#include "hadoop/hdfs/names/path.h"

#include "base/text.h"

#include <fmt/format.h>

#include <vector>

namespace muster::hadoop::hdfs {
namespace {

/// Returns the scheme of "scheme:/..."; empty if there is none. "a:b" has none: a colon counts only
/// before a slash.
std::string_view scheme_of(std::string_view text) {
  const size_t colon = text.find_first_of(":/");
  const bool is_scheme = colon != std::string_view::npos && colon > 0 && text[colon] == ':' &&
                         colon + 1 < text.size() && text[colon + 1] == '/';
  return is_scheme ? text.substr(0, colon) : std::string_view();
}

Status check_names(std::string_view path) {
  if (const auto at = find_invalid_utf8(path)) {
    return user_error(fmt::format("the name {} is not UTF-8 (byte {}), which HDFS requires",
                                  printable(path), *at + 1));
  }
  if (path.find(':') != std::string_view::npos) {
    return user_error(
        fmt::format("the name {} has a colon, which HDFS does not allow", printable(path)));
  }
  if (path.size() > kPathBytesMax) {
    return user_error(fmt::format("a path of {} bytes is longer than HDFS accepts ({}): {}...",
                                  path.size(), kPathBytesMax, printable(path.substr(0, 80))));
  }
  return {};
}

}  // namespace

std::string normalize(std::string_view path) {
  std::vector<std::string_view> parts;
  for (const std::string_view part : split(path, '/')) {
    if (part.empty() || part == ".") {
      continue;
    }
    if (part != "..") {
      parts.push_back(part);
    } else if (!parts.empty()) {
      parts.pop_back();
    }
  }
  std::string normal;
  for (const std::string_view part : parts) {
    normal.append("/").append(part);
  }
  return normal.empty() ? "/" : normal;
}

Result<Location> parse_location(std::string_view text, std::string_view home) {
  if (text.empty()) {
    return user_error("the path is empty; / is the root of HDFS");
  }
  Location location;
  std::string_view path = text;
  if (const std::string_view scheme = scheme_of(text); !scheme.empty()) {
    if (scheme != "hdfs") {
      return user_error(fmt::format("{} is not an HDFS path: write hdfs://HOST:PORT/PATH or /PATH",
                                    printable(text)));
    }
    path.remove_prefix(scheme.size() + 1);
    if (path.starts_with("//")) {
      path.remove_prefix(2);
      const size_t slash = path.find('/');
      location.authority = path.substr(0, slash);
      path = slash == std::string_view::npos ? "/" : path.substr(slash);
    }
  }
  location.folder = path.ends_with('/');
  std::string absolute(path);
  if (!path.starts_with('/')) {
    absolute = child_of(home, path);
  }
  MUSTER_TRY_STATUS(check_names(absolute));
  location.path = normalize(absolute);
  return location;
}

std::string_view base_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

std::string_view parent_of(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == 0 || slash == std::string_view::npos ? "/" : path.substr(0, slash);
}

std::string child_of(std::string_view folder, std::string_view name) {
  std::string path(folder);
  if (!path.ends_with('/')) {
    path += '/';
  }
  return path.append(name);
}

bool is_within(std::string_view path, std::string_view folder) {
  if (folder == "/") {
    return true;
  }
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

}  // namespace muster::hadoop::hdfs
