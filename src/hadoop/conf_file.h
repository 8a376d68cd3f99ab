#pragma once

#include "base/result.h"
#include "hadoop/origin.h"

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::hadoop {

/// Reads a whole file: NotFound when there is none; what is too large to be a configuration is an
/// error. os::Files::read fits.
using ReadFile = std::function<Result<std::string>(const std::filesystem::path& path)>;

/// One <property> as it is in a file, nothing expanded.
struct ConfItem {
  std::string name;
  std::string value;  ///< With its blanks.
  bool is_final = false;
  Origin origin;  ///< Of the <property> element.
  bool operator==(const ConfItem&) const = default;
};

/// One file with everything it includes, in order.
struct ConfFile {
  std::vector<ConfItem> items;
  /// Mistakes that Hadoop skips in silence (a <property> without a name or value), for users.
  std::vector<std::string> notes;
};

inline constexpr size_t kConfBytesMax = 16U << 20;  ///< Of one file.
inline constexpr size_t kConfIncludesMax = 100;     ///< Files included by one file, all levels.
inline constexpr size_t kConfDepthMax = 32;         ///< Elements or includes within each other.

/// Parses a configuration file. `text` is that of `path`; `folders` are where the configuration
/// lies: an included file is looked for there first, then next to the including file. An include
/// that cannot be found takes its <fallback>, and is an error without one. Errors name file, line
/// and column: not well-formed XML, include loops, declared entities (Muster expands none).
[[nodiscard]] Result<ConfFile> parse_conf_file(const std::filesystem::path& path,
                                               std::string_view text, const ReadFile& read,
                                               const std::vector<std::filesystem::path>& folders);

}  // namespace muster::hadoop
