#pragma once

#include "hadoop/hdfs/remote_tree.h"

#include <string>
#include <string_view>

namespace muster::app {

/// "drwxr-xr-t", "-rw-r--r--".
[[nodiscard]] std::string fs_mode(const hadoop::hdfs::FileStatus& status);
/// "2026-11-21 06:05", UTC.
[[nodiscard]] std::string fs_minute(int64_t milliseconds);

/// One line of `ls`, in the columns of `hadoop fs -ls`, without a newline. `path` is what is shown.
[[nodiscard]] std::string fs_line(const hadoop::hdfs::FileStatus& status, std::string_view path,
                                  bool human);
/// One entry of the JSON of ls and stat.
[[nodiscard]] std::string fs_json(const hadoop::hdfs::FileStatus& status, std::string_view path);
/// What `stat` prints of one path, with a newline at its end.
[[nodiscard]] std::string fs_details(const hadoop::hdfs::FileStatus& status, std::string_view path);

}  // namespace muster::app
