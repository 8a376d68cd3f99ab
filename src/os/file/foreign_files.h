#pragma once

#include "os/file/files.h"

#include <cstdint>
#include <limits>
#include <memory>

namespace muster::os {

/// How much may still be read of foreign files, so that nobody can keep a reader busy with theirs.
/// Every byte costs one; each call costs kReadCallCost and each entry of a folder kReadEntryCost on
/// top.
struct ReadBudget {
  uint64_t left_bytes = std::numeric_limits<uint64_t>::max();
};
inline constexpr uint64_t kReadCallCost = 1U << 10;
inline constexpr uint64_t kReadEntryCost = 16;

/// Files that other users may change while they are read. Only regular files and folders are read,
/// and no link is followed in any part of a path (it is NotFound), however fast it is swapped in,
/// so nobody can trick a reader with more rights than theirs into showing something else. Paths are
/// absolute; a file longer than 64 MiB is an error, whatever limit a caller names. With a `budget`,
/// which must outlive them, whatever no longer fits is OutOfSpace and uses up the rest. Everything
/// that writes or locks is Unsupported.
[[nodiscard]] std::unique_ptr<Files> make_foreign_files(ReadBudget* budget = nullptr);

}  // namespace muster::os
