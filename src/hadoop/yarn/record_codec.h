#pragma once

#include "hadoop/token.h"
#include "hadoop/yarn/container.h"
#include "hadoop/yarn/ids.h"
#include "hadoop/yarn/node.h"
#include "hadoop/yarn/request.h"
#include "hadoop/yarn/resource.h"

#include <cstdint>

namespace hadoop::common {
class TokenProto;
}

namespace hadoop::yarn {
class ApplicationId;
class ApplicationAttemptId;
class Container;
class ContainerId;
class ContainerStatus;
class NodeId;
class NodeReport;
class Resource;
class ResourceRequest;
class ResourceTypeInfo;
}  // namespace hadoop::yarn

/// Records that all protocols share ⇄ protobuf. Decoding is total: what is absent stays at its
/// default, what is unknown at its Unknown.
namespace muster::hadoop::yarn {

namespace pb = ::hadoop::yarn;

void encode(const ApplicationId& from, pb::ApplicationId* to);
void encode(const AttemptId& from, pb::ApplicationAttemptId* to);
void encode(const ContainerId& from, pb::ContainerId* to);
void encode(const NodeId& from, pb::NodeId* to);
void encode(const Resource& from, pb::Resource* to);
void encode(const ResourceType& from, pb::ResourceTypeInfo* to);
void encode(const Token& from, ::hadoop::common::TokenProto* to);
void encode(const RequestRow& from, pb::ResourceRequest* to);
void encode(const Grant& from, pb::Container* to);
void encode(const ContainerStatus& from, pb::ContainerStatus* to);
void encode(const NodeReport& from, pb::NodeReport* to);

[[nodiscard]] ApplicationId decode(const pb::ApplicationId& from);
[[nodiscard]] AttemptId decode(const pb::ApplicationAttemptId& from);
[[nodiscard]] ContainerId decode(const pb::ContainerId& from);
[[nodiscard]] NodeId decode(const pb::NodeId& from);
[[nodiscard]] Resource decode(const pb::Resource& from);
[[nodiscard]] ResourceType decode(const pb::ResourceTypeInfo& from);
[[nodiscard]] Token decode(const ::hadoop::common::TokenProto& from);
[[nodiscard]] RequestRow decode(const pb::ResourceRequest& from);
[[nodiscard]] Grant decode(const pb::Container& from);
[[nodiscard]] ContainerStatus decode(const pb::ContainerStatus& from);
[[nodiscard]] NodeReport decode(const pb::NodeReport& from);

/// An execution type by its number on the wire.
[[nodiscard]] int execution_number(ExecutionType execution);
[[nodiscard]] ExecutionType execution_from(int number);

}  // namespace muster::hadoop::yarn
