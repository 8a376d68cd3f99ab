#pragma once

#include "client/session.h"
#include "cluster/job_folder.h"

#include <optional>
#include <string>

namespace muster::client {

/// Asks a job's master, which listens at `address`, for its status document: it knows what only the
/// living know (what the cluster lets the job wait for, whether the log can be written). nullopt if
/// nobody answers within a second.
[[nodiscard]] std::optional<std::string> ask_status(Session& session,
                                                    const cluster::JobFolder& folder,
                                                    const std::string& address);

/// What a status document of a running job, "" for none, tells beside the tasks: the page's link,
/// what the job waits for, trouble with its log. A line each, none where there is nothing.
[[nodiscard]] std::string render_live_notes(const std::string& text, const std::string& page);

/// What the document alone tells, where the job's log cannot be read: its phase, those notes, and a
/// line for each task.
[[nodiscard]] std::string render_live_status(const std::string& text, const std::string& page);

}  // namespace muster::client
