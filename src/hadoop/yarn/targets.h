#pragma once

#include "base/result.h"
#include "hadoop/configuration.h"
#include "hadoop/credentials.h"
#include "hadoop/rpc/options.h"
#include "hadoop/yarn/held_token.h"
#include "hadoop/yarn/node_connections.h"

#include <memory>

namespace muster::hadoop::yarn {

/// Whom to call, and how patiently: what an rpc::Client makes a proxy of.
struct Calling {
  rpc::Target target;
  rpc::ConnectionOptions connection;
  rpc::RetryOptions retry;
};

/// The resource manager's side for clients, as the configuration has it: one server, or all of a
/// pair. `credentials` (may be null) holds delegation tokens, which go before other ways in.
[[nodiscard]] Result<Calling> client_calling(const Configuration& configuration,
                                             rpc::Identity identity,
                                             std::shared_ptr<const Credentials> credentials);
/// The resource manager's side for application masters; `token` must outlive the proxy.
[[nodiscard]] Result<Calling> master_calling(const Configuration& configuration,
                                             const HeldToken& token);
/// How node managers are called.
[[nodiscard]] Result<NodeDialSettings> node_dial_settings(const Configuration& configuration);

}  // namespace muster::hadoop::yarn
