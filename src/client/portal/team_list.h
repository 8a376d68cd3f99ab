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

/// Which jobs somebody wants to see; what is empty does not count.
struct TeamFilter {
  std::string user;
  std::string queue;
  std::string name;  ///< A part of the name or the id.
  std::string class_name;
  std::string state;
  std::string host;              ///< That it has run on.
  std::optional<WallTime> from;  ///< Submitted then or later,
  std::optional<WallTime> to;    ///< and before then.
  uint64_t offset = 0;
  uint64_t limit = 100;
};

/// Whether somebody may see a job: its owner, those whom it names (`*` is everybody), and admins.
/// Groups that a job names admit nobody: a portal does not know who is in them.
[[nodiscard]] bool may_see(std::string_view viewer, const std::set<std::string>& admins,
                           const cluster::TeamJob& job);

/// Returns how many jobs there are that the viewer may see, by user, queue and state, and how long
/// those ran, in Prometheus' text format.
[[nodiscard]] std::string team_metrics_text(const std::vector<const cluster::TeamJob*>& jobs,
                                            const std::string& viewer,
                                            const std::set<std::string>& admins);

/// Returns the document muster.portal/1: what of `jobs` the viewer may see and wants to, and which
/// users, queues, classes and states those have that he may see. Nothing of any other job is in it,
/// not even in a number. `notice`: TeamJobs::notice().
[[nodiscard]] std::string team_list_json(const std::vector<const cluster::TeamJob*>& jobs,
                                         const std::string& viewer,
                                         const std::set<std::string>& admins,
                                         const TeamFilter& filter, const std::string& notice = "");

}  // namespace muster::client
