#pragma once

#include "app/session.h"
#include "cluster/cluster.h"
#include "cluster/job_folder.h"

#include <string>

namespace muster::app {

/// Returns the link to the page of a job whose master lives there: with a viewer's token where the
/// master itself lets people in, else as the cluster calls it. "" for none.
[[nodiscard]] std::string page_link_of(Session& session, const cluster::JobFolder& folder,
                                       const cluster::MasterPlace& place);

/// The same of a job that runs on this machine; "" when it has no master.
[[nodiscard]] std::string page_link_here(Session& session, const cluster::JobFolder& folder);

}  // namespace muster::app
