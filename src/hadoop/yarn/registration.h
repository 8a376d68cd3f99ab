#pragma once

#include "hadoop/yarn/allocate_answer.h"
#include "hadoop/yarn/placement.h"
#include "hadoop/yarn/report.h"

#include <cstdint>
#include <string>
#include <vector>

namespace muster::hadoop::yarn {

/// How an application master presents itself.
struct MasterPresence {
  std::string host;
  int32_t rpc_port = -1;     ///< -1: none.
  std::string tracking_url;  ///< "" for none.
  std::vector<TaggedConstraint> constraints;

  bool operator==(const MasterPresence&) const = default;
};

/// What an application master learns when it registers.
struct Registration {
  Resource largest;  ///< The largest container its queue grants.
  std::string queue;
  std::string client_token_key;  ///< Secure clusters: verifies the tokens of clients.
  std::string view_acl;
  std::string modify_acl;
  std::vector<Grant> from_previous_attempts;  ///< Still running, where they are kept.
  std::vector<NodeToken> node_tokens;         ///< For the nodes of those.
  std::vector<ResourceType> resource_types;   ///< That the cluster schedules.

  bool operator==(const Registration&) const = default;
};

/// The last word of an application master.
struct Farewell {
  FinalStatus status = FinalStatus::Undefined;
  std::string diagnostics;
  std::string tracking_url;  ///< Where the job's history is.

  bool operator==(const Farewell&) const = default;
};

}  // namespace muster::hadoop::yarn
