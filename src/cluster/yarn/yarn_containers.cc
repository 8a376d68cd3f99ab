#include "cluster/agent_launch.h"
#include "cluster/yarn/container_end.h"
#include "cluster/yarn/container_entry.h"
#include "cluster/yarn/docker_runtime.h"
#include "cluster/yarn/yarn_link.h"
#include "hadoop/credentials.h"

#include <chrono>
#include <utility>

/// The second half of YarnLink: from a launch to the end of a container, and of the job.
namespace muster::cluster::yarn {
namespace {

namespace rm = hadoop::yarn;

constexpr Duration kStartMax = std::chrono::minutes(2);
constexpr Duration kFarewellMax = std::chrono::seconds(30);
constexpr size_t kDiagnosticsMax = 2000;

rm::FinalStatus final_status_of(job::JobResult result) {
  switch (result) {
    case job::JobResult::Succeeded:
      return rm::FinalStatus::Succeeded;
    case job::JobResult::Failed:
      return rm::FinalStatus::Failed;
    case job::JobResult::Stopped:
      return rm::FinalStatus::Killed;
  }
  return rm::FinalStatus::Undefined;
}

}  // namespace

void YarnLink::launch(const LaunchOrder& order) {
  const auto found = containers_.find(order.container);
  if (found == containers_.end() || found->second.launched || found->second.released ||
      found->second.ended) {
    return;
  }
  found->second.launched = true;
  scope_.spawn(start_agent(order));
}

rt::Async<> YarnLink::start_agent(LaunchOrder order) {
  const rm::Grant grant = containers_.at(order.container).grant;
  order.host = host_of(grant.node);
  auto started = co_await try_start(order, grant);
  if (started.has_value()) {
    log_.info("container.launched", {{"container", order.container.value}});
    co_return;
  }
  log_.warning("container.not-launched",
               {{"container", order.container.value}, {"error", started.error().message}});
  tell(job::LaunchFailed{order.container, started.error().message});
}

rt::Async<Status> YarnLink::try_start(LaunchOrder order, rm::Grant grant) {
  using Addresses = Result<std::vector<net::SocketAddress>>;
  auto resolved = co_await rt::from_callback<Addresses>(
      loop_, [&](auto answer) { resolver_.resolve(grant.node.host, 1, answer); });
  MUSTER_CO_TRY(const std::vector<net::SocketAddress> addresses, std::move(resolved));
  std::vector<rm::ContainerStart> starts;
  starts.push_back({.id = grant.id,
                    .token = grant.token,
                    .launch = launch_context(order, grant, net::literal_of(addresses.front()))});
  auto outcome =
      co_await containers_api_->start(grant.node, std::move(starts), loop_.now() + kStartMax);
  MUSTER_CO_TRY(const rm::ContainerOutcomes outcomes, std::move(outcome));
  if (const auto failed = outcomes.failed.find(grant.id); failed != outcomes.failed.end()) {
    co_return failed->second;
  }
  co_return Status();
}

rm::LaunchContext YarnLink::launch_context(const LaunchOrder& order, const rm::Grant& grant,
                                           const std::string& listen_host) const {
  AgentLaunch launch;
  launch.order = order;
  launch.listen_host = listen_host;
  launch.orphan = options_.plan->liveness.orphan;
  // Which ones the container finds out.
  launch.gpus.resize(gpus_of(grant.each));
  hadoop::Credentials credentials = session_.site().credentials;
  credentials.remove_kind(hadoop::token_kind::kAmRm);
  credentials.add_secret(std::string(kLaunchSecret), hadoop::Secret(encode(launch)));
  rm::LaunchContext context;
  for (const StagedFile& staged : options_.files) {
    context.files[staged.link] = staged.file;
  }
  context.tokens = hadoop::encode_credentials(credentials);
  context.environment = {{"HADOOP_USER_NAME", session_.site().identity.user},
                         {"MUSTER_HOME", "{{PWD}}"},
                         {"MUSTER_APPLICATION_ID", to_string(grant.id.attempt.application)}};
  const job::Plan& plan = *options_.plan;
  const job::RoleIndex index = containers_.at(order.container).role;
  if (const spec::Role* const role = spec::find_role(plan.spec, plan.role(index).name);
      role != nullptr && role->docker.has_value()) {
    context.environment.merge(docker_environment(*role->docker));
  }
  context.commands = {"exec ./" + std::string(kProgramName) + " keeper --on yarn",
                      "1><LOG_DIR>/agent.stdout 2><LOG_DIR>/agent.stderr"};
  return context;
}

void YarnLink::take_ended(const rm::ContainerStatus& status) {
  const auto name = names_.find(status.id);
  if (name == names_.end()) {
    return;
  }
  Container& container = containers_.at(name->second);
  if (std::exchange(container.ended, true)) {
    return;
  }
  job::ContainerEnded ended = end_of(status, container.released);
  log_.info("container.ended", {{"container", ended.container.value},
                                {"kind", job::to_string(ended.kind)},
                                {"status", status.exit_status},
                                {"words", status.diagnostics.substr(0, kDiagnosticsMax)}});
  rule_.changed(loop_.now());
  tell(std::move(ended));
}

void YarnLink::release(const job::ContainerId& id) {
  const auto found = containers_.find(id);
  if (found == containers_.end() && !registered_.has_value()) {
    early_released_.insert(id);
  }
  if (found == containers_.end() || found->second.released || found->second.ended) {
    return;
  }
  found->second.released = true;
  master_->book().release(found->second.grant.id);
  changed();
}

/// The cluster tells of every end by itself, also of what ended while there was no master.
void YarnLink::reconcile() { changed(); }

bool YarnLink::known_dead(const job::ContainerId& id) const {
  const auto found = containers_.find(id);
  if (found == containers_.end()) {
    return registered_.has_value();
  }
  return found->second.ended;
}

void YarnLink::finish(const job::Outcome& outcome, std::function<void()> done) {
  if (!std::exchange(leaving_, true)) {
    due_.set();
    scope_.spawn(farewell(outcome, std::move(done)));
  }
}

rt::Async<> YarnLink::farewell(job::Outcome outcome, std::function<void()> done) {
  auto written = options_.before_farewell();
  co_await std::move(written);
  co_await served_.wait();
  rm::Farewell words;
  words.status = final_status_of(outcome.result);
  words.diagnostics = outcome.message.substr(0, kDiagnosticsMax);
  auto said = co_await master_->finish(std::move(words), loop_.now() + kFarewellMax);
  if (!said.has_value()) {
    log_.warning("link.farewell_failed", {{"reason", said.error().message}});
  }
  done();
  options_.left();
}

}  // namespace muster::cluster::yarn
