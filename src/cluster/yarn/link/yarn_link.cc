#include "cluster/yarn/link/yarn_link.h"

#include "cluster/yarn/link/container_end.h"
#include "hadoop/yarn/targets.h"
#include "net/address.h"

#include <algorithm>
#include <chrono>
#include <string_view>
#include <utility>

namespace muster::cluster::yarn {
namespace {

namespace rm = hadoop::yarn;

constexpr Duration kBeatMax = std::chrono::minutes(2);
constexpr Duration kRegisterMax = std::chrono::minutes(5);
constexpr Duration kTroublePause = std::chrono::seconds(1);
constexpr Duration kFarewellMax = std::chrono::seconds(30);
constexpr size_t kFarewellBytesMax = 2000;
constexpr std::string_view kNodeReports = "yarn.resourcemanager.nodemanagers.heartbeat-interval-ms";
constexpr Duration kNodeReportsMin = std::chrono::seconds(1);
constexpr Duration kNodeReportsMax = std::chrono::seconds(30);
constexpr Duration kLookPause = std::chrono::seconds(1);
/// A node reports a container as complete when its first process, the keeper's stub, has ended. The
/// keeper gives the remaining processes two seconds (keeper.cc) before it kills them.
constexpr Duration kKeeperLeaves = std::chrono::milliseconds(2500);

/// The attempt is over: there is nobody left to report to.
bool is_over(const Error& error) {
  return error.code == Errc::NotFound || error.code == Errc::Unauthenticated;
}

bool is_refusal(const Error& error) {
  return error.code == Errc::NeverFits || error.code == Errc::PermissionDenied ||
         error.code == Errc::InvalidArgument || error.code == Errc::Unsupported;
}

/// By then each node has reported twice, as far as the client's configuration shows.
Result<Duration> patience_of(const hadoop::Configuration& configuration) {
  MUSTER_TRY(const int64_t interval_ms, configuration.number(kNodeReports));
  return 2 * std::clamp<Duration>(std::chrono::milliseconds(interval_ms), kNodeReportsMin,
                                  kNodeReportsMax);
}

rm::MasterPresence presence_at(const std::string& address) {
  rm::MasterPresence presence;
  if (const auto place = net::parse_host_port(address); place.has_value()) {
    presence.host = place->host;
    presence.rpc_port = place->port;
    presence.tracking_url = "http://" + address;  // The job's page answers on the same port.
  }
  return presence;
}

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

YarnLink::YarnLink(LinkDeps deps, YarnLinkOptions options)
    : deps_(std::move(deps)),
      log_(deps_.log),
      options_(std::move(options)),
      token_(options_.master_token),
      beats_(deps_.loop),
      served_(deps_.loop),
      scope_(deps_.loop) {}

Status YarnLink::start(std::vector<job::ContainerId> known, OnFact on_fact) {
  const hadoop::Configuration& configuration = deps_.site.configuration;
  const job::Plan& plan = *options_.plan;
  MUSTER_TRY(auto placements, placements_of(plan.spec));
  MUSTER_TRY(const HeldContainers::Settings settings, HeldContainers::settings_of(configuration));
  MUSTER_TRY(const Duration patience, patience_of(configuration));
  MUSTER_TRY(auto dialing, rm::node_dial_settings(configuration));
  MUSTER_TRY(auto calling, rm::master_calling(configuration, token_));
  on_fact_ = std::move(on_fact);
  manager_ = deps_.call_manager(calling);
  master_.emplace(deps_.loop, *manager_, token_);
  const auto tell_master = [this](job::Fact fact) { tell(std::move(fact)); };
  const auto tell_late = [this](job::Fact fact) { scope_.spawn(deliver_late(std::move(fact))); };
  const auto end = [this](const rm::Grant& grant) { scope_.spawn(end_at_node(grant)); };
  containers_.emplace(HeldContainers::Deps{master_->book(), log_, tell_master, tell_late, end},
                      settings, std::move(known));
  HostSpread::Hosts hosts;
  for (HostRoom& room : options_.hosts) {
    hosts.emplace(containers_->host_of(room.node).value, std::move(room));
  }
  hosts_.emplace(std::move(hosts));
  requests_.emplace(OpenRequests::Deps{plan, master_->book(), *hosts_, tell_master, patience},
                    std::move(placements));
  launcher_.emplace(deps_, plan, options_.files, std::move(dialing));
  scope_.spawn(serve());
  return {};
}

rt::Async<> YarnLink::deliver(job::Fact fact) {
  on_fact_(std::move(fact));
  co_return;
}

rt::Async<> YarnLink::deliver_late(job::Fact fact) {
  co_await rt::pause_for(deps_.loop, kKeeperLeaves);
  if (!leaving_) {
    on_fact_(std::move(fact));
  }
}

// ---- the line

rt::Async<> YarnLink::serve() {
  const bool in = co_await register_self();
  while (in && !leaving_) {
    requests_->put_down(deps_.loop.now());
    auto beat = co_await master_->heartbeat(deps_.loop.now() + kBeatMax);
    beats_.beaten();
    if (beat.has_value()) {
      take(*beat);
    } else if (is_over(beat.error())) {
      log_.warning("link.dismissed", {{"reason", beat.error().message}});
      options_.dismissed();
      co_return;
    } else {
      take_trouble(beat.error());
    }
    co_await beats_.due();
  }
  served_.set();
}

rt::Async<bool> YarnLink::register_self() {
  while (!leaving_) {
    auto registered = co_await master_->register_self(presence_at(options_.master_address()),
                                                      deps_.loop.now() + kRegisterMax);
    if (registered.has_value()) {
      take(*registered);
      co_return true;
    }
    if (is_over(registered.error())) {
      log_.warning("link.dismissed", {{"reason", registered.error().message}});
      options_.dismissed();
      co_return false;
    }
    log_.warning("link.unregistered", {{"reason", registered.error().message}});
    co_await rt::pause_for(deps_.loop, kTroublePause);
  }
  co_return false;
}

void YarnLink::take(const rm::Registration& registration) {
  log_.info("link.registered", {{"queue", registration.queue},
                                {"largest", to_string(registration.largest)},
                                {"kept", registration.kept.size()}});
  launcher_->learn(registration.node_tokens);
  take_kept(registration.kept);
  containers_->registered(registration.kept);
  requests_->registered(registration);
}

void YarnLink::take(const rm::Heartbeat& heartbeat) {
  if (heartbeat.resynced) {
    log_.info("link.resynced", {});
  }
  launcher_->learn(heartbeat.node_tokens);
  take_kept(heartbeat.kept);
  for (const rm::Grant& grant : heartbeat.kept) {
    containers_->adopt(grant);
  }
  for (const rm::Grant& grant : heartbeat.harvest.granted) {
    take_granted(grant);
  }
  for (const rm::ContainerStatus& status : heartbeat.harvest.completed) {
    hosts_->ended(status.id);
    containers_->ended(status);
    beats_.changed();
  }
  containers_->heard();
  for (const rm::RejectedRequest& rejected : heartbeat.harvest.rejected) {
    requests_->rejected(rejected);
  }
  take_nodes(heartbeat.updated_nodes);
  requests_->take_headroom(heartbeat);
  containers_->preempted(heartbeat.preempted);
}

void YarnLink::take_granted(const rm::Grant& grant) {
  const std::string host = containers_->host_of(grant.node).value;
  hosts_->took(grant.id, host, grant.each);
  const std::optional<job::RequestContainer> request =
      requests_->granted(grant.allocation, host, deps_.loop.now());
  if (!request.has_value()) {
    master_->book().release(grant.id);
    return;
  }
  containers_->granted(grant, *request);
  beats_.changed();
}

void YarnLink::take_kept(const std::vector<rm::Grant>& grants) {
  for (const rm::Grant& grant : grants) {
    hosts_->took(grant.id, containers_->host_of(grant.node).value, grant.each);
  }
}

void YarnLink::take_nodes(const std::vector<rm::NodeReport>& nodes) {
  for (const rm::NodeReport& node : nodes) {
    const job::HostName host = containers_->host_of(node.id);
    hosts_->learn_rack(host.value, node.rack);
    hosts_->set_usable(host.value, node.state == rm::NodeState::Running);
    if (const auto health = health_of(node.state)) {
      log_.info("host.reported",
                {{"host", host.value}, {"state", to_string(node.state)}, {"why", node.health}});
      tell(job::HostReported{host, *health});
    }
  }
}

void YarnLink::take_trouble(const Error& error) {
  log_.warning("link.beat_failed", {{"reason", error.message}});
  if (is_refusal(error)) {
    requests_->refused(error);
    beats_.changed();
  }
}

// ---- what the master wants

void YarnLink::request(const job::RequestContainer& request) {
  requests_->ask(request);
  beats_.changed();
}

void YarnLink::cancel(job::RequestId request) {
  requests_->cancel(request);
  beats_.changed();
}

void YarnLink::launch(const LaunchOrder& order) {
  if (std::optional<HeldContainers::Launch> launch = containers_->launch(order.container)) {
    scope_.spawn(start_agent(order, *std::move(launch)));
  }
}

rt::Async<> YarnLink::start_agent(LaunchOrder order, HeldContainers::Launch launch) {
  order.host = containers_->host_of(launch.grant.node);
  auto started = co_await launcher_->launch(order, std::move(launch.grant), launch.role);
  if (started.has_value()) {
    log_.info("container.launched", {{"container", order.container.value}});
    co_return;
  }
  log_.warning("container.not_launched",
               {{"container", order.container.value}, {"error", started.error().message}});
  tell(job::LaunchFailed{order.container, started.error().message});
}

void YarnLink::release(const job::ContainerId& container, Confirm confirm) {
  containers_->release(container, confirm);
  beats_.changed();
}

// The container's node reports the end to the resource manager, which reports it to us. The node is
// asked again only if it could not be reached, or for containers that were given back meanwhile.
rt::Async<> YarnLink::end_at_node(rm::Grant grant) {
  using Fate = rm::ContainerStopper::Fate;
  bool reached = true;
  while (!leaving_ && containers_->awaits_end(grant.id)) {
    auto fate = co_await launcher_->stop(grant);
    if (fate.has_value() && *fate == Fate::Gone) {
      containers_->seen_gone(grant.id);
      beats_.changed();
      co_return;
    }
    if (!fate.has_value() && std::exchange(reached, false)) {
      log_.warning("container.not_stopped",
                   {{"container", to_string(grant.id)}, {"error", fate.error().message}});
      containers_->not_reached(grant.id);
      beats_.changed();
    }
    co_await rt::pause_for(deps_.loop, kLookPause);
  }
}

/// The cluster reports every end by itself, including those while there was no master.
void YarnLink::reconcile() { beats_.changed(); }

bool YarnLink::known_dead(const job::ContainerId& container) const {
  return containers_->known_dead(container);
}

std::string YarnLink::waits_for() const { return requests_->waits_for(); }

void YarnLink::finish(const job::Outcome& outcome, std::function<void()> done) {
  if (!std::exchange(leaving_, true)) {
    beats_.stop();
    scope_.spawn(farewell(outcome, std::move(done)));
  }
}

rt::Async<> YarnLink::farewell(job::Outcome outcome, std::function<void()> done) {
  auto written = options_.before_farewell();
  co_await std::move(written);
  co_await served_.wait();
  rm::Farewell words{.status = final_status_of(outcome.result),
                     .diagnostics = outcome.message.substr(0, kFarewellBytesMax)};
  auto said = co_await master_->finish(std::move(words), deps_.loop.now() + kFarewellMax);
  if (!said.has_value()) {
    log_.warning("link.farewell_failed", {{"reason", said.error().message}});
  }
  done();
  options_.left();
}

}  // namespace muster::cluster::yarn
