#pragma once

#include "cluster/yarn/client/fit.h"
#include "cluster/yarn/session.h"
#include "hadoop/yarn/rest_client.h"
#include "rt/async.h"

#include <optional>

namespace muster::cluster::yarn {

/// The resource manager's web pages, which say what its calls do not; nothing if they cannot be
/// read (https). The session must outlive it.
[[nodiscard]] std::optional<hadoop::yarn::RestClient> scheduler_pages(Session& session);

/// Fills in which scheduler runs and how it handles placement constraints, as far as the pages say.
[[nodiscard]] rt::Async<> read_scheduler(Session* session, ClusterOffer* offer, HostTime deadline);

}  // namespace muster::cluster::yarn
