#pragma once

#include "app/session.h"
#include "base/result.h"

#include <cstddef>
#include <filesystem>
#include <string>

namespace muster::app {

/// `conf`: the folder of the Hadoop configuration; empty: as Hadoop looks for it.

/// Returns the newest checkpoint in `to` (a folder of this machine or of HDFS, checkpoint.to of a
/// job): its folder or URI; `to` itself where it holds none by Muster's names.
[[nodiscard]] Result<std::string> newest_checkpoint(Session& session, const std::string& conf,
                                                    const std::string& to);

/// Copies TensorBoard's event files below the URI `from` into the folder `to`, which is made, with
/// the folders they lie in; those that are there with the same size stay. Returns how many there
/// are.
[[nodiscard]] Result<size_t> bring_event_files(Session& session, const std::string& conf,
                                               const std::string& from,
                                               const std::filesystem::path& to);

}  // namespace muster::app
