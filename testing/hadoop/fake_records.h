#pragma once

#include "hadoop/yarn/container.h"
#include "hadoop/yarn/ids.h"
#include "hadoop/yarn/node.h"

#include <string>
#include <string_view>

namespace hadoop::common {
class TokenProto;
}

namespace hadoop::yarn {
class ContainerStatus;
class NodeId;
class NodeReport;
}  // namespace hadoop::yarn

/// Records as the fake daemons send them.
namespace muster::testing {

inline constexpr std::string_view kYarnException =
    "org.apache.hadoop.yarn.exceptions.YarnException";

void put(const hadoop::yarn::NodeId& from, ::hadoop::yarn::NodeId* to);
void put(const hadoop::yarn::NodeReport& from, ::hadoop::yarn::NodeReport* to);
/// A container that has ended.
void put(const hadoop::yarn::ContainerStatus& from, ::hadoop::yarn::ContainerStatus* to);
void put_token(std::string_view kind, std::string identifier, std::string service,
               ::hadoop::common::TokenProto* to);

/// Returns e.g. "appattempt_1700000000000_0007_000001".
[[nodiscard]] std::string attempt_text(const hadoop::yarn::AttemptId& attempt);

/// Return the identifiers that the fakes put into their tokens.
[[nodiscard]] std::string fake_node_token(const hadoop::yarn::NodeId& node);
[[nodiscard]] std::string fake_container_token(const hadoop::yarn::ContainerId& container);

}  // namespace muster::testing
