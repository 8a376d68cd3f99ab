#pragma once

#include "hadoop/yarn/ids.h"
#include "hadoop/yarn/placement.h"
#include "hadoop/yarn/resource.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace muster::hadoop::yarn {

/// The name of the row that means any host.
inline constexpr std::string_view kAnywhere = "*";

/// Containers of one shape. `allocation` names the request in its grants.
struct ContainerRequest {
  AllocationId allocation;
  int32_t count = 1;     ///< How many are still wanted.
  int32_t priority = 0;  ///< Lower comes first.
  Resource each;
  std::vector<std::string> hosts;  ///< Wished for, by the names with which nodes registered.
  std::vector<std::string> racks;  ///< Of those hosts; "/default-rack" if none is named.
  bool only_there = false;         ///< Nowhere but on `hosts` and `racks`.
  std::string node_label;          ///< "": the application's.
  ExecutionType execution = ExecutionType::Guaranteed;
  bool enforce_execution = false;  ///< Refuse the other execution type.

  bool operator==(const ContainerRequest&) const = default;
};

/// One row of the table that the resource manager keeps of an application: absolute, by priority,
/// place, shape and allocation.
struct RequestRow {
  int32_t priority = 0;
  std::string place;  ///< A host, a rack or kAnywhere.
  Resource each;
  int32_t count = 0;
  bool relax_locality = true;
  std::string node_label;
  ExecutionType execution = ExecutionType::Guaranteed;
  bool enforce_execution = false;
  AllocationId allocation;

  bool operator==(const RequestRow&) const = default;
};

/// Returns the rows that say `request`.
[[nodiscard]] std::vector<RequestRow> rows_of(const ContainerRequest& request);

enum class UpdateKind : uint8_t { Increase, Decrease, Promote, Demote };

/// Changes a running container's resources (Increase, Decrease) or execution type.
struct ContainerUpdate {
  ContainerId container;
  int32_t version = 0;  ///< Grant::version of what is changed.
  UpdateKind kind = UpdateKind::Increase;
  std::optional<Resource> each;
  std::optional<ExecutionType> execution;

  bool operator==(const ContainerUpdate&) const = default;
};

/// One heartbeat of an application master: changes since the last, and a sign of life.
struct AllocateAsk {
  int32_t response_id = 0;  ///< That of the last answer; 0 after registering.
  float progress = 0;       ///< 0..1
  std::vector<RequestRow> asks;
  std::vector<ContainerId> releases;
  std::vector<std::string> avoid;    ///< Hosts and racks to add to the ones avoided.
  std::vector<std::string> readmit;  ///< Hosts and racks to avoid no longer.
  std::vector<ContainerUpdate> updates;
  std::vector<SchedulingRequest> scheduling;
  std::string tracking_url;  ///< "" leaves it as it is.

  bool operator==(const AllocateAsk&) const = default;
};

}  // namespace muster::hadoop::yarn
