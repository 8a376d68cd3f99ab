#pragma once

#include "hadoop/yarn/ids.h"
#include "hadoop/yarn/placement.h"
#include "hadoop/yarn/resource.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace muster::hadoop::yarn {

/// A host as the resource manager names it, its rack, and how many of a request's containers are
/// wanted there.
struct PreferredHost {
  std::string host;
  std::string rack;
  int32_t count = 1;

  bool operator==(const PreferredHost&) const = default;
};

/// Containers of one shape, on any host. `allocation` names the request in its grants.
struct ContainerRequest {
  AllocationId allocation;
  int32_t count = 1;  ///< How many are still wanted.
  Resource each;
  std::string node_label = {};                ///< "": that of the application.
  std::vector<PreferredHost> preferred = {};  ///< Each once; any other host will do, too,
  bool only_there = false;                    ///< unless this is set.

  bool operator==(const ContainerRequest&) const = default;
};

/// An ask with tags and a constraint, for clusters whose placement handler is on.
struct SchedulingRequest {
  AllocationId allocation;
  int32_t count = 1;
  Resource each;
  std::vector<std::string> tags;
  std::optional<PlacementConstraint> constraint;

  bool operator==(const SchedulingRequest&) const = default;
};

enum class RejectionReason : uint8_t { CouldNotPlace, CouldNotSchedule };

/// A request that the placement processor refused to place.
struct RejectedRequest {
  AllocationId allocation;
  RejectionReason reason = RejectionReason::CouldNotPlace;

  bool operator==(const RejectedRequest&) const = default;
};

}  // namespace muster::hadoop::yarn
