#pragma once

#include "base/result.h"
#include "cluster/yarn/client/client_session.h"
#include "cluster/yarn/waiting/wait_reasons.h"
#include "job/plan.h"

#include <string>

namespace muster::cluster::yarn {

/// What to ask the cluster for WaitFacts.
struct WaitAsk {
  hadoop::yarn::Resource largest;
  std::string label;
};

/// Asks the resource manager, through its calls and its pages, why a job's application waits. Takes
/// some seconds, since the scheduler must consider the application once. Fails if the application
/// cannot be looked up; anything else that cannot be read is left out.
[[nodiscard]] Result<WaitFacts> look_at_wait(ClientSession& session,
                                             const ApplicationFile& application, WaitAsk ask);

/// Returns the largest container that the job requests, and the label of its role.
[[nodiscard]] WaitAsk largest_ask(const job::Plan& plan);

}  // namespace muster::cluster::yarn
