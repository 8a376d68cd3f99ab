#include "os/process/process_tree.h"

#include "base/text.h"
#include "os/host/proc_text.h"
#include "rt/fd.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <dirent.h>
#include <fcntl.h>
#include <filesystem>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <unistd.h>

namespace muster::os {
namespace {

template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  Number value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

/// Parses /proc/PID/stat: "pid (comm) state ppid pgrp session ...". The name may contain blanks and
/// parentheses.
std::optional<ProcessInfo> parse_stat(std::string_view text) {
  const size_t open = text.find(" (");
  const size_t close = text.rfind(") ");
  if (open == std::string_view::npos || close == std::string_view::npos) {
    return std::nullopt;
  }
  constexpr size_t kStartField = 19;  // starttime, counted from the state.
  std::array<std::string_view, kStartField + 1> fields;
  std::string_view rest = text.substr(close + 2);
  for (std::string_view& field : fields) {
    const size_t blank = rest.find(' ');
    field = rest.substr(0, blank);
    rest = blank == std::string_view::npos ? std::string_view() : rest.substr(blank + 1);
  }
  const auto pid = parse_number<int32_t>(text.substr(0, open));
  const auto parent = parse_number<int32_t>(fields[1]);
  const auto group = parse_number<int32_t>(fields[2]);
  const auto session = parse_number<int32_t>(fields[3]);
  const auto start = parse_number<uint64_t>(fields[kStartField]);
  if (!pid || !parent || !group || !session || !start) {
    return std::nullopt;
  }
  return ProcessInfo{.pid = Pid(*pid),
                     .parent = Pid(*parent),
                     .group = Pid(*group),
                     .session = Pid(*session),
                     .zombie = fields[0] == "Z" || fields[0] == "X",
                     .start_ticks = *start};
}

std::optional<ProcessInfo> read_process(std::string_view pid) {
  const rt::Fd file(::open(fmt::format("/proc/{}/stat", pid).c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, 1024> buffer{};
  const ssize_t got = file.valid() ? ::read(file.get(), buffer.data(), buffer.size()) : -1;
  if (got <= 0) {
    return std::nullopt;
  }
  return parse_stat(std::string_view(buffer.data(), static_cast<size_t>(got)));
}

/// Appends the children of all threads of `parent`; false if the kernel does not list them.
bool add_children(Pid parent, std::vector<Pid>& children) {
  const std::string folder = fmt::format("/proc/{}/task", parent.value);
  const std::unique_ptr<DIR, int (*)(DIR*)> threads(::opendir(folder.c_str()), ::closedir);
  if (threads == nullptr) {
    return true;  // It has ended.
  }
  bool listed = false;
  while (const dirent* entry = ::readdir(threads.get())) {
    if (!parse_number<int32_t>(entry->d_name).has_value()) {
      continue;
    }
    // Relative to the open folder: programs have many threads, and walking the whole path is
    // expensive.
    const auto text =
        read_proc_at(::dirfd(threads.get()), fmt::format("{}/children", entry->d_name));
    listed = listed || text.has_value();
    for (const std::string_view word : split(trim(text.value_or("")), ' ')) {
      if (const auto pid = parse_number<int32_t>(word)) {
        children.push_back(Pid(*pid));
      }
    }
  }
  return listed;
}

}  // namespace

std::filesystem::path working_folder(Pid pid) {
  std::error_code failed;
  std::filesystem::path folder =
      std::filesystem::read_symlink(fmt::format("/proc/{}/cwd", pid.value), failed);
  return std::filesystem::is_directory(folder, failed) ? folder : std::filesystem::path();
}

std::optional<int32_t> end_of_zombie(Pid pid) {
  constexpr size_t kExitField = 49;  // exit_code, counted from the state.
  const std::string text = read_proc(fmt::format("/proc/{}/stat", pid.value));
  const std::vector<std::string_view> fields = stat_fields(text);
  if (fields.empty() || fields[0] != "Z") {
    return std::nullopt;
  }
  return fields.size() > kExitField ? parse_number<int32_t>(fields[kExitField]).value_or(0) : 0;
}

std::vector<ProcessInfo> list_processes() {
  std::vector<ProcessInfo> found;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir("/proc"), ::closedir);
  if (folder == nullptr) {
    return found;
  }
  while (const dirent* entry = ::readdir(folder.get())) {
    const std::string_view name = entry->d_name;
    if (!parse_number<int32_t>(name).has_value()) {
      continue;
    }
    if (const auto process = read_process(name)) {
      found.push_back(*process);
    }
  }
  return found;
}

std::vector<ProcessInfo> list_descendants(Pid root) {
  std::multimap<Pid, ProcessInfo> children;
  for (const ProcessInfo& process : list_processes()) {
    children.emplace(process.parent, process);
  }
  std::vector<ProcessInfo> found;
  std::vector<Pid> open{root};
  std::set<Pid> seen{root};  // /proc is not a snapshot: a reused pid must not make a cycle.
  for (size_t at = 0; at < open.size(); ++at) {
    const auto [first, last] = children.equal_range(open[at]);
    for (auto child = first; child != last; ++child) {
      if (seen.insert(child->second.pid).second) {
        found.push_back(child->second);
        open.push_back(child->second.pid);
      }
    }
  }
  return found;
}

std::optional<ProcessInfo> read_living(Pid pid) {
  const auto process = read_process(fmt::format("{}", pid.value));
  return process && !process->zombie ? process : std::nullopt;
}

OwnChildren list_own_children() {
  std::vector<Pid> own;
  if (!add_children(Pid(::getpid()), own)) {
    return std::nullopt;
  }
  std::vector<ProcessInfo> found;
  for (const Pid pid : own) {
    if (const auto process = read_living(pid)) {
      found.push_back(*process);
    }
  }
  return found;
}

std::vector<Pid> pids_of(const std::vector<ProcessInfo>& processes) {
  std::vector<Pid> pids;
  for (const ProcessInfo& process : processes) {
    pids.push_back(process.pid);
  }
  return pids;
}

std::vector<ProcessInfo> family_roots(Pid child, const std::vector<ProcessInfo>& own_children) {
  std::vector<ProcessInfo> roots;
  for (const ProcessInfo& own : own_children) {
    if (own.pid == child) {
      roots.insert(roots.begin(), own);
    } else if (own.group == child || own.session == child) {
      roots.push_back(own);
    }
  }
  return roots;
}

std::vector<ProcessInfo> list_family(Pid child, const std::vector<ProcessInfo>& own_children) {
  std::vector<ProcessInfo> found = family_roots(child, own_children);
  std::set<Pid> seen;
  for (const ProcessInfo& root : found) {
    seen.insert(root.pid);
  }
  for (size_t at = 0; at < found.size(); ++at) {
    std::vector<Pid> children;
    (void)add_children(found[at].pid, children);
    for (const Pid pid : children) {
      if (!seen.insert(pid).second) {
        continue;
      }
      if (const auto process = read_living(pid)) {
        found.push_back(*process);
      }
    }
  }
  return found;
}

Status signal_group(Pid leader, int signal) {
  if (leader.value <= 1) {
    return bug("refusing to signal every process");
  }
  if (::kill(-leader.value, signal) != 0 && errno != ESRCH) {
    return system_error(errno, fmt::format("cannot signal the process group {}", leader.value));
  }
  return {};
}

}  // namespace muster::os
