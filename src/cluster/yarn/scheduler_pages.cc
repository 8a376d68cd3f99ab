#include "cluster/yarn/scheduler_pages.h"

#include "hadoop/resource_manager.h"

#include <utility>

namespace muster::cluster::yarn {

std::optional<hadoop::yarn::RestClient> scheduler_pages(Session& session) {
  const Result<hadoop::ResourceManagers> managers =
      hadoop::resource_managers(session.site().configuration);
  if (!managers.has_value() || managers->https) {
    return std::nullopt;
  }
  hadoop::yarn::RestClient::Options options{.servers = {}, .user = session.site().identity.user};
  for (const hadoop::ResourceManager& manager : managers->all) {
    options.servers.push_back(manager.web);
  }
  return hadoop::yarn::RestClient(session.loop(), session.dialer(), std::move(options));
}

}  // namespace muster::cluster::yarn
