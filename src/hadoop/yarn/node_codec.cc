#include "hadoop/yarn/node_codec.h"

#include "hadoop/yarn/explanation.h"
#include "hadoop/yarn/record_codec.h"
#include "hadoop/yarn_containers.pb.h"

#include <fmt/format.h>

namespace muster::hadoop::yarn {
namespace {

std::map<ContainerId, Error> decode_failed(
    const google::protobuf::RepeatedPtrField<pb::ContainerExceptionMap>& from,
    std::string_view what, const NodeId& node) {
  std::map<ContainerId, Error> failed;
  for (const auto& entry : from) {
    const auto id = decode(entry.container_id());
    const auto about = fmt::format("{} {} at {}", what, to_string(id), to_string(node));
    failed.insert_or_assign(
        id, explain_exception(entry.exception().class_name(), entry.exception().message(), about));
  }
  return failed;
}

template <class Response>
ContainerOutcomes decode_outcomes(const Response& from, std::string_view what, const NodeId& node) {
  ContainerOutcomes to;
  for (const auto& id : from.succeeded_requests()) {
    to.done.push_back(decode(id));
  }
  to.failed = decode_failed(from.failed_requests(), what, node);
  return to;
}

}  // namespace

ContainerOutcomes decode(const pb::StartContainersResponse& from, const NodeId& node) {
  return decode_outcomes(from, "cannot start", node);
}

ContainerOutcomes decode(const pb::StopContainersResponse& from, const NodeId& node) {
  return decode_outcomes(from, "cannot stop", node);
}

ContainerOutcomes decode(const pb::ContainerUpdateResponse& from, const NodeId& node) {
  return decode_outcomes(from, "cannot update", node);
}

ContainerStatuses decode(const pb::GetContainerStatusesResponse& from, const NodeId& node) {
  ContainerStatuses to;
  for (const auto& status : from.status()) {
    to.known.push_back(decode(status));
  }
  to.unknown = decode_failed(from.failed_requests(), "cannot ask how", node);
  return to;
}

std::vector<Localization> decode(const pb::GetLocalizationStatusesResponse& from) {
  std::vector<Localization> to;
  for (const auto& container : from.cntn_localization_statuses()) {
    for (const auto& status : container.localization_statuses()) {
      to.push_back({.file = status.resource_key(),
                    .state = status.has_localization_state()
                                 ? static_cast<LocalizationState>(status.localization_state())
                                 : LocalizationState::Unknown,
                    .diagnostics = status.diagnostics()});
    }
  }
  return to;
}

}  // namespace muster::hadoop::yarn
