#pragma once

#include "base/result.h"
#include "os/file/files.h"

#include <cstdint>

namespace muster::os {

/// Whose word counts where a folder lies.
enum class Above : uint8_t {
  Checked,  ///< Everything above must be this user's or root's, too.
  Trusted,  ///< Somebody trusted has made the folders above: a cluster for its container.
};

/// Checks that nobody but this user and root can write into `folder` (absolute), replace it, or
/// lead elsewhere who opens it: the folder is this user's; those above, and links on the way, are
/// this user's or root's; none can be written by others, but for those with the sticky bit, like
/// /tmp. A group whose number is the user's counts as the user. What does not exist yet is fine.
/// The error names the place and the reason.
[[nodiscard]] Status check_trusted(const Path& folder, Above above = Above::Checked);

}  // namespace muster::os
