#pragma once

#include "base/result.h"
#include "client/session.h"
#include "cluster/cluster.h"
#include "rt/fd.h"

#include <string>
#include <string_view>

namespace muster::client {

/// Whether two folders of HDFS, as people write them, have files in common: they are one, or one is
/// in the other. A relative one is in the home of `user`; where only one names its NameNode, both
/// are that NameNode's.
[[nodiscard]] bool share_files(std::string_view one, std::string_view other, std::string_view user);

/// The right to start a notebook, which one process of this $MUSTER_HOME has at a time: of two that
/// are started at once the second finds the first's job. Given up when it is closed; waits for it.
/// None where the file system has no locks.
[[nodiscard]] rt::Fd take_notebook_turn(Session& session);

/// Refuses `folder` of HDFS to a new notebook while one of this user's has files in common with it:
/// each would overwrite and delete what the other saves. The error names that job. `alternative`:
/// the option that gives the new one another folder. Jobs of other users are not seen; what cannot
/// be read does not count.
[[nodiscard]] Status check_notebook_folder(Session& session, cluster::Cluster& cluster,
                                           const std::string& folder, std::string_view alternative);

}  // namespace muster::client
