#pragma once

#include "hadoop/hdfs/names/remote_tree.h"

#include <string>
#include <string_view>

namespace muster::fs {

/// "drwxr-xr-t", "-rw-r--r--".
[[nodiscard]] std::string mode_text(const hadoop::hdfs::FileStatus& status);
/// "2026-11-21 06:05", UTC.
[[nodiscard]] std::string minute_text(int64_t milliseconds);

/// One line of `ls`, in the columns of `hadoop fs -ls`, without a newline. `path` is what is shown.
[[nodiscard]] std::string line_of(const hadoop::hdfs::FileStatus& status, std::string_view path,
                                  bool human);
/// One entry of the JSON of ls and stat.
[[nodiscard]] std::string json_of(const hadoop::hdfs::FileStatus& status, std::string_view path);
/// What `stat` prints of one path, with a newline at its end.
[[nodiscard]] std::string details_of(const hadoop::hdfs::FileStatus& status, std::string_view path);

}  // namespace muster::fs
