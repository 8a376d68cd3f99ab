#pragma once

#include "base/time.h"
#include "client/session.h"
#include "cluster/job_folder.h"
#include "wire/frame.h"

#include <functional>
#include <optional>
#include <string>

namespace muster::client {

/// Asks the job's master at `address` one question, as a viewer; nullopt if no answer that
/// `is_answer` admits comes within `patience`.
[[nodiscard]] std::optional<wire::ClientEvent> ask_master(
    Session& session, const cluster::JobFolder& folder, const std::string& address,
    const wire::ClientFrame& question, Duration patience,
    const std::function<bool(const wire::ClientEvent&)>& is_answer);

}  // namespace muster::client
