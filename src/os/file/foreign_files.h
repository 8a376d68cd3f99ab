#pragma once

#include "os/file/files.h"

#include <memory>

namespace muster::os {

/// Files that other users may change while they are read: only regular files and folders are read,
/// and no link is followed, in no part of a path (it is NotFound), however fast it is exchanged.
/// So nobody makes a reader with more rights than theirs show something else. Paths are absolute;
/// a file longer than 64 MiB is an error. Everything that writes or locks is Unsupported.
[[nodiscard]] std::unique_ptr<Files> make_foreign_files();

}  // namespace muster::os
