#pragma once

#include "app/session.h"
#include "app/yarn_client.h"
#include "spec/spec.h"

#include <string>

namespace muster::app {

/// Retention of a user's folder in HDFS: at the first submission of a day starts `muster clean --on
/// CLUSTER` apart from this process, which nobody waits for. When that was last done stands there
/// as the time of the file `cleaned`. What cannot be done today is done another day.
void clean_by_itself(Session& session, YarnClient& client, const std::string& on,
                     const spec::Spec& spec);

}  // namespace muster::app
