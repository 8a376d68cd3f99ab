#include "hadoop/yarn/report_codec.h"

#include "hadoop/yarn/record_codec.h"
#include "hadoop/yarn_reports.pb.h"

namespace muster::hadoop::yarn {
namespace {

constexpr std::string_view kNoText = "N/A";

// Enumerators stand in the order of the numbers on the wire, which count from 1.
template <class State>
State state_from(bool present, int number) {
  return present ? static_cast<State>(number) : State::Unknown;
}

std::string text_or_nothing(const std::string& text) {
  return text == kNoText ? std::string() : text;
}

void encode_use(const ResourceUse& from, pb::ApplicationResourceUsageReport* to) {
  to->set_num_used_containers(from.containers);
  to->set_num_reserved_containers(from.reserved_containers);
  encode(from.used, to->mutable_used_resources());
  encode(from.reserved, to->mutable_reserved_resources());
  encode(from.needed, to->mutable_needed_resources());
  to->set_memory_seconds(from.memory_mb_seconds);
  to->set_vcore_seconds(from.vcore_seconds);
  to->set_queue_usage_percentage(from.queue_percent);
  to->set_cluster_usage_percentage(from.cluster_percent);
}

ResourceUse decode_use(const pb::ApplicationResourceUsageReport& from) {
  return {.containers = from.num_used_containers(),
          .reserved_containers = from.num_reserved_containers(),
          .used = decode(from.used_resources()),
          .reserved = decode(from.reserved_resources()),
          .needed = decode(from.needed_resources()),
          .memory_mb_seconds = from.memory_seconds(),
          .vcore_seconds = from.vcore_seconds(),
          .queue_percent = from.queue_usage_percentage(),
          .cluster_percent = from.cluster_usage_percentage()};
}

void encode_tokens_and_times(const ApplicationReport& from, pb::ApplicationReport* to) {
  if (from.client_token) {
    encode(*from.client_token, to->mutable_client_to_am_token());
  }
  if (from.master_token) {
    encode(*from.master_token, to->mutable_am_rm_token());
  }
  to->set_start_time(from.started_ms);
  to->set_finish_time(from.finished_ms);
  to->set_launch_time(from.launched_ms);
  to->set_submit_time(from.submitted_ms);
  if (from.lifetime_left_s) {
    auto* const entry = to->add_app_timeouts();
    entry->set_application_timeout_type(pb::APPLICATION_TIMEOUT_TYPE_LIFETIME);
    auto* const timeout = entry->mutable_application_timeout();
    timeout->set_application_timeout_type(pb::APPLICATION_TIMEOUT_TYPE_LIFETIME);
    timeout->set_remaining_time(*from.lifetime_left_s);
  }
}

void decode_tokens_and_times(const pb::ApplicationReport& from, ApplicationReport& to) {
  // Java fills the token in with empty parts when there is none.
  if (from.has_client_to_am_token() && !from.client_to_am_token().identifier().empty()) {
    to.client_token = decode(from.client_to_am_token());
  }
  if (from.has_am_rm_token() && !from.am_rm_token().identifier().empty()) {
    to.master_token = decode(from.am_rm_token());
  }
  to.submitted_ms = from.submit_time();
  to.launched_ms = from.launch_time();
  to.started_ms = from.start_time();
  to.finished_ms = from.finish_time();
  for (const auto& entry : from.app_timeouts()) {
    // Without a lifetime the resource manager sends -1.
    if (entry.application_timeout().remaining_time() >= 0) {
      to.lifetime_left_s = entry.application_timeout().remaining_time();
    }
  }
}

}  // namespace

void encode(const ApplicationReport& from, pb::ApplicationReport* to) {
  encode(from.id, to->mutable_application_id());
  if (from.attempt) {
    encode(*from.attempt, to->mutable_current_application_attempt_id());
  }
  to->set_user(from.user);
  to->set_queue(from.queue);
  to->set_name(from.name);
  to->set_application_type(from.type);
  for (const auto& tag : from.tags) {
    to->add_application_tags(tag);
  }
  if (from.state != ApplicationState::Unknown) {
    to->set_yarn_application_state(static_cast<pb::YarnApplicationState>(from.state));
  }
  to->set_final_application_status(static_cast<pb::FinalApplicationStatus>(from.final_status));
  to->set_diagnostics(from.diagnostics);
  to->set_host(from.host);
  to->set_rpc_port(from.rpc_port);
  to->set_tracking_url(from.tracking_url);
  to->set_original_tracking_url(from.original_tracking_url);
  to->set_progress(from.progress);
  to->mutable_priority()->set_priority(from.priority);
  to->set_app_node_label_expression(from.node_label);
  to->set_am_node_label_expression(from.master_node_label);
  to->set_unmanaged_application(from.unmanaged);
  encode_use(from.use, to->mutable_app_resource_usage());
  encode_tokens_and_times(from, to);
}

ApplicationReport decode(const pb::ApplicationReport& from) {
  ApplicationReport to{.id = decode(from.application_id()),
                       .user = from.user(),
                       .queue = from.queue(),
                       .name = from.name(),
                       .type = from.application_type(),
                       .tags = {from.application_tags().begin(), from.application_tags().end()},
                       .state = state_from<ApplicationState>(from.has_yarn_application_state(),
                                                             from.yarn_application_state()),
                       .final_status = static_cast<FinalStatus>(from.final_application_status()),
                       .diagnostics = text_or_nothing(from.diagnostics()),
                       .host = text_or_nothing(from.host()),
                       .rpc_port = from.rpc_port(),
                       .tracking_url = text_or_nothing(from.tracking_url()),
                       .original_tracking_url = text_or_nothing(from.original_tracking_url()),
                       .progress = from.progress(),
                       .priority = from.priority().priority(),
                       .node_label = from.app_node_label_expression(),
                       .master_node_label = from.am_node_label_expression(),
                       .unmanaged = from.unmanaged_application(),
                       .use = decode_use(from.app_resource_usage())};
  if (from.has_current_application_attempt_id()) {
    to.attempt = decode(from.current_application_attempt_id());
  }
  decode_tokens_and_times(from, to);
  return to;
}

void encode(const AttemptReport& from, pb::ApplicationAttemptReport* to) {
  encode(from.id, to->mutable_application_attempt_id());
  if (from.state != AttemptState::Unknown) {
    to->set_yarn_application_attempt_state(
        static_cast<pb::YarnApplicationAttemptState>(from.state));
  }
  if (from.master_container) {
    encode(*from.master_container, to->mutable_am_container_id());
  }
  to->set_host(from.host);
  to->set_rpc_port(from.rpc_port);
  to->set_tracking_url(from.tracking_url);
  to->set_original_tracking_url(from.original_tracking_url);
  to->set_diagnostics(from.diagnostics);
  to->set_start_time(from.started_ms);
  to->set_finish_time(from.finished_ms);
}

AttemptReport decode(const pb::ApplicationAttemptReport& from) {
  AttemptReport to{.id = decode(from.application_attempt_id()),
                   .state = state_from<AttemptState>(from.has_yarn_application_attempt_state(),
                                                     from.yarn_application_attempt_state()),
                   .host = text_or_nothing(from.host()),
                   .rpc_port = from.rpc_port(),
                   .tracking_url = text_or_nothing(from.tracking_url()),
                   .original_tracking_url = text_or_nothing(from.original_tracking_url()),
                   .diagnostics = text_or_nothing(from.diagnostics()),
                   .started_ms = from.start_time(),
                   .finished_ms = from.finish_time()};
  if (from.has_am_container_id()) {
    to.master_container = decode(from.am_container_id());
  }
  return to;
}

void encode(const ContainerReport& from, pb::ContainerReport* to) {
  encode(from.id, to->mutable_container_id());
  encode(from.node, to->mutable_node_id());
  to->set_node_http_address(from.node_http_address);
  encode(from.each, to->mutable_resource());
  to->mutable_priority()->set_priority(from.priority);
  if (from.state != ContainerState::Unknown) {
    to->set_container_state(static_cast<pb::ContainerState>(from.state));
  }
  to->set_container_exit_status(from.exit_status);
  to->set_diagnostics_info(from.diagnostics);
  to->set_log_url(from.log_url);
  to->set_creation_time(from.created_ms);
  to->set_finish_time(from.finished_ms);
}

ContainerReport decode(const pb::ContainerReport& from) {
  return {.id = decode(from.container_id()),
          .node = decode(from.node_id()),
          .node_http_address = from.node_http_address(),
          .each = decode(from.resource()),
          .priority = from.priority().priority(),
          .state = state_from<ContainerState>(from.has_container_state(), from.container_state()),
          .exit_status = from.container_exit_status(),
          .diagnostics = text_or_nothing(from.diagnostics_info()),
          .log_url = from.log_url(),
          .created_ms = from.creation_time(),
          .finished_ms = from.finish_time()};
}

}  // namespace muster::hadoop::yarn
