#pragma once

#include "os/file/files.h"

#include <cstdint>
#include <limits>
#include <memory>

namespace muster::os {

/// How much may still be read of foreign files: nobody keeps a reader busy with theirs. Every byte
/// costs one, each call kReadCallCost and each entry of a folder kReadEntryCost besides.
struct ReadBudget {
  uint64_t left_bytes = std::numeric_limits<uint64_t>::max();
};
inline constexpr uint64_t kReadCallCost = 1U << 10;
inline constexpr uint64_t kReadEntryCost = 16;

/// Files that other users may change while they are read: only regular files and folders are read,
/// and no link is followed, in no part of a path (it is NotFound), however fast it is exchanged.
/// So nobody makes a reader with more rights than theirs show something else. Paths are absolute;
/// a file longer than 64 MiB is an error, whatever limit a caller names. With a `budget`, which
/// outlives them, what does not fit into it any more is OutOfSpace, and uses up the rest.
/// Everything that writes or locks is Unsupported.
[[nodiscard]] std::unique_ptr<Files> make_foreign_files(ReadBudget* budget = nullptr);

}  // namespace muster::os
