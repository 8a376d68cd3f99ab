#include "hadoop/yarn/record_codec.h"
#include "hadoop/yarn/report_codec.h"
#include "hadoop/yarn_reports.pb.h"

namespace muster::hadoop::yarn {
namespace {

void encode_statistics(const QueueStatistics& from, pb::QueueStatistics* to) {
  to->set_num_apps_submitted(from.apps_submitted);
  to->set_num_apps_running(from.apps_running);
  to->set_num_apps_pending(from.apps_pending);
  to->set_num_apps_completed(from.apps_completed);
  to->set_num_apps_killed(from.apps_killed);
  to->set_num_apps_failed(from.apps_failed);
  to->set_num_active_users(from.active_users);
  to->set_available_memory_mb(from.available_mb);
  to->set_allocated_memory_mb(from.allocated_mb);
  to->set_pending_memory_mb(from.pending_mb);
  to->set_reserved_memory_mb(from.reserved_mb);
  to->set_available_vcores(from.available_vcores);
  to->set_allocated_vcores(from.allocated_vcores);
  to->set_pending_vcores(from.pending_vcores);
  to->set_reserved_vcores(from.reserved_vcores);
  to->set_allocated_containers(from.allocated_containers);
  to->set_pending_containers(from.pending_containers);
  to->set_reserved_containers(from.reserved_containers);
}

QueueStatistics decode_statistics(const pb::QueueStatistics& from) {
  return {.apps_submitted = from.num_apps_submitted(),
          .apps_running = from.num_apps_running(),
          .apps_pending = from.num_apps_pending(),
          .apps_completed = from.num_apps_completed(),
          .apps_killed = from.num_apps_killed(),
          .apps_failed = from.num_apps_failed(),
          .active_users = from.num_active_users(),
          .available_mb = from.available_memory_mb(),
          .allocated_mb = from.allocated_memory_mb(),
          .pending_mb = from.pending_memory_mb(),
          .reserved_mb = from.reserved_memory_mb(),
          .available_vcores = from.available_vcores(),
          .allocated_vcores = from.allocated_vcores(),
          .pending_vcores = from.pending_vcores(),
          .reserved_vcores = from.reserved_vcores(),
          .allocated_containers = from.allocated_containers(),
          .pending_containers = from.pending_containers(),
          .reserved_containers = from.reserved_containers()};
}

void encode_share(const QueueShare& from, pb::QueueConfigurations* to) {
  to->set_capacity(from.capacity);
  to->set_absolute_capacity(from.absolute_capacity);
  to->set_max_capacity(from.max_capacity);
  to->set_absolute_max_capacity(from.absolute_max_capacity);
  to->set_max_am_percentage(from.max_master_share);
  if (from.effective_min) {
    encode(*from.effective_min, to->mutable_effective_min_capacity());
  }
  if (from.effective_max) {
    encode(*from.effective_max, to->mutable_effective_max_capacity());
  }
}

QueueShare decode_share(const pb::QueueConfigurations& from) {
  QueueShare to{.capacity = from.capacity(),
                .absolute_capacity = from.absolute_capacity(),
                .max_capacity = from.max_capacity(),
                .absolute_max_capacity = from.absolute_max_capacity(),
                .max_master_share = from.max_am_percentage()};
  if (from.has_effective_min_capacity()) {
    to.effective_min = decode(from.effective_min_capacity());
  }
  if (from.has_effective_max_capacity()) {
    to.effective_max = decode(from.effective_max_capacity());
  }
  return to;
}

}  // namespace

// NOLINTNEXTLINE(misc-no-recursion): queues nest.
void encode(const QueueInfo& from, pb::QueueInfo* to) {
  to->set_queue_name(from.name);
  to->set_queue_path(from.path);
  to->set_capacity(from.capacity);
  to->set_maximum_capacity(from.max_capacity);
  to->set_current_capacity(from.used_capacity);
  if (from.state != QueueState::Unknown) {
    to->set_state(static_cast<pb::QueueState>(from.state));
  }
  for (const auto& label : from.labels) {
    to->add_accessible_node_labels(label);
  }
  to->set_default_node_label_expression(from.default_label);
  to->set_preemption_disabled(from.preemption_disabled);
  if (from.statistics) {
    encode_statistics(*from.statistics, to->mutable_queue_statistics());
  }
  for (const auto& [partition, share] : from.shares) {
    auto* const entry = to->add_queue_configurations_map();
    entry->set_partition_name(partition);
    encode_share(share, entry->mutable_queue_configurations());
  }
  for (const auto& child : from.children) {
    encode(child, to->add_child_queues());
  }
}

// NOLINTNEXTLINE(misc-no-recursion): protobuf bounds the depth.
QueueInfo decode(const pb::QueueInfo& from) {
  QueueInfo to{
      .name = from.queue_name(),
      .path = from.queue_path(),
      .state = from.has_state() ? static_cast<QueueState>(from.state()) : QueueState::Unknown,
      .capacity = from.capacity(),
      .max_capacity = from.maximum_capacity(),
      .used_capacity = from.current_capacity(),
      .labels = {from.accessible_node_labels().begin(), from.accessible_node_labels().end()},
      .default_label = from.default_node_label_expression(),
      .preemption_disabled = from.preemption_disabled()};
  if (from.has_queue_statistics()) {
    to.statistics = decode_statistics(from.queue_statistics());
  }
  for (const auto& entry : from.queue_configurations_map()) {
    to.shares[entry.partition_name()] = decode_share(entry.queue_configurations());
  }
  for (const auto& child : from.child_queues()) {
    to.children.push_back(decode(child));
  }
  return to;
}

void encode(const QueueRights& from, pb::QueueUserAclInfo* to) {
  to->set_queue_name(from.queue);
  if (from.submit) {
    to->add_user_acls(pb::QUEUE_ACL_SUBMIT_APPLICATIONS);
  }
  if (from.administer) {
    to->add_user_acls(pb::QUEUE_ACL_ADMINISTER_QUEUE);
  }
}

QueueRights decode(const pb::QueueUserAclInfo& from) {
  QueueRights to{.queue = from.queue_name()};
  for (const auto acl : from.user_acls()) {
    to.submit = to.submit || acl == pb::QUEUE_ACL_SUBMIT_APPLICATIONS;
    to.administer = to.administer || acl == pb::QUEUE_ACL_ADMINISTER_QUEUE;
  }
  return to;
}

void encode(const NodeLabel& from, pb::NodeLabel* to) {
  to->set_name(from.name);
  to->set_is_exclusive(from.exclusive);
}

NodeLabel decode(const pb::NodeLabel& from) {
  return {.name = from.name(), .exclusive = from.is_exclusive()};
}

void encode(const LabelsOfNode& from, pb::NodeIdToLabels* to) {
  encode(from.node, to->mutable_node_id());
  for (const auto& label : from.labels) {
    to->add_node_labels(label);
  }
}

LabelsOfNode decode(const pb::NodeIdToLabels& from) {
  return {.node = decode(from.node_id()),
          .labels = {from.node_labels().begin(), from.node_labels().end()}};
}

void encode(const ClusterMetrics& from, pb::YarnClusterMetrics* to) {
  to->set_num_node_managers(from.nodes);
  to->set_num_active_nms(from.active);
  to->set_num_lost_nms(from.lost);
  to->set_num_unhealthy_nms(from.unhealthy);
  to->set_num_rebooted_nms(from.rebooted);
  to->set_num_decommissioning_nms(from.decommissioning);
  to->set_num_decommissioned_nms(from.decommissioned);
  to->set_num_shutdown_nms(from.shut_down);
}

ClusterMetrics decode(const pb::YarnClusterMetrics& from) {
  return {.nodes = from.num_node_managers(),
          .active = from.num_active_nms(),
          .lost = from.num_lost_nms(),
          .unhealthy = from.num_unhealthy_nms(),
          .rebooted = from.num_rebooted_nms(),
          .decommissioning = from.num_decommissioning_nms(),
          .decommissioned = from.num_decommissioned_nms(),
          .shut_down = from.num_shutdown_nms()};
}

}  // namespace muster::hadoop::yarn
