#pragma once

#include "base/result.h"
#include "base/time.h"
#include "hadoop/hdfs/names/name_node.h"
#include "rt/async.h"

#include <string>

namespace muster::hadoop::hdfs {

/// Returns the NameNode's own time, the one by which it notes when files change and are used. Ages
/// of files are told with it, never with this host's clock, which can be wrong by days.
///
/// No call tells it: a folder is made at `scratch`, where nothing may be, and removed again; those
/// above it must exist or come into being. Errors: the NameNode's.
[[nodiscard]] rt::Async<Result<WallTime>> server_time(NameNode* name_node, std::string scratch);

/// Converts a time of a FileStatus.
[[nodiscard]] WallTime wall_of(int64_t milliseconds);
/// The reverse, for NameNode::set_times().
[[nodiscard]] int64_t milliseconds_of(WallTime moment);

}  // namespace muster::hadoop::hdfs
