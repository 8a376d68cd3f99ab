#pragma once

#include "client/session.h"
#include "spec/keys/keys.h"

#include <string>

namespace muster::client {

/// Retention by itself: after a submission, at most once a day and cluster from this host, starts
/// `muster clean --by-itself` apart from this process, which neither waits for it nor hears of it;
/// what it does stands in $MUSTER_HOME/cleaning.log. Touches nothing but this host's disk.
///
/// `on`: the name of a cluster that keeps its jobs elsewhere, or empty for the jobs of this host.
/// When that was last started is the time of the file $MUSTER_HOME/cleaned/CLUSTER; elsewhere the
/// cluster itself knows whose turn it is, for all hosts (RetentionRules::in_turn).
void start_cleaning_by_itself(Session& session, const std::string& on,
                              const spec::Cleaning& cleaning);

}  // namespace muster::client
