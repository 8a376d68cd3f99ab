#include "hadoop/yarn/launch_codec.h"

#include "hadoop/yarn/record_codec.h"
#include "hadoop/yarn_launch.pb.h"
#include "hadoop/yarn_submission.pb.h"

namespace muster::hadoop::yarn {
namespace {

// YARN's notation for "nobody but the owner and administrators".
constexpr std::string_view kNobody = " ";

void encode_acl(const std::string& acl, pb::ApplicationAccessType type,
                pb::ContainerLaunchContext* to) {
  auto* const entry = to->add_application_acls();
  entry->set_access_type(type);
  entry->set_acl(acl.empty() ? std::string(kNobody) : acl);
}

pb::LocalResourceType type_of(LocalResourceType type) {
  switch (type) {
    case LocalResourceType::Archive:
      return pb::LOCAL_RESOURCE_TYPE_ARCHIVE;
    case LocalResourceType::File:
      return pb::LOCAL_RESOURCE_TYPE_FILE;
  }
  return pb::LOCAL_RESOURCE_TYPE_FILE;
}

void encode_file(const LocalResource& from, pb::LocalResource* to) {
  auto* const url = to->mutable_resource();
  url->set_scheme(from.from.scheme);
  url->set_host(from.from.host);
  // Always: an absent port is read as port 0.
  url->set_port(from.from.port);
  url->set_file(from.from.path);
  to->set_size(from.size);
  to->set_timestamp(from.modified_ms);
  to->set_type(type_of(from.type));
  to->set_visibility(pb::LOCAL_RESOURCE_VISIBILITY_PRIVATE);
}

}  // namespace

void encode(const LaunchContext& from, pb::ContainerLaunchContext* to) {
  for (const auto& [name, file] : from.files) {
    auto* const entry = to->add_local_resources();
    entry->set_key(name);
    encode_file(file, entry->mutable_value());
  }
  if (!from.tokens.empty()) {
    to->set_tokens(from.tokens);
  }
  for (const auto& [name, value] : from.environment) {
    auto* const entry = to->add_environment();
    entry->set_key(name);
    entry->set_value(value);
  }
  for (const auto& command : from.commands) {
    to->add_command(command);
  }
  if (!from.view_acl.empty() || !from.modify_acl.empty()) {
    encode_acl(from.view_acl, pb::APPLICATION_ACCESS_TYPE_VIEW_APP, to);
    encode_acl(from.modify_acl, pb::APPLICATION_ACCESS_TYPE_MODIFY_APP, to);
  }
}

void encode(const Submission& from, pb::ApplicationSubmissionContext* to) {
  encode(from.id, to->mutable_application_id());
  to->set_application_name(from.name);
  to->set_queue(from.queue);
  to->mutable_priority()->set_priority(from.priority);
  encode(from.master, to->mutable_am_container_spec());
  to->set_max_app_attempts(from.attempts_max);
  encode(from.master_resources, to->mutable_resource());
  to->set_application_type(from.type);
  to->set_keep_containers_across_application_attempts(from.keep_containers);
  for (const auto& tag : from.tags) {
    to->add_application_tags(tag);
  }
  to->set_attempt_failures_validity_interval(from.attempts_window_ms);
  if (!from.node_label.empty()) {
    to->set_node_label_expression(from.node_label);
  }
}

}  // namespace muster::hadoop::yarn
