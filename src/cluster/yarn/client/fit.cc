#include "cluster/yarn/client/fit.h"

#include "base/text.h"
#include "cluster/yarn/link/container_end.h"
#include "cluster/yarn/link/role_placement.h"
#include "job/side_program.h"
#include "spec/keys/cluster_support.h"

#include <fmt/format.h>

#include <algorithm>

namespace muster::cluster::yarn {
namespace {

namespace rm = hadoop::yarn;

std::string label_missing(const std::string& label, const ClusterOffer& offer,
                          const std::string& queue) {
  if (label.empty()) {
    return {};
  }
  if (offer.fair_scheduler) {
    return fmt::format(
        "the cluster runs the Fair Scheduler, which has no node labels; leave {} out",
        printable(label));
  }
  if (std::ranges::find(offer.labels, label) == offer.labels.end()) {
    return fmt::format("the cluster has no node label {}; it has {}", printable(label),
                       offer.labels.empty() ? "none" : join(offer.labels, ", "));
  }
  if (!offer.queue.has_value()) {
    return {};  // The submission shows whether there is such a queue.
  }
  const std::vector<std::string>& usable = offer.queue->labels;
  const bool may = std::ranges::any_of(
      usable, [&](const std::string& one) { return one == "*" || one == label; });
  return may ? std::string()
             : fmt::format("the queue {} may not use the node label {}", queue, printable(label));
}

/// Returns why constraints and tags are refused there, as the resource manager would refuse them
/// later.
std::string placement_missing(const ClusterOffer& offer) {
  constexpr std::string_view kHandler = "yarn.resourcemanager.placement-constraints.handler";
  if (offer.placement_handler == "disabled") {
    return fmt::format(
        "the cluster does not accept placement constraints; leave `constraint` and "
        "`allocation_tags` out, or ask the administrators to set {} to {}",
        kHandler,
        offer.fair_scheduler ? "placement-processor" : "scheduler or placement-processor");
  }
  if (offer.fair_scheduler && offer.placement_handler == "scheduler") {
    return fmt::format(
        "the cluster's Fair Scheduler does not accept placement constraints; leave "
        "`constraint` and `allocation_tags` out, or ask the administrators to set "
        "{} to placement-processor",
        kHandler);
  }
  return {};
}

/// Notes why something can never be granted; does nothing for "".
void never(RoleFit& fit, std::string_view what, const std::string& reason) {
  if (!reason.empty()) {
    fit.fits_ever = fit.fits_now = false;
    fit.reason = fmt::format("{}: {}", what, reason);
  }
}

}  // namespace

uint32_t containers_of(const job::RolePlan& role) {
  return (role.tasks + role.tasks_per_container - 1) / role.tasks_per_container;
}

std::set<std::string> labels_of(const spec::Spec& spec) {
  std::set<std::string> labels;
  labels.insert(spec.yarn.node_label);
  for (const spec::Role& role : spec.roles) {
    labels.insert(role.node_label);
  }
  labels.erase("");
  return labels;
}

job::Resources container_share(const job::Plan& plan, const job::RolePlan& role) {
  job::Resources share = role.resources;
  share.memory_bytes = share.memory_bytes * role.tasks_per_container + job::kAgentMemoryBytes +
                       job::side_memory_bytes(plan, role);
  share.vcores *= role.tasks_per_container;
  share.gpus *= role.tasks_per_container;
  for (auto& [name, amount] : share.other) {
    amount *= role.tasks_per_container;
  }
  return share;
}

rm::Resource master_share(const spec::MasterSettings& master) {
  return resource_of({.memory_bytes = master.memory, .vcores = master.vcores, .gpus = 0});
}

Fit fit_to(const job::Plan& plan, const ClusterOffer& offer) {
  const std::string& queue = plan.spec.yarn.queue;
  Fit fit;
  int64_t memory_mb = 0;
  int64_t vcores = 0;
  for (const rm::NodeReport& node : offer.nodes) {
    memory_mb += node.capacity.memory_mb;
    vcores += node.capacity.vcores;
  }
  fit.capacity = fmt::format("the cluster: {} nodes with {} MB of memory and {} vcores in total",
                             offer.nodes.size(), memory_mb, vcores);
  fit.warnings = spec::unheeded_warnings(plan.spec, spec::ClusterType::Yarn);
  const auto placements = placements_of(plan.spec);
  for (const job::RolePlan& role : plan.roles) {
    RoleFit one{.role = role.name,
                .containers = containers_of(role),
                .each = container_share(plan, role),
                .reason = {}};
    never(one, role.name, never_fits(resource_of(one.each), offer.largest));
    never(one, fmt::format("roles.{}.node_label", role.name),
          label_missing(role.node_label, offer, queue));
    if (placements.has_value() && placements->contains(role.name)) {
      never(one, fmt::format("roles.{}.constraint", role.name), placement_missing(offer));
    }
    fit.roles.push_back(std::move(one));
  }
  if (!fit.roles.empty()) {
    RoleFit& first = fit.roles.front();
    never(first, "yarn.node_label", label_missing(plan.spec.yarn.node_label, offer, queue));
    never(first, "master", never_fits(master_share(plan.spec.master), offer.largest));
  }
  return fit;
}

}  // namespace muster::cluster::yarn
