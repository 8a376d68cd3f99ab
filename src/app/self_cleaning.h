#pragma once

#include "app/session.h"
#include "spec/keys.h"

#include <string>

namespace muster::app {

/// Retention by itself: after a submission, at most once a day and cluster from this host, starts
/// `muster clean --by-itself` apart from this process, which neither waits for it nor hears of it;
/// what it does stands in $MUSTER_HOME/cleaning.log. Touches nothing but this host's disk.
///
/// `on`: the name of a YARN cluster, or empty for the jobs of this host. When that was last started
/// is the time of the file $MUSTER_HOME/cleaned/CLUSTER; in HDFS the stamp of
/// cluster::yarn::take_cleaning_turn() counts for all hosts.
void start_cleaning_by_itself(Session& session, const std::string& on,
                              const spec::Cleaning& cleaning);

}  // namespace muster::app
