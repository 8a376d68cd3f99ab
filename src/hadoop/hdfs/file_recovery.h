#pragma once

#include "base/result.h"
#include "base/time.h"
#include "hadoop/hdfs/file_reader.h"
#include "rt/async.h"

#include <string>

namespace muster::hadoop::hdfs {

/// Closes a file whose writer is gone: takes its lease away and waits until the DataNodes agree on
/// the last block; what was flushed is kept. A file that is closed is success; repeating is
/// harmless. A writer that lives gets Cancelled from then on. Unavailable when the file is still
/// open after `patience`.
[[nodiscard]] rt::Async<Status> recover_file(FileDeps deps, std::string path, Duration patience);

}  // namespace muster::hadoop::hdfs
