#pragma once

#include "client/show/remote_files.h"
#include "tony/conversion.h"

#include <string>
#include <vector>

namespace muster::client {

/// Puts the files that lie directly in a folder of HDFS in the place of the folder, as TonY does:
/// clusters distribute only files. What -hdfs_classpath names and is not there is left out; returns
/// the names of that. Errors: of the file system, but not that a file is missing.
[[nodiscard]] Result<std::vector<std::string>> expand_folders(RemoteFiles& remote,
                                                              const tony::Flags& flags,
                                                              tony::Converted& converted);

}  // namespace muster::client
