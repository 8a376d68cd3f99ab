#pragma once

#include "control/keys.h"
#include "page/access.h"

#include <memory>

namespace muster::client {

/// Admits to a job's page whoever brings the token of its link. A session ends with this process.
[[nodiscard]] std::unique_ptr<page::Access> token_access(const control::Secret& secret);

}  // namespace muster::client
