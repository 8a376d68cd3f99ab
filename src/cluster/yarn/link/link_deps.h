#pragma once

#include "base/log.h"
#include "base/result.h"
#include "cluster/yarn/session.h"
#include "cluster/yarn/site.h"
#include "hadoop/rpc/proxy.h"
#include "hadoop/yarn/node_connections.h"
#include "hadoop/yarn/targets.h"
#include "rt/async.h"
#include "rt/loop.h"

#include <functional>
#include <memory>
#include <string>

namespace muster::cluster::yarn {

/// How a YarnLink reaches its cluster. All of it must outlive the link.
struct LinkDeps {
  rt::Loop& loop;
  log::Sink& log;
  const Site& site;
  /// Makes the proxy of the resource manager.
  std::function<std::unique_ptr<hadoop::rpc::Proxy>(const hadoop::yarn::Calling&)> call_manager;
  /// Makes the factory of node proxies.
  std::function<hadoop::yarn::NodeDialer(hadoop::yarn::NodeDialSettings)> dial_nodes;
  /// Finds a host's first address, as a literal.
  std::function<rt::Async<Result<std::string>>(std::string host)> address_of;
};

/// Makes the dependencies from a session's connections.
[[nodiscard]] LinkDeps link_deps(Session& session, log::Sink& log);

}  // namespace muster::cluster::yarn
