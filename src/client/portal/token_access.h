#pragma once

#include "control/keys.h"
#include "page/access.h"

#include <memory>

namespace muster::client {

/// Lets in to a job's page who brings the token of its link. A session ends with this process.
[[nodiscard]] std::unique_ptr<page::Access> token_access(const control::Secret& secret);

}  // namespace muster::client
