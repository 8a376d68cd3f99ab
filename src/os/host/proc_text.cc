#include "os/host/proc_text.h"

#include "base/text.h"
#include "rt/fd.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <fcntl.h>
#include <unistd.h>

namespace muster::os {

namespace {

std::optional<std::string> read_at_once(int folder, const std::string& path, bool one_record) {
  constexpr size_t kMax = 1U << 20;
  std::array<char, 16U << 10> piece;  // NOLINT: filled by read.
  const rt::Fd fd(::openat(folder, path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) {
    return std::nullopt;
  }
  std::string text;
  while (true) {
    const ssize_t got = ::read(fd.get(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got < 0 || text.size() + static_cast<size_t>(got) > kMax) {
      return std::nullopt;
    }
    text.append(piece.data(), static_cast<size_t>(got));
    if (got == 0 || (one_record && static_cast<size_t>(got) < piece.size())) {
      break;
    }
  }
  return text;
}

}  // namespace

std::string read_proc(const std::string& path) {
  return read_at_once(AT_FDCWD, path, false).value_or("");
}
std::optional<std::string> read_proc_at(int folder, const std::string& path) {
  return read_at_once(folder, path, false);
}
std::string read_proc_record(const std::string& path) {
  return read_at_once(AT_FDCWD, path, true).value_or("");
}

std::optional<uint64_t> parse_decimal(std::string_view text) {
  text = trim(text);
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

std::vector<std::string_view> columns_of(std::string_view line) {
  std::vector<std::string_view> columns;
  for (const std::string_view word : split(line, ' ')) {
    if (!word.empty()) {
      columns.push_back(word);
    }
  }
  return columns;
}

std::vector<std::string_view> stat_fields(std::string_view text) {
  const size_t close = text.rfind(") ");
  return close == std::string_view::npos ? std::vector<std::string_view>()
                                         : split(trim(text.substr(close + 2)), ' ');
}

std::optional<uint64_t> number_after(std::string_view text, std::string_view key) {
  for (const std::string_view line : split(text, '\n')) {
    if (!line.starts_with(key)) {
      continue;
    }
    const std::string_view rest = trim(line.substr(key.size()));
    return parse_decimal(rest.substr(0, rest.find_first_of(" \t")));
  }
  return std::nullopt;
}

std::string variable_in(std::string_view environ, std::string_view name) {
  for (const std::string_view entry : split(environ, '\0')) {
    if (entry.size() > name.size() && entry.starts_with(name) && entry[name.size()] == '=') {
      return std::string(entry.substr(name.size() + 1));
    }
  }
  return {};
}

std::string find_cgroup(std::string_view controller, std::string_view proc_self_cgroup,
                        const Path& cgroup_root) {
  for (const std::string_view line : split(proc_self_cgroup, '\n')) {
    // "4:memory:/user.slice" or, unified, "0::/user.slice".
    const size_t first = line.find(':');
    const size_t second = first == std::string_view::npos ? first : line.find(':', first + 1);
    if (second == std::string_view::npos) {
      continue;
    }
    const auto controllers = split(line.substr(first + 1, second - first - 1), ',');
    if (std::ranges::find(controllers, controller) == controllers.end()) {
      continue;
    }
    const std::string_view below = line.substr(second + 1);
    Path mount = cgroup_root;
    if (!controller.empty()) {
      mount /= controller;
    } else if (::access((mount / "cgroup.controllers").c_str(), F_OK) != 0) {
      mount /= "unified";  // A host with both versions.
    }
    // In a container the path may be the host's and not exist here; then the mount is the group.
    const Path group = mount / Path(below).relative_path();
    for (const Path& candidate : {group, mount}) {
      if (::access(candidate.c_str(), F_OK) == 0) {
        return candidate.string();
      }
    }
  }
  return "";
}

}  // namespace muster::os
