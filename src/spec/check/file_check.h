#pragma once

#include "base/result.h"
#include "spec/read/document.h"
#include "spec/spec.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::spec {

/// What a path leads to. A link counts as its target; `link` says where that is.
struct PathInfo {
  enum class Kind : uint8_t { Missing, Regular, Folder, Socket, Pipe, Device, Forbidden };

  Kind kind = Kind::Missing;
  uint64_t size = 0;                ///< Of a Regular, in bytes.
  bool readable = true;             ///< Whether this user may read (or list) it.
  std::optional<std::string> link;  ///< Where a link leads, as written in the link.
};

/// The files as `check_files` sees them. Paths are those of the spec; relative ones are relative to
/// its folder.
class FileProbe {
 public:
  virtual ~FileProbe() = default;

  /// Returns what is at `path`. A broken link is Missing with its `link`; a path behind a folder
  /// that may not be entered is Forbidden. Never fails.
  virtual PathInfo look(const std::string& path) = 0;

  /// Returns the names in a folder, sorted, without `.` and `..`; empty if it cannot be listed.
  virtual std::vector<std::string> names_in(const std::string& folder) = 0;
};

/// Returns whether `src` is a URI; a probe is never asked about those.
[[nodiscard]] bool is_uri(std::string_view src);

/// Checks every file that the spec names: files, Python environments, files with secrets. On
/// failure the message has lines like those of `load`. `document` is Loaded::document.
[[nodiscard]] Status check_files(const Spec& spec, const Node& document, FileProbe& probe);

}  // namespace muster::spec
