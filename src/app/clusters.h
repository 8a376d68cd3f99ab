#pragma once

#include "client/options.h"
#include "client/session.h"
#include "client/submit/environment.h"
#include "cluster/agent_launch.h"
#include "cluster/clusters.h"
#include "cluster/container_entry.h"
#include "cluster/master_side.h"
#include "cluster/master_starter.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

/// The factory of clusters, and of what their processes need: the only place in this program that
/// names one.
namespace muster::app {

/// Makes every cluster that this program knows, and finds them by name. `session` must outlive what
/// it returns.
[[nodiscard]] std::unique_ptr<cluster::Clusters> make_clusters(client::Session& session);

/// Makes what a job's master needs for the kind of cluster that `command` names. InvalidArgument
/// for an unknown kind. `environment` must outlive it.
[[nodiscard]] Result<std::unique_ptr<cluster::MasterSide>> make_master_side(
    const client::Environment& environment, const client::MasterCommand& command);

/// Enters the container whose keeper this process is, if a cluster of this kind started it itself.
/// InvalidArgument for a kind that starts none.
[[nodiscard]] Result<cluster::ContainerEntry> enter_container(
    std::string_view kind, const client::Environment& environment);

/// Makes the means by which an agent gets a lost master back, if that is the agents' own task: on
/// this machine, if its container holds a claim. nullptr elsewhere.
[[nodiscard]] std::unique_ptr<cluster::MasterStarter> make_master_starter(
    os::Files& files, const cluster::AgentLaunch& launch, int start_fd, bool claimed);

}  // namespace muster::app
