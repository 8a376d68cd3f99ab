#include "cluster/yarn/waiting/scheduler_pages.h"

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

rt::Async<> read_scheduler(Session* session, ClusterOffer* offer, HostTime deadline) {
  std::optional<hadoop::yarn::RestClient> pages = scheduler_pages(*session);
  if (!pages.has_value()) {
    co_return;
  }
  const auto loads = co_await pages->queues(deadline);
  offer->fair_scheduler = loads.has_value() && !loads->empty() && loads->front().fair.has_value();
  auto handler =
      co_await pages->setting("yarn.resourcemanager.placement-constraints.handler", deadline);
  offer->placement_handler = handler.value_or("");
}

}  // namespace muster::cluster::yarn
