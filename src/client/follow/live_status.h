#pragma once

#include "client/session.h"
#include "cluster/job_folder.h"

#include <optional>
#include <string>

namespace muster::client {

/// Asks a job's master, which listens at `address`, for its status document, which has what only
/// the running master knows (what the cluster makes the job wait for, whether the log can be
/// written). nullopt if none answers within a second.
[[nodiscard]] std::optional<std::string> ask_status(Session& session,
                                                    const cluster::JobFolder& folder,
                                                    const std::string& address);

/// Returns what a running job's status document ("" for none) says apart from its tasks: the page's
/// link, what the job waits for, trouble with its log. One line each; "" if there is nothing.
[[nodiscard]] std::string render_live_notes(const std::string& text, const std::string& page);

/// Returns what the document alone says, if the job's log cannot be read: its phase, those notes,
/// and a line for each task.
[[nodiscard]] std::string render_live_status(const std::string& text, const std::string& page);

}  // namespace muster::client
