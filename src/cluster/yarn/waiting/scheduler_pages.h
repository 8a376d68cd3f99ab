#pragma once

#include "cluster/yarn/client/fit.h"
#include "cluster/yarn/session.h"
#include "hadoop/yarn/rest_client.h"
#include "rt/async.h"

#include <optional>

namespace muster::cluster::yarn {

/// The resource manager's pages, which tell what its calls do not; nothing where they cannot be
/// read (https). The session must outlive it.
[[nodiscard]] std::optional<hadoop::yarn::RestClient> scheduler_pages(Session& session);

/// Fills in which scheduler runs and how it takes placement constraints, where the pages tell.
[[nodiscard]] rt::Async<> read_scheduler(Session* session, ClusterOffer* offer, HostTime deadline);

}  // namespace muster::cluster::yarn
