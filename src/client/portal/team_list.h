#pragma once

#include "base/time.h"
#include "cluster/team_jobs.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace muster::client {

/// Which jobs somebody wants to see; empty members are ignored.
struct TeamFilter {
  std::string user;
  std::string queue;
  std::string name;  ///< A part of the name or the id.
  std::string class_name;
  std::string state;
  std::string host;              ///< A host it has run on.
  std::optional<WallTime> from;  ///< Submitted at this time or later.
  std::optional<WallTime> to;    ///< Submitted before this time.
  uint64_t offset = 0;
  uint64_t limit = 100;
};

/// Returns whether somebody may see a job: its owner, those whom it names (`*` is everybody), and
/// admins. Groups that a job names admit nobody, since a portal does not know who is in them.
[[nodiscard]] bool may_see(std::string_view viewer, const std::set<std::string>& admins,
                           const cluster::TeamJob& job);

/// Returns how many jobs there are that the viewer may see, by user, queue and state, and how long
/// those ran, in Prometheus' text format.
[[nodiscard]] std::string team_metrics_text(const std::vector<const cluster::TeamJob*>& jobs,
                                            const std::string& viewer,
                                            const std::set<std::string>& admins);

/// Returns the document muster.portal/1: which of `jobs` the viewer may see and wants to see, and
/// which users, queues, classes and states the visible ones have. Nothing about any other job is in
/// it, not even in a count. `notice`: TeamJobs::notice().
[[nodiscard]] std::string team_list_json(const std::vector<const cluster::TeamJob*>& jobs,
                                         const std::string& viewer,
                                         const std::set<std::string>& admins,
                                         const TeamFilter& filter, const std::string& notice = "");

}  // namespace muster::client
