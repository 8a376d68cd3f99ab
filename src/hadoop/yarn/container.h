#pragma once

#include "hadoop/token.h"
#include "hadoop/yarn/ids.h"
#include "hadoop/yarn/resource.h"

#include <cstdint>
#include <string>

namespace muster::hadoop::yarn {

/// A container that the resource manager gives to an application master. If not started, it expires
/// after ten minutes (the cluster's default), measured on the node's clock.
struct Grant {
  ContainerId id;
  NodeId node;
  Resource each;            ///< At least what was asked for, rounded up by the cluster.
  Token token;              ///< Proves the grant to the node manager; good for one start.
  AllocationId allocation;  ///< Of the request; -1 if the cluster does not say.

  bool operator==(const Grant&) const = default;
};

/// Exit statuses that the cluster gives instead of the process's own.
enum class ExitStatus : int32_t {
  Invalid = -1000,  ///< Never ran: localisation or set-up failed.
  LaunchFailed = -1,
  Aborted = -100,  ///< Released, expired, or its node is lost.
  DisksFailed = -101,
  Preempted = -102,
  OverVirtualMemory = -103,
  OverMemory = -104,
  StoppedByMaster = -105,
  KilledByResourceManager = -106,
  ApplicationEnded = -107,
  PushedOut = -108,
  TooMuchOutput = -109,
};

/// How a container ended.
struct ContainerStatus {
  ContainerId id;
  int32_t exit_status = static_cast<int32_t>(ExitStatus::Invalid);
  std::string diagnostics;

  bool operator==(const ContainerStatus&) const = default;
};

/// Returns what an exit status means, for users: "killed: exceeded its memory limit", "exit code
/// 7", "signal 9 (exit code 137)".
[[nodiscard]] std::string describe_exit(int32_t exit_status);

}  // namespace muster::hadoop::yarn
