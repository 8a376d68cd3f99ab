#include "cluster/yarn/waiting/wait_look.h"

#include "cluster/yarn/client/fit.h"
#include "cluster/yarn/link/container_end.h"
#include "cluster/yarn/staging/room.h"
#include "cluster/yarn/waiting/scheduler_pages.h"
#include "hadoop/yarn/rest_client.h"
#include "rt/wait.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

namespace muster::cluster::yarn {
namespace {

namespace rm = hadoop::yarn;

constexpr Duration kPageMax = std::chrono::seconds(10);
constexpr Duration kActivitiesMax = std::chrono::seconds(8);
constexpr Duration kLookPause = std::chrono::milliseconds(500);

/// Asks again until the scheduler has considered the application.
rt::Async<std::vector<rm::Activity>> read_activities(Session* session, rm::RestClient* pages,
                                                     rm::ApplicationId id) {
  rt::Loop& loop = session->loop();
  const HostTime end = loop.now() + kActivitiesMax;
  std::vector<rm::Activity> seen;
  while (true) {
    auto read = co_await pages->activities(id, loop.now() + kPageMax);
    if (!read.has_value()) {
      co_return seen;
    }
    seen = *std::move(read);
    if (!seen.empty() || loop.now() >= end) {
      co_return seen;
    }
    co_await rt::pause_for(loop, kLookPause);
  }
}

std::string last_part(std::string_view path) {
  const size_t dot = path.rfind('.');
  return std::string(dot == std::string_view::npos ? path : path.substr(dot + 1));
}

/// Finds the queue by its path, which the Fair Scheduler and newer versions need, or by its name
/// alone.
rt::Async<std::optional<rm::QueueInfo>> find_queue(Session* session, std::string path) {
  for (std::string name : {path, last_part(path)}) {
    auto queue =
        co_await session->applications().queue(std::move(name), session->loop().now() + kPageMax);
    if (queue.has_value()) {
      co_return *std::move(queue);
    }
  }
  co_return std::nullopt;
}

/// The queue of the application, and those above it.
void take_loads(const std::vector<rm::QueueLoad>& loads, WaitFacts& facts) {
  const std::string& path = facts.application.queue;
  auto found = std::ranges::find(loads, path, &rm::QueueLoad::path);
  if (found == loads.end()) {
    found = std::ranges::find_if(
        loads, [&](const rm::QueueLoad& load) { return last_part(load.path) == last_part(path); });
  }
  if (found == loads.end()) {
    return;
  }
  facts.load = *found;
  std::ranges::copy_if(loads, std::back_inserter(facts.above), [&](const rm::QueueLoad& load) {
    return found->path.starts_with(load.path + ".");
  });
}

/// The Fair Scheduler's own default if nothing is configured.
int64_t step_mb(const hadoop::Configuration& configuration) {
  constexpr int64_t kDefault = 1024;
  return configuration.number("yarn.scheduler.increment-allocation-mb").value_or(kDefault);
}

rt::Async<Result<WaitFacts>> look(Session* session, rm::ApplicationId id, WaitAsk ask) {
  rm::ApplicationClient& applications = session->applications();
  const auto soon = [&] { return session->loop().now() + kPageMax; };
  WaitFacts facts;
  facts.largest_ask = std::move(ask.largest);
  facts.label = std::move(ask.label);
  auto report = co_await applications.report(id, soon());
  MUSTER_CO_TRY(facts.application, std::move(report));
  facts.queue = co_await find_queue(session, facts.application.queue);
  auto nodes = co_await applications.nodes({}, soon());
  if (nodes.has_value()) {
    facts.nodes = *std::move(nodes);
  }
  std::optional<rm::RestClient> pages = scheduler_pages(*session);
  if (!pages.has_value()) {
    co_return facts;
  }
  auto loads = co_await pages->queues(soon());
  if (loads.has_value()) {
    take_loads(*loads, facts);
  }
  if (facts.load.has_value() && facts.load->fair.has_value()) {
    // The Fair Scheduler records no activities, and grants in steps.
    facts.largest_ask = in_steps(facts.largest_ask, step_mb(session->site().configuration));
    co_return facts;
  }
  facts.activities = co_await read_activities(session, &*pages, id);
  co_return facts;
}

}  // namespace

Result<WaitFacts> look_at_wait(ClientSession& session, const ApplicationFile& application,
                               WaitAsk ask) {
  MUSTER_TRY(Session* const opened, session.open_for(application));
  MUSTER_TRY(const rm::ApplicationId id, rm::parse_application_id(application.application_id));
  return session.run(look(opened, id, std::move(ask)));
}

/// Returns the largest container that the job asks for, and the label of its role.
WaitAsk largest_ask(const job::Plan& plan) {
  const job::RolePlan* largest = nullptr;
  const auto memory = [&](const job::RolePlan& one) {
    return container_share(plan, one).memory_bytes;
  };
  for (const job::RolePlan& role : plan.roles) {
    if (largest == nullptr || memory(role) > memory(*largest)) {
      largest = &role;
    }
  }
  if (largest == nullptr) {
    return {};
  }
  const spec::Role* const role = spec::find_role(plan.spec, largest->name);
  const bool labelled = role != nullptr && !role->node_label.empty();
  return {.largest = resource_of(container_share(plan, *largest)),
          .label = labelled ? role->node_label : plan.spec.yarn.node_label};
}

}  // namespace muster::cluster::yarn
