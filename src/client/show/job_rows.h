#pragma once

#include "base/result.h"
#include "client/options.h"
#include "client/session.h"

#include <cstdint>
#include <string>
#include <vector>

namespace muster::client {

/// One line of `muster ps` and `muster history`.
struct JobRow {
  std::string id;
  /// "gathering", "running", "stopping", "ended", "lost" (no master, not ended).
  std::string phase;
  std::string result;  ///< "succeeded", "failed", "stopped"; "" while it runs.
  std::string class_name;
  uint64_t tasks = 0;
  uint64_t tasks_running = 0;
  WallTime submitted{};
  Duration duration{};  ///< So far, or in all.
  std::string damage;   ///< Why the job cannot be read, if it cannot.

  [[nodiscard]] bool is_over() const { return phase == "ended" || phase == "lost"; }
};

/// Which jobs are listed; one that is lost counts as ended.
struct JobsWanted {
  bool running = false;
  bool ended = false;
};

struct JobRows {
  std::vector<JobRow> all;  ///< Newest first.
  /// How many jobs the limit left out, as far as that is known without reading them.
  uint64_t more = 0;
  bool more_unknown = false;          ///< There are more, but how many is unknown.
  std::vector<std::string> troubles;  ///< What could not be read, and why.
};

/// Returns the jobs that this host knows, with what their clusters report now; or, with
/// `command.on`, the jobs that cluster knows, whichever host they came from.
[[nodiscard]] Result<JobRows> rows_of(Session& session, const ListOptions& command,
                                      JobsWanted wanted);

/// Renders a table for people, or {"schema":"muster.jobs/1","jobs":[...]}.
[[nodiscard]] std::string render_rows(const std::vector<JobRow>& rows, WallTime now, bool colour);
[[nodiscard]] std::string render_rows_json(const std::vector<JobRow>& rows);

}  // namespace muster::client
