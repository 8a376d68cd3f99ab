#include "cluster/yarn/wait_look.h"

#include "cluster/job_folder.h"
#include "cluster/yarn/application_file.h"
#include "hadoop/resource_manager.h"
#include "hadoop/yarn/rest_client.h"
#include "rt/wait.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace muster::cluster::yarn {
namespace {

namespace rm = hadoop::yarn;

constexpr Duration kPageMax = std::chrono::seconds(10);
constexpr Duration kActivitiesMax = std::chrono::seconds(8);
constexpr Duration kLookPause = std::chrono::milliseconds(500);

/// Asks again until the scheduler has passed by.
rt::Async<rm::Activities> read_activities(Session* session, rm::RestClient* pages,
                                          rm::ApplicationId id) {
  rt::Loop& loop = session->loop();
  const HostTime end = loop.now() + kActivitiesMax;
  rm::Activities seen;
  while (true) {
    auto read = co_await pages->activities(id, loop.now() + kPageMax);
    if (!read.has_value()) {
      co_return seen;
    }
    seen = *std::move(read);
    if (!seen.all.empty() || loop.now() >= end) {
      co_return seen;
    }
    co_await rt::pause_for(loop, kLookPause);
  }
}

std::string last_part(std::string_view path) {
  const size_t dot = path.rfind('.');
  return std::string(dot == std::string_view::npos ? path : path.substr(dot + 1));
}

rt::Async<Result<WaitFacts>> look(Session* session, rm::ApplicationId id, WaitAsk ask) {
  rm::ApplicationClient& applications = session->applications();
  const auto soon = [&] { return session->loop().now() + kPageMax; };
  WaitFacts facts;
  facts.largest_ask = std::move(ask.largest);
  facts.label = std::move(ask.label);
  auto report = co_await applications.report(id, soon());
  MUSTER_CO_TRY(facts.application, std::move(report));
  auto queue = co_await applications.queue(last_part(facts.application.queue), false, soon());
  if (queue.has_value()) {
    facts.queue = *std::move(queue);
  }
  auto nodes = co_await applications.nodes({}, soon());
  if (nodes.has_value()) {
    facts.nodes = *std::move(nodes);
  }
  const Result<hadoop::ResourceManagers> managers =
      hadoop::resource_managers(session->site().configuration);
  if (!managers.has_value() || managers->https) {
    co_return facts;
  }
  rm::RestClient::Options options{.servers = {}, .user = session->site().identity.user};
  for (const hadoop::ResourceManager& manager : managers->all) {
    options.servers.push_back(manager.web);
  }
  rm::RestClient pages(session->loop(), session->dialer(), std::move(options));
  auto loads = co_await pages.queues(soon());
  if (loads.has_value()) {
    const std::string name = last_part(facts.application.queue);
    const auto found = std::ranges::find_if(
        *loads, [&](const rm::QueueLoad& load) { return last_part(load.path) == name; });
    if (found != loads->end()) {
      facts.load = *found;
    }
  }
  facts.activities = co_await read_activities(session, &pages, id);
  co_return facts;
}

}  // namespace

Result<WaitFacts> look_at_wait(YarnCluster& cluster, const std::filesystem::path& job_folder,
                               WaitAsk ask) {
  MUSTER_TRY(Session* const session, cluster.session_of(job_folder));
  MUSTER_TRY(const ApplicationFile application, cluster.application_of(job_folder));
  MUSTER_TRY(const rm::ApplicationId id, rm::parse_application_id(application.application_id));
  return cluster.run(look(session, id, std::move(ask)));
}

}  // namespace muster::cluster::yarn
