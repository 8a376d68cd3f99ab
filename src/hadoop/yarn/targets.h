#pragma once

#include "base/result.h"
#include "hadoop/configuration.h"
#include "hadoop/credentials.h"
#include "hadoop/rpc/options.h"
#include "hadoop/yarn/held_token.h"
#include "hadoop/yarn/node_connections.h"

#include <memory>

namespace muster::hadoop::yarn {

/// Whom to call, and how patiently: what an rpc::Client needs to make a proxy.
struct Calling {
  rpc::Target target;
  rpc::ConnectionOptions connection;
  rpc::RetryOptions retry;
};

/// Returns the resource manager's side for clients, from the configuration: one server, or all
/// members of an HA group. `credentials` (may be null) holds delegation tokens, which are preferred
/// to other methods.
[[nodiscard]] Result<Calling> client_calling(const Configuration& configuration,
                                             rpc::Identity identity,
                                             std::shared_ptr<const Credentials> credentials);
/// Returns the resource manager's side for application masters; `token` must outlive the proxy.
[[nodiscard]] Result<Calling> master_calling(const Configuration& configuration,
                                             const HeldToken& token);
/// Returns how node managers are called.
[[nodiscard]] Result<NodeDialSettings> node_dial_settings(const Configuration& configuration);

}  // namespace muster::hadoop::yarn
