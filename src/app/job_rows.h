#pragma once

#include "app/options.h"
#include "app/session.h"
#include "client/job_reader.h"

#include <string>
#include <vector>

namespace muster::app {

struct JobsWanted {
  bool running = false;
  bool ended = false;
};

struct JobRows {
  std::vector<client::JobRow> all;    ///< Newest first.
  std::vector<std::string> troubles;  ///< What could not be looked at, and why.
};

/// The jobs that this host knows, those of a YARN cluster as it tells of them now; or, with
/// `command.on`, the jobs that cluster knows, from whatever host they came.
[[nodiscard]] Result<JobRows> rows_of(Session& session, const ListOptions& command,
                                      JobsWanted wanted);

}  // namespace muster::app
