#include "hadoop/yarn/launch_codec.h"

#include "hadoop/yarn/record_codec.h"
#include "hadoop/yarn_launch.pb.h"
#include "hadoop/yarn_submission.pb.h"

namespace muster::hadoop::yarn {
namespace {

// YARN's word for "nobody but owner and administrators".
constexpr std::string_view kNobody = " ";
constexpr std::string_view kAllFiles = ".*";

template <class Map>
void encode_map(const std::map<std::string, std::string>& from, Map* to) {
  for (const auto& [key, value] : from) {
    auto* const entry = to->Add();
    entry->set_key(key);
    entry->set_value(value);
  }
}

template <class Map>
std::map<std::string, std::string> decode_map(const Map& from) {
  std::map<std::string, std::string> to;
  for (const auto& entry : from) {
    to[entry.key()] = entry.value();
  }
  return to;
}

void encode_acl(const std::string& acl, pb::ApplicationAccessType type,
                pb::ContainerLaunchContext* to) {
  auto* const entry = to->add_application_acls();
  entry->set_access_type(type);
  entry->set_acl(acl.empty() ? std::string(kNobody) : acl);
}

void encode_retry(const ContainerRetry& from, pb::ContainerRetryContext* to) {
  to->set_retry_policy(static_cast<pb::ContainerRetryPolicy>(from.policy));
  for (const auto code : from.exit_codes) {
    to->add_error_codes(code);
  }
  to->set_max_retries(from.retries_max);
  to->set_retry_interval(from.interval_ms);
  to->set_failures_validity_interval(from.window_ms);
}

ContainerRetry decode_retry(const pb::ContainerRetryContext& from) {
  return {.policy = static_cast<RetryPolicy>(from.retry_policy()),
          .exit_codes = {from.error_codes().begin(), from.error_codes().end()},
          .retries_max = from.max_retries(),
          .interval_ms = from.retry_interval(),
          .window_ms = from.failures_validity_interval()};
}

}  // namespace

void encode(const LocalResource& from, pb::LocalResource* to) {
  auto* const url = to->mutable_resource();
  url->set_scheme(from.from.scheme);
  url->set_host(from.from.host);
  // Always: an absent port is read as port 0.
  url->set_port(from.from.port);
  url->set_file(from.from.path);
  if (!from.from.user.empty()) {
    url->set_user_info(from.from.user);
  }
  to->set_size(from.size);
  to->set_timestamp(from.modified_ms);
  to->set_type(static_cast<pb::LocalResourceType>(static_cast<int>(from.type) + 1));
  to->set_visibility(
      static_cast<pb::LocalResourceVisibility>(static_cast<int>(from.visibility) + 1));
  if (!from.pattern.empty()) {
    to->set_pattern(from.pattern);
  }
}

LocalResource decode(const pb::LocalResource& from) {
  return {.from = {.scheme = from.resource().scheme(),
                   .host = from.resource().host(),
                   .port = from.resource().port(),
                   .path = from.resource().file(),
                   .user = from.resource().user_info()},
          .size = from.size(),
          .modified_ms = from.timestamp(),
          .type = from.has_type() ? static_cast<LocalResourceType>(from.type() - 1)
                                  : LocalResourceType::File,
          .visibility = from.has_visibility() ? static_cast<Visibility>(from.visibility() - 1)
                                              : Visibility::Application,
          .pattern = from.pattern()};
}

void encode(const LaunchContext& from, pb::ContainerLaunchContext* to) {
  for (const auto& [name, file] : from.files) {
    auto* const entry = to->add_local_resources();
    entry->set_key(name);
    encode(file, entry->mutable_value());
  }
  if (!from.tokens.empty()) {
    to->set_tokens(from.tokens);
  }
  encode_map(from.service_data, to->mutable_service_data());
  encode_map(from.environment, to->mutable_environment());
  for (const auto& command : from.commands) {
    to->add_command(command);
  }
  if (!from.view_acl.empty() || !from.modify_acl.empty()) {
    encode_acl(from.view_acl, pb::APPLICATION_ACCESS_TYPE_VIEW_APP, to);
    encode_acl(from.modify_acl, pb::APPLICATION_ACCESS_TYPE_MODIFY_APP, to);
  }
  if (from.retry != ContainerRetry{}) {
    encode_retry(from.retry, to->mutable_container_retry_context());
  }
}

LaunchContext decode(const pb::ContainerLaunchContext& from) {
  LaunchContext to{.tokens = from.tokens(),
                   .service_data = decode_map(from.service_data()),
                   .environment = decode_map(from.environment()),
                   .commands = {from.command().begin(), from.command().end()}};
  for (const auto& entry : from.local_resources()) {
    to.files[entry.key()] = decode(entry.value());
  }
  for (const auto& entry : from.application_acls()) {
    const auto acl = entry.acl() == kNobody ? std::string() : entry.acl();
    const bool view = entry.access_type() == pb::APPLICATION_ACCESS_TYPE_VIEW_APP;
    (view ? to.view_acl : to.modify_acl) = acl;
  }
  if (from.has_container_retry_context()) {
    to.retry = decode_retry(from.container_retry_context());
  }
  return to;
}

void encode(const LogAggregation& from, pb::LogAggregationContext* to) {
  to->set_include_pattern(from.include.empty() ? std::string(kAllFiles) : from.include);
  to->set_exclude_pattern(from.exclude);
  to->set_rolled_logs_include_pattern(from.rolled_include);
  to->set_rolled_logs_exclude_pattern(from.rolled_exclude);
  if (!from.policy_class.empty()) {
    to->set_log_aggregation_policy_class_name(from.policy_class);
    to->set_log_aggregation_policy_parameters(from.policy_parameters);
  }
}

LogAggregation decode(const pb::LogAggregationContext& from) {
  LogAggregation to{.include = from.include_pattern(),
                    .exclude = from.exclude_pattern(),
                    .rolled_include = from.rolled_logs_include_pattern(),
                    .rolled_exclude = from.rolled_logs_exclude_pattern(),
                    .policy_class = from.log_aggregation_policy_class_name(),
                    .policy_parameters = from.log_aggregation_policy_parameters()};
  if (to.include == kAllFiles) {
    to.include.clear();
  }
  return to;
}

void encode(const Submission& from, pb::ApplicationSubmissionContext* to) {
  encode(from.id, to->mutable_application_id());
  to->set_application_name(from.name);
  to->set_queue(from.queue);
  to->mutable_priority()->set_priority(from.priority);
  encode(from.master, to->mutable_am_container_spec());
  to->set_cancel_tokens_when_complete(from.cancel_tokens);
  to->set_unmanaged_am(from.unmanaged);
  to->set_max_app_attempts(from.attempts_max);
  encode(from.master_resources, to->mutable_resource());
  to->set_application_type(from.type);
  to->set_keep_containers_across_application_attempts(from.keep_containers);
  for (const auto& tag : from.tags) {
    to->add_application_tags(tag);
  }
  to->set_attempt_failures_validity_interval(from.attempts_window_ms);
  if (from.logs) {
    encode(*from.logs, to->mutable_log_aggregation_context());
  }
  if (!from.node_label.empty()) {
    to->set_node_label_expression(from.node_label);
  }
  if (!from.master_node_label.empty()) {
    // A row of its own, since `resource` cannot say a label.
    encode(RequestRow{.priority = 0,
                      .place = std::string(kAnywhere),
                      .each = from.master_resources,
                      .count = 1,
                      .node_label = from.master_node_label,
                      .allocation = AllocationId(-1)},
           to->add_am_container_resource_request());
  }
  if (from.lifetime_s) {
    auto* const timeout = to->add_application_timeouts();
    timeout->set_application_timeout_type(pb::APPLICATION_TIMEOUT_TYPE_LIFETIME);
    timeout->set_timeout(*from.lifetime_s);
  }
}

Submission decode(const pb::ApplicationSubmissionContext& from) {
  Submission to{.id = decode(from.application_id()),
                .name = from.application_name(),
                .queue = from.queue(),
                .type = from.application_type(),
                .tags = {from.application_tags().begin(), from.application_tags().end()},
                .priority = from.priority().priority(),
                .master = decode(from.am_container_spec()),
                .master_resources = decode(from.resource()),
                .node_label = from.node_label_expression(),
                .attempts_max = from.max_app_attempts(),
                .attempts_window_ms = from.attempt_failures_validity_interval(),
                .keep_containers = from.keep_containers_across_application_attempts(),
                .unmanaged = from.unmanaged_am(),
                .cancel_tokens = from.cancel_tokens_when_complete()};
  for (const auto& row : from.am_container_resource_request()) {
    if (row.resource_name() == kAnywhere) {
      to.master_node_label = row.node_label_expression();
    }
  }
  for (const auto& timeout : from.application_timeouts()) {
    to.lifetime_s = timeout.timeout();
  }
  if (from.has_log_aggregation_context()) {
    to.logs = decode(from.log_aggregation_context());
  }
  return to;
}

}  // namespace muster::hadoop::yarn
