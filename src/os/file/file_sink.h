#pragma once

#include "base/log.h"
#include "base/result.h"
#include "os/file/files.h"
#include "rt/loop.h"

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string_view>

namespace muster::os {

struct FileSinkOptions {
  log::Level lowest = log::Level::Info;
  uint64_t rotate_at_bytes = 16U << 20;  ///< The file is then renamed to PATH.1 and so on.
  uint32_t keep = 3;                     ///< Rotated files that are kept.
};

/// Log lines with UTC times in a file that rotates. A line that cannot be written is dropped. For
/// one thread.
[[nodiscard]] Result<std::unique_ptr<log::Sink>> open_file_sink(
    Files& files, const rt::Loop& loop, const Path& path, const FileSinkOptions& options = {});

/// Log lines on stderr, for programs in the foreground.
[[nodiscard]] std::unique_ptr<log::Sink> make_stderr_sink(const rt::Loop& loop, log::Level lowest);

}  // namespace muster::os
