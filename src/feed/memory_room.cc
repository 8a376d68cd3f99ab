#include "feed/memory_room.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace muster::feed {
namespace {

std::string text_of(const std::string& path) {
  const std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen(path.c_str(), "re"), &std::fclose);
  std::string text;
  if (file != nullptr) {
    text.resize(16'384);
    text.resize(std::fread(text.data(), 1, text.size(), file.get()));
  }
  return text;
}

/// Returns the first number after `label`.
std::optional<uint64_t> number_after(std::string_view text, std::string_view label) {
  const size_t found = text.find(label);
  if (found == std::string_view::npos) {
    return std::nullopt;
  }
  text.remove_prefix(found + label.size());
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  uint64_t number = 0;
  const auto [end, failed] = std::from_chars(text.begin(), text.end(), number);
  return failed == std::errc() ? std::optional(number) : std::nullopt;
}

/// Returns what a group has left. Any parent group may have a limit, too: the smallest counts.
uint64_t room_of_group(const std::string& root, std::string group, const char* limit_file,
                       const char* used_file) {
  uint64_t room = UINT64_MAX;
  for (;;) {
    const auto limit = number_after(text_of(root + group + "/" + limit_file), "");
    const auto used = number_after(text_of(root + group + "/" + used_file), "");
    if (limit.has_value() && used.has_value()) {
      room = std::min(room, *limit > *used ? *limit - *used : 0);
    }
    if (group.empty()) {
      return room;
    }
    group.resize(group.find_last_of('/') == std::string::npos ? 0 : group.find_last_of('/'));
  }
}

std::string group_of(std::string_view text, std::string_view label) {
  const size_t found = text.find(label);
  if (found == std::string_view::npos) {
    return "";
  }
  text.remove_prefix(found + label.size());
  std::string group(text.substr(0, text.find('\n')));
  return group == "/" ? "" : group;
}

uint64_t cgroup_room() {
  const std::string groups = text_of("/proc/self/cgroup");
  const uint64_t second = room_of_group("/sys/fs/cgroup", group_of("\n" + groups, "\n0::"),
                                        "memory.max", "memory.current");
  const uint64_t first = room_of_group("/sys/fs/cgroup/memory", group_of(groups, ":memory:"),
                                       "memory.limit_in_bytes", "memory.usage_in_bytes");
  return std::min(first, second);
}

}  // namespace

uint64_t memory_room() {
  constexpr uint64_t kKilobyte = 1024;
  const auto available = number_after(text_of("/proc/meminfo"), "MemAvailable:");
  const uint64_t host = available.has_value() ? *available * kKilobyte : UINT64_MAX;
  return std::min(host, cgroup_room());
}

}  // namespace muster::feed
