#pragma once

#include "base/result.h"
#include "os/file/files.h"

#include <cstdint>

namespace muster::os {

/// Who is trusted with the folders above a folder.
enum class Above : uint8_t {
  Checked,  ///< Everything above must be this user's or root's, too.
  Trusted,  ///< A trusted party made them, such as a cluster for its container.
};

/// Checks that nobody but this user and root can write into `folder` (absolute), replace it, or
/// redirect whoever opens it. The folder must be this user's; those above, and links on the way,
/// this user's or root's; none may be writable by others, except those with the sticky bit, like
/// /tmp. A group whose number is the user's counts as the user. What does not exist yet is fine.
/// The error names the place and the reason.
[[nodiscard]] Status check_trusted(const Path& folder, Above above = Above::Checked);

}  // namespace muster::os
