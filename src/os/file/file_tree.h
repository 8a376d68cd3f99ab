#pragma once

#include "base/result.h"
#include "os/file/files.h"

namespace muster::os {

/// Files::copy_tree on this host.
[[nodiscard]] Status copy_tree(const Path& from, const Path& to);

/// Files::remove_tree on this host.
[[nodiscard]] Status remove_tree(const Path& path);

}  // namespace muster::os
