#pragma once

#include "cluster/yarn/session.h"
#include "hadoop/yarn/rest_client.h"

#include <optional>

namespace muster::cluster::yarn {

/// The resource manager's pages, which tell what its calls do not; nothing where they cannot be
/// read (https). The session must outlive it.
[[nodiscard]] std::optional<hadoop::yarn::RestClient> scheduler_pages(Session& session);

}  // namespace muster::cluster::yarn
