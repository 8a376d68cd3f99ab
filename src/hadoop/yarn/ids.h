#pragma once

#include "base/result.h"
#include "base/strong.h"

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace muster::hadoop::yarn {

/// One submission, numbered by the resource manager.
struct ApplicationId {
  int64_t cluster_timestamp = 0;  ///< Start of the resource manager, ms since 1970.
  int32_t number = 0;

  auto operator<=>(const ApplicationId&) const = default;
};

/// One run of an application's master; counts from 1.
struct AttemptId {
  ApplicationId application;
  int32_t number = 0;

  auto operator<=>(const AttemptId&) const = default;
};

/// One container. `number` holds the resource manager's epoch (its restarts) in bits 40 and up.
struct ContainerId {
  AttemptId attempt;
  int64_t number = 0;

  auto operator<=>(const ContainerId&) const = default;
};

/// Where a node manager listens; the host exactly as it registered.
struct NodeId {
  std::string host;
  int32_t port = 0;

  auto operator<=>(const NodeId&) const = default;
};

/// Matches a grant with its request: chosen by the application master, > 0, unique in its lifetime.
using AllocationId = Strong<struct AllocationIdTag, int64_t>;

/// Return the forms that users and the cluster's pages use: application_1700000000000_0007,
/// container_e02_1700000000000_0007_01_000003, host:45454.
[[nodiscard]] std::string to_string(const ApplicationId& id);
[[nodiscard]] std::string to_string(const ContainerId& id);
[[nodiscard]] std::string to_string(const NodeId& id);

/// The inverse of to_string; InvalidArgument names the text and the form that was expected.
[[nodiscard]] Result<ApplicationId> parse_application_id(std::string_view text);
[[nodiscard]] Result<ContainerId> parse_container_id(std::string_view text);

}  // namespace muster::hadoop::yarn
