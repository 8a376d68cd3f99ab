#pragma once

#include "base/result.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace muster::hadoop::hdfs {

/// A place in HDFS as a user names it: "hdfs://nn:8020/a", "hdfs://cluster/a", "hdfs:///a", "/a" or
/// "a". Taken literally: no byte is an escape, a blank is a blank.
struct Location {
  std::string authority;  ///< "nn:8020" or a name service; empty: the default file system's.
  std::string path;       ///< Absolute, without empty parts, ".", ".." or a slash at its end.
  bool folder = false;    ///< Was written with a slash at its end.

  bool operator==(const Location&) const = default;
};

/// The longest path that a NameNode takes (8,000 characters, 1,000 levels); longer ones are refused
/// here.
inline constexpr size_t kPathBytesMax = 8000;

/// Parses `text`; relative paths start in `home` ("/user/alice"). Errors (blame User): another
/// scheme, a part with a colon, bytes that are not UTF-8, a path that is too long, an empty text.
[[nodiscard]] Result<Location> parse_location(std::string_view text, std::string_view home);

/// Returns the absolute form of `path` without empty parts, "." and "..": a ".." of the root is the
/// root.
[[nodiscard]] std::string normalize(std::string_view path);

/// "/a/b" → "b"; "/" → "".
[[nodiscard]] std::string_view base_name(std::string_view path);
/// "/a/b" → "/a"; "/a" and "/" → "/".
[[nodiscard]] std::string_view parent_of(std::string_view path);
/// Puts `name` below `folder`.
[[nodiscard]] std::string child_of(std::string_view folder, std::string_view name);
/// True if `path` is `folder` or is below it.
[[nodiscard]] bool is_within(std::string_view path, std::string_view folder);

}  // namespace muster::hadoop::hdfs
