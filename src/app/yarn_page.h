#pragma once

#include "cluster/yarn/web_proxy.h"
#include "page/access.h"
#include "rt/io_loop.h"

#include <memory>
#include <string>
#include <vector>

namespace muster::app {

/// Whose page it is, on YARN.
struct YarnPageOwner {
  std::string application_id;
  std::string owner;
  std::vector<std::string> view_acl;  ///< As in the specification: users, "group:NAME", "*".
};

/// Lets in who comes through the cluster's proxies and may view the application. Members of a group
/// are not known here: they need to be named, or be administrators.
[[nodiscard]] std::unique_ptr<page::Access> proxy_access(rt::IoLoop& loop,
                                                         const cluster::yarn::WebProxies& proxies,
                                                         YarnPageOwner owner);

}  // namespace muster::app
