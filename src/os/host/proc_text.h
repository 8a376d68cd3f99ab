#pragma once

#include "os/file/files.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::os {

/// Reads a file of /proc or /sys; "" if it cannot be read, or has more than 1 MiB.
[[nodiscard]] std::string read_proc(const std::string& path);
[[nodiscard]] inline std::string read_proc(const char* path) {
  return read_proc(std::string(path));
}
[[nodiscard]] inline std::string read_proc(const Path& path) { return read_proc(path.native()); }
/// The same for a file below an open folder; nullopt if it cannot be read.
[[nodiscard]] std::optional<std::string> read_proc_at(int folder, const std::string& path);
/// The same for a file that the kernel writes in one go, as it does stat, statm, io, status, comm
/// and syscall of a process. Saves a call, for files that are read each second.
[[nodiscard]] std::string read_proc_record(const std::string& path);

/// Parses a whole text as a decimal number; blanks around it are ignored.
[[nodiscard]] std::optional<uint64_t> parse_decimal(std::string_view text);

/// Returns the words of a line, regardless of how many blanks separate them.
[[nodiscard]] std::vector<std::string_view> columns_of(std::string_view line);

/// Returns the fields of /proc/PID/stat from the state on, which follows the name, as the name may
/// hold any character. Empty if it is some other text.
[[nodiscard]] std::vector<std::string_view> stat_fields(std::string_view text);

/// Returns the first number in the line that starts with `key` ("Pss:" in "Pss:   12 kB").
[[nodiscard]] std::optional<uint64_t> number_after(std::string_view text, std::string_view key);

/// Returns the value of a variable in the text of /proc/PID/environ; "" if it is not set.
[[nodiscard]] std::string variable_in(std::string_view environ, std::string_view name);

/// Where control groups of both versions are mounted.
inline constexpr std::string_view kCgroupRoot = "/sys/fs/cgroup";

/// Returns the folder of this process's cgroup that limits `controller`: v2 (unified) if
/// `controller` is empty, else v1.
/// "" if it is not mounted. The path is as seen below `cgroup_root`.
[[nodiscard]] std::string find_cgroup(std::string_view controller,
                                      std::string_view proc_self_cgroup, const Path& cgroup_root);

}  // namespace muster::os
