#pragma once

#include "client/team_index.h"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace muster::client {

/// Which jobs somebody wants to see; what is empty does not count.
struct TeamFilter {
  std::string user;
  std::string queue;
  std::string name;  ///< A part of the name or the id.
  std::string class_name;
  std::string state;
  std::optional<WallTime> from;  ///< Submitted then or later,
  std::optional<WallTime> to;    ///< and before then.
  uint64_t offset = 0;
  uint64_t limit = 100;
};

/// Returns the document muster.portal/1: what of `jobs` the viewer may see and wants to, and which
/// users, queues, classes and states those have that he may see. Nothing of any other job is in it,
/// not even in a number.
[[nodiscard]] std::string team_list_json(const std::vector<const TeamJob*>& jobs,
                                         const std::string& viewer,
                                         const std::set<std::string>& admins,
                                         const TeamFilter& filter);

}  // namespace muster::client
