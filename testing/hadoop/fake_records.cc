#include "testing/hadoop/fake_records.h"

#include "hadoop/security.pb.h"
#include "hadoop/yarn/record_codec.h"
#include "hadoop/yarn_records.pb.h"

#include <fmt/format.h>

#include <utility>

namespace muster::testing {

namespace yarn = hadoop::yarn;
namespace pb = ::hadoop::yarn;

void put(const yarn::NodeId& from, pb::NodeId* to) {
  to->set_host(from.host);
  to->set_port(from.port);
}

void put(const yarn::NodeReport& from, pb::NodeReport* to) {
  put(from.id, to->mutable_node_id());
  to->set_http_address(from.http_address);
  encode(from.used, to->mutable_used());
  encode(from.capacity, to->mutable_capability());
  if (from.state != yarn::NodeState::Unknown) {
    to->set_node_state(static_cast<pb::NodeState>(from.state));
  }
  to->set_health_report(from.health);
  to->set_rack_name(from.rack);
  for (const auto& label : from.labels) {
    to->add_node_labels(label);
  }
}

void put(const yarn::ContainerStatus& from, pb::ContainerStatus* to) {
  encode(from.id, to->mutable_container_id());
  to->set_state(pb::CONTAINER_STATE_COMPLETE);
  to->set_exit_status(from.exit_status);
  to->set_diagnostics(from.diagnostics);
}

void put_token(std::string_view kind, std::string identifier, std::string service,
               ::hadoop::common::TokenProto* to) {
  to->set_identifier(std::move(identifier));
  to->set_password("password");
  to->set_kind(std::string(kind));
  to->set_service(std::move(service));
}

std::string attempt_text(const yarn::AttemptId& attempt) {
  return fmt::format("appattempt_{}_{:04}_{:06}", attempt.application.cluster_timestamp,
                     attempt.application.number, attempt.number);
}

std::string fake_node_token(const yarn::NodeId& node) { return "node-token:" + to_string(node); }

std::string fake_container_token(const yarn::ContainerId& container) {
  return "container-token:" + to_string(container);
}

}  // namespace muster::testing
