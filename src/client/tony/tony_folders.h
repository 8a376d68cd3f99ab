#pragma once

#include "client/show/remote_files.h"
#include "tony/conversion.h"

#include <string>
#include <vector>

namespace muster::client {

/// Replaces an HDFS folder by the files directly in it, as TonY does, since clusters distribute
/// only files. Parts of -hdfs_classpath that do not exist are left out; their names are returned.
/// Errors are those of the file system, except for missing files.
[[nodiscard]] Result<std::vector<std::string>> expand_folders(RemoteFiles& remote,
                                                              const tony::Flags& flags,
                                                              tony::Converted& converted);

}  // namespace muster::client
