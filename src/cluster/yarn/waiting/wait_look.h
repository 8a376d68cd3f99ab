#pragma once

#include "base/result.h"
#include "cluster/yarn/client/client_session.h"
#include "cluster/yarn/waiting/wait_reasons.h"
#include "job/plan.h"

#include <string>

namespace muster::cluster::yarn {

/// What is asked of the cluster, for WaitFacts.
struct WaitAsk {
  hadoop::yarn::Resource largest;
  std::string label;
};

/// Asks the resource manager, by its calls and its pages, why a job's application waits. Takes some
/// seconds: the scheduler must pass by the application once. Errors: the application cannot be
/// asked for; what else cannot be read is left out.
[[nodiscard]] Result<WaitFacts> look_at_wait(ClientSession& session,
                                             const ApplicationFile& application, WaitAsk ask);

/// The largest container that the job asks for, and the label of its role.
[[nodiscard]] WaitAsk largest_ask(const job::Plan& plan);

}  // namespace muster::cluster::yarn
