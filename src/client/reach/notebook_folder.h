#pragma once

#include "base/result.h"
#include "client/session.h"
#include "cluster/cluster.h"
#include "rt/fd.h"

#include <string>
#include <string_view>

namespace muster::client {

/// Returns whether two HDFS folders, as people write them, have files in common: they are the same,
/// or one is inside the other. A relative one is in the home of `user`; if only one names its
/// NameNode, the other is taken to be on that one, too.
[[nodiscard]] bool share_files(std::string_view one, std::string_view other, std::string_view user);

/// The right to start a notebook, which one process of this $MUSTER_HOME has at a time: of two that
/// are started at once, the second finds the first's job. Waits for the right; closing the
/// descriptor gives it up. Returns no descriptor if the file system has no locks.
[[nodiscard]] rt::Fd take_notebook_turn(Session& session);

/// Refuses the HDFS folder `folder` for a new notebook while a notebook of this user has files in
/// common with it, since each would overwrite and delete what the other saves. The error names that
/// job. `alternative`: the option that gives the new one another folder. Jobs of other users are
/// not seen; what cannot be read is ignored.
[[nodiscard]] Status check_notebook_folder(Session& session, cluster::Cluster& cluster,
                                           const std::string& folder, std::string_view alternative);

}  // namespace muster::client
