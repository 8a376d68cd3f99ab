#pragma once

#include "cluster/cluster.h"
#include "hadoop/yarn/node.h"
#include "hadoop/yarn/queue.h"
#include "hadoop/yarn/resource.h"
#include "job/plan.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace muster::cluster::yarn {

/// What a job is compared with before any part of it goes to the cluster.
struct ClusterOffer {
  hadoop::yarn::Resource largest;               ///< Of one container.
  std::vector<hadoop::yarn::NodeReport> nodes;  ///< That run.
  std::vector<std::string> labels;              ///< Node labels; only asked for if the job has any.
  std::optional<hadoop::yarn::QueueInfo> queue;  ///< The same; nothing if there is no such queue.
  bool fair_scheduler = false;    ///< Only asked for if the job has labels or constraints.
  std::string placement_handler;  ///< The same; "" if the cluster does not say.
};

/// The node labels that a job names.
[[nodiscard]] std::set<std::string> labels_of(const spec::Spec& spec);

/// Returns how many containers the role's tasks need.
[[nodiscard]] uint32_t containers_of(const job::RolePlan& role);

/// Returns what a full container of the role requests: its tasks, the agent, and TensorBoard next
/// to the chief.
[[nodiscard]] job::Resources container_share(const job::Plan& plan, const job::RolePlan& role);

/// Compares shapes and labels; only the cluster knows what is free now.
[[nodiscard]] Fit fit_to(const job::Plan& plan, const ClusterOffer& offer);

/// Returns what the cluster is asked for on behalf of the master.
[[nodiscard]] hadoop::yarn::Resource master_share(const spec::MasterSettings& master);

}  // namespace muster::cluster::yarn
