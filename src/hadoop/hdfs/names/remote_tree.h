#pragma once

#include "base/result.h"
#include "hadoop/hdfs/blocks/block.h"
#include "hadoop/hdfs/file_system.h"
#include "rt/async.h"

#include <string>
#include <vector>

namespace muster::hadoop::hdfs {

/// An existing path.
struct Found {
  std::string path;
  FileStatus status;
};

/// Finds what a pattern (glob.h) over an absolute, normal path means, sorted by path. A pattern
/// with wildcards that matches nothing yields nothing; a plain path that does not exist is
/// NotFound.
[[nodiscard]] rt::Async<Result<std::vector<Found>>> expand(FileSystem* fs, std::string pattern);

/// Lists everything below a folder, each folder before its contents, depth first, sorted.
[[nodiscard]] rt::Async<Result<std::vector<Found>>> list_tree(FileSystem* fs, std::string folder);

}  // namespace muster::hadoop::hdfs
