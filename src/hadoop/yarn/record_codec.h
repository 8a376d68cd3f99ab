#pragma once

#include "hadoop/token.h"
#include "hadoop/yarn/container.h"
#include "hadoop/yarn/ids.h"
#include "hadoop/yarn/node.h"
#include "hadoop/yarn/resource.h"

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
}  // namespace hadoop::yarn

/// Records that several protocols share ⇄ protobuf, in the directions that are needed. Decoding is
/// total: absent fields keep their defaults, unknown enumerators become Unknown.
namespace muster::hadoop::yarn {

namespace pb = ::hadoop::yarn;

void encode(const ApplicationId& from, pb::ApplicationId* to);
void encode(const ContainerId& from, pb::ContainerId* to);
void encode(const Resource& from, pb::Resource* to);
void encode(const Token& from, ::hadoop::common::TokenProto* to);

[[nodiscard]] ApplicationId decode(const pb::ApplicationId& from);
[[nodiscard]] ContainerId decode(const pb::ContainerId& from);
[[nodiscard]] NodeId decode(const pb::NodeId& from);
[[nodiscard]] Resource decode(const pb::Resource& from);
[[nodiscard]] Token decode(const ::hadoop::common::TokenProto& from);
[[nodiscard]] Grant decode(const pb::Container& from);
[[nodiscard]] ContainerStatus decode(const pb::ContainerStatus& from);
[[nodiscard]] NodeReport decode(const pb::NodeReport& from);

}  // namespace muster::hadoop::yarn
