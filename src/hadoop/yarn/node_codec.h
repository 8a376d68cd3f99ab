#pragma once

#include "hadoop/yarn/node_answers.h"

#include <vector>

namespace hadoop::yarn {
class ContainerUpdateResponse;
class GetContainerStatusesResponse;
class GetLocalizationStatusesResponse;
class StartContainersResponse;
class StopContainersResponse;
}  // namespace hadoop::yarn

/// What node managers answer, from protobuf. `node` is for the messages of what failed.
namespace muster::hadoop::yarn {

namespace pb = ::hadoop::yarn;

[[nodiscard]] ContainerOutcomes decode(const pb::StartContainersResponse& from, const NodeId& node);
[[nodiscard]] ContainerOutcomes decode(const pb::StopContainersResponse& from, const NodeId& node);
[[nodiscard]] ContainerOutcomes decode(const pb::ContainerUpdateResponse& from, const NodeId& node);
[[nodiscard]] ContainerStatuses decode(const pb::GetContainerStatusesResponse& from,
                                       const NodeId& node);
[[nodiscard]] std::vector<Localization> decode(const pb::GetLocalizationStatusesResponse& from);

}  // namespace muster::hadoop::yarn
