#pragma once

#include "hadoop/yarn/container.h"
#include "hadoop/yarn/node.h"
#include "job/fact.h"
#include "job/ids.h"
#include "job/plan.h"

#include <optional>
#include <string>
#include <string_view>

/// Translates what YARN reports into the machine's terms.
namespace muster::cluster::yarn {

/// `released`: we gave the container back.
[[nodiscard]] job::ContainerEnded end_of(const hadoop::yarn::ContainerStatus& status,
                                         bool released);

/// Returns what the cluster says about an application's end, in one line without times and stack
/// traces.
[[nodiscard]] std::string words_of_end(std::string_view diagnostics);

/// Returns nothing for states that say nothing about a host's health.
[[nodiscard]] std::optional<job::HostHealth> health_of(hadoop::yarn::NodeState state);

/// Returns how many GPUs a resource has.
[[nodiscard]] uint32_t gpus_of(const hadoop::yarn::Resource& resource);

/// Returns what a container requests. Memory in whole MiB.
[[nodiscard]] hadoop::yarn::Resource resource_of(const job::Resources& resources);

/// Returns why the cluster can never grant `asked`, with the numbers, or "".
[[nodiscard]] std::string never_fits(const hadoop::yarn::Resource& asked,
                                     const hadoop::yarn::Resource& largest);

}  // namespace muster::cluster::yarn
