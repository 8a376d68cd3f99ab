#pragma once

#include "hadoop/yarn/node.h"
#include "hadoop/yarn/queue.h"
#include "hadoop/yarn/report.h"

namespace hadoop::yarn {
class ApplicationAttemptReport;
class ApplicationReport;
class ContainerReport;
class NodeIdToLabels;
class NodeLabel;
class QueueInfo;
class QueueUserAclInfo;
class YarnClusterMetrics;
}  // namespace hadoop::yarn

/// What the resource manager tells clients ⇄ protobuf. Decoding is total.
namespace muster::hadoop::yarn {

namespace pb = ::hadoop::yarn;

void encode(const ApplicationReport& from, pb::ApplicationReport* to);
void encode(const AttemptReport& from, pb::ApplicationAttemptReport* to);
void encode(const ContainerReport& from, pb::ContainerReport* to);
void encode(const ClusterMetrics& from, pb::YarnClusterMetrics* to);
void encode(const QueueInfo& from, pb::QueueInfo* to);
void encode(const QueueRights& from, pb::QueueUserAclInfo* to);
void encode(const NodeLabel& from, pb::NodeLabel* to);
void encode(const LabelsOfNode& from, pb::NodeIdToLabels* to);

[[nodiscard]] ApplicationReport decode(const pb::ApplicationReport& from);
[[nodiscard]] AttemptReport decode(const pb::ApplicationAttemptReport& from);
[[nodiscard]] ContainerReport decode(const pb::ContainerReport& from);
[[nodiscard]] ClusterMetrics decode(const pb::YarnClusterMetrics& from);
[[nodiscard]] QueueInfo decode(const pb::QueueInfo& from);
[[nodiscard]] QueueRights decode(const pb::QueueUserAclInfo& from);
[[nodiscard]] NodeLabel decode(const pb::NodeLabel& from);
[[nodiscard]] LabelsOfNode decode(const pb::NodeIdToLabels& from);

}  // namespace muster::hadoop::yarn
