#pragma once

#include "cluster/yarn/client/web_proxy.h"
#include "cluster/yarn/session.h"
#include "page/access.h"

#include <memory>
#include <string>
#include <vector>

namespace muster::cluster::yarn {

/// Whose page it is.
struct PageOwner {
  std::string application_id;
  std::string owner;
  std::vector<std::string> view_acl;  ///< As in the specification: users, "group:NAME", "*".
};

/// Lets in those who come through the cluster's proxies and may view the application: by name, or
/// as a member of a group, according to the NameNode. `session` must outlive it. Fails if the
/// configuration is wrong.
[[nodiscard]] Result<std::unique_ptr<page::Access>> proxy_access(Session& session,
                                                                 const WebProxies& proxies,
                                                                 PageOwner owner);

}  // namespace muster::cluster::yarn
