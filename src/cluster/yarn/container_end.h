#pragma once

#include "hadoop/yarn/container.h"
#include "hadoop/yarn/node.h"
#include "job/fact.h"
#include "job/ids.h"
#include "job/plan.h"

#include <optional>
#include <string>

/// What YARN tells, in the words of the machine.
namespace muster::cluster::yarn {

/// `released`: we gave the container back.
[[nodiscard]] job::ContainerEnded end_of(const hadoop::yarn::ContainerStatus& status,
                                         bool released);

/// Nothing for states that say nothing about a host's health.
[[nodiscard]] std::optional<job::HostHealth> health_of(hadoop::yarn::NodeState state);

/// What a container asks for. Memory in whole MiB.
/// How many GPUs a resource has.
[[nodiscard]] uint32_t gpus_of(const hadoop::yarn::Resource& resource);

[[nodiscard]] hadoop::yarn::Resource resource_of(const job::Resources& resources);

/// Returns why the cluster can never grant `asked`, with the numbers, or "".
[[nodiscard]] std::string never_fits(const hadoop::yarn::Resource& asked,
                                     const hadoop::yarn::Resource& largest);

}  // namespace muster::cluster::yarn
