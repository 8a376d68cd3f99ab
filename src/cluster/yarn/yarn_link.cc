#include "cluster/yarn/yarn_link.h"

#include "cluster/yarn/container_end.h"
#include "hadoop/yarn/targets.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

/// What the master asks and what the resource manager tells; the life of one container is in
/// yarn_containers.cc, what is special to placed requests in yarn_placed.cc.
namespace muster::cluster::yarn {
namespace {

namespace rm = hadoop::yarn;

constexpr Duration kBeatMax = std::chrono::minutes(2);
constexpr Duration kRegisterMax = std::chrono::minutes(5);
constexpr Duration kTroublePause = std::chrono::seconds(1);

/// The attempt is over: there is nobody to say anything to.
bool is_over(const Error& error) {
  return error.code == Errc::NotFound || error.code == Errc::Unauthenticated;
}

bool is_refusal(const Error& error) {
  return error.code == Errc::NeverFits || error.code == Errc::PermissionDenied ||
         error.code == Errc::InvalidArgument || error.code == Errc::Unsupported;
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

}  // namespace

YarnLink::YarnLink(Session& session, log::Sink& log, YarnLinkOptions options)
    : session_(session),
      loop_(session.loop()),
      log_(log),
      options_(std::move(options)),
      resolver_(session.loop()),
      token_(options_.master_token),
      due_(session.loop()),
      served_(session.loop()),
      scope_(session.loop()) {}

YarnLink::~YarnLink() {
  *alive_ = false;
  loop_.cancel(timer_);
}

Status YarnLink::start(std::vector<job::ContainerId> known, OnFact on_fact) {
  const hadoop::Configuration& configuration = session_.site().configuration;
  on_fact_ = std::move(on_fact);
  known_.insert(known.begin(), known.end());
  MUSTER_TRY(placements_, placements_of(options_.plan->spec));
  MUSTER_TRY(const std::string with_port,
             configuration.text("yarn.scheduler.include-port-in-node-name"));
  ports_in_names_ = with_port == "true";
  MUSTER_TRY(
      const std::string grace,
      configuration.text("yarn.resourcemanager.monitor.capacity.preemption.max_wait_before_kill"));
  preemption_grace_ = std::chrono::seconds(15);
  if (!grace.empty()) {
    MUSTER_TRY(preemption_grace_,
               configuration.duration(
                   "yarn.resourcemanager.monitor.capacity.preemption.max_wait_before_kill",
                   std::chrono::milliseconds(1)));
  }
  MUSTER_TRY(auto calling, rm::master_calling(configuration, token_));
  manager_ = session_.client().proxy(calling.target, calling.connection, calling.retry);
  master_ = std::make_unique<rm::ApplicationMaster>(loop_, *manager_, token_);
  MUSTER_TRY(auto dialing, rm::node_dial_settings(configuration));
  nodes_ = std::make_unique<rm::NodeConnections>(
      loop_, rm::node_dialer(session_.client(), std::move(dialing)));
  containers_api_ = std::make_unique<rm::ContainerManager>(loop_, *nodes_);
  scope_.spawn(serve());
  return {};
}

void YarnLink::tell(job::Fact fact) {
  loop_.post([this, fact = std::move(fact), alive = alive_]() mutable {
    if (*alive) {
      on_fact_(std::move(fact));
    }
  });
}

// ---- the line

rt::Async<> YarnLink::serve() {
  const bool in = co_await register_self();
  while (in && !leaving_) {
    auto beat = co_await master_->heartbeat(0, loop_.now() + kBeatMax);
    rule_.beaten(loop_.now());
    if (beat.has_value()) {
      take(*beat);
    } else if (is_over(beat.error())) {
      log_.warning("link.dismissed", {{"reason", beat.error().message}});
      options_.dismissed();
      co_return;
    } else {
      trouble(beat.error());
    }
    co_await pause();
  }
  served_.set();
}

rt::Async<bool> YarnLink::register_self() {
  while (!leaving_) {
    auto registered = co_await master_->register_self(presence_at(options_.master_address()),
                                                      loop_.now() + kRegisterMax);
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
    co_await rt::pause_for(loop_, kTroublePause);
  }
  co_return false;
}

rt::Async<> YarnLink::pause() {
  if (leaving_) {
    co_return;
  }
  due_.reset();
  timer_ = loop_.call_at(rule_.next(), [this] { due_.set(); });
  co_await due_.wait();
}

void YarnLink::changed() {
  rule_.changed(loop_.now());
  loop_.cancel(timer_);
  timer_ = loop_.call_at(rule_.next(), [this] { due_.set(); });
}

void YarnLink::trouble(const Error& error) {
  log_.warning("link.beat_failed", {{"reason", error.message}});
  if (is_refusal(error)) {
    refuse_all(error);
  }
}

/// The cluster refuses a call as a whole; which of its requests it means only its words tell.
void YarnLink::refuse_all(const Error& error) {
  const auto kind =
      error.code == Errc::NeverFits ? job::RefusalKind::NeverFits : job::RefusalKind::Forbidden;
  for (const auto& [allocation, request] : std::exchange(open_, {})) {
    master_->book().withdraw(allocation);
    tell(job::RequestRefused{request.request, kind, error.message});
  }
  master_->book().refused();
  changed();
}

// ---- asking

void YarnLink::request(const job::RequestContainer& request) {
  if (!registered_.has_value()) {
    early_.push_back(request);
    return;
  }
  ask(request);
}

void YarnLink::ask(const job::RequestContainer& request) {
  const rm::AllocationId allocation(request.request.value);
  if (open_.contains(allocation)) {
    return;
  }
  const rm::Resource each = resource_of(request.resources);
  const std::string& role = options_.plan->role(request.role).name;
  if (const std::string reason = never_fits(each, registered_->largest); !reason.empty()) {
    tell(job::RequestRefused{request.request, job::RefusalKind::NeverFits, role + ": " + reason});
    return;
  }
  avoid(request.avoid);
  open_[allocation] = request;
  if (const auto placed = placements_.find(role); placed != placements_.end()) {
    master_->book().ask_placed({.allocation = allocation,
                                .each = each,
                                .tags = placed->second.tags,
                                .constraint = placed->second.constraint});
  } else {
    master_->book().ask({.allocation = allocation, .each = each, .node_label = request.node_label});
  }
  changed();
}

/// The newest request knows best which hosts are not wanted.
void YarnLink::avoid(const std::vector<job::HostName>& hosts) {
  std::set<std::string> wanted;
  for (const job::HostName& host : hosts) {
    wanted.insert(host.value);
  }
  const std::set<std::string> before = master_->book().avoided();
  for (const std::string& host : before) {
    if (!wanted.contains(host)) {
      master_->book().readmit(host);
    }
  }
  for (const std::string& host : wanted) {
    if (!before.contains(host)) {
      master_->book().avoid(host);
    }
  }
}

void YarnLink::cancel(job::RequestId request) {
  std::erase_if(early_, [&](const auto& one) { return one.request == request; });
  const rm::AllocationId allocation(request.value);
  if (open_.erase(allocation) > 0) {
    master_->book().withdraw(allocation);
    changed();
  }
}

std::string YarnLink::waits_for() const {
  if (!registered_.has_value()) {
    return "the resource manager to answer";
  }
  if (open_.empty()) {
    return {};
  }
  const job::RequestContainer& first = open_.begin()->second;
  const std::string constraint = constraint_of(first.role);
  return fmt::format(
      "{} of {}{} from queue {}, which could give {} MB and {} vcores now",
      open_.size() == 1 ? std::string("a container") : fmt::format("{} containers", open_.size()),
      to_string(resource_of(first.resources)),
      constraint.empty() ? std::string() : fmt::format(" ({})", constraint), registered_->queue,
      headroom_.memory_bytes >> 20U, headroom_.vcores);
}

// ---- what comes

void YarnLink::take(const rm::Registration& registration) {
  registered_ = registration;
  nodes_->learn(registration.node_tokens);
  log_.info("link.registered", {{"queue", registration.queue},
                                {"largest", to_string(registration.largest)},
                                {"kept", registration.from_previous_attempts.size()}});
  for (const rm::Grant& grant : registration.from_previous_attempts) {
    adopt(grant);
  }
  // Taken by the cluster, whatever its reason: no fault of what ran in it.
  for (const job::ContainerId& gone : std::exchange(known_, {})) {
    tell(job::ContainerEnded{.container = gone,
                             .kind = job::ContainerEndKind::Preempted,
                             .exit_code = std::nullopt,
                             .diagnostics = "the cluster did not keep it over the master's end"});
  }
  for (const job::RequestContainer& request : std::exchange(early_, {})) {
    ask(request);
  }
}

/// Takes a container of an earlier master over, or gives it back if that master's log does not
/// know it.
void YarnLink::adopt(const rm::Grant& grant) {
  const job::ContainerId id(to_string(grant.id));
  if (containers_.contains(id)) {
    return;
  }
  names_[grant.id] = id;
  const bool wanted = known_.erase(id) > 0 && early_released_.erase(id) == 0;
  containers_[id] = {
      .grant = grant, .role = {}, .launched = true, .released = !wanted, .ended = false};
  if (!wanted) {
    log_.info("container.unknown", {{"container", id.value}});
    master_->book().release(grant.id);
  }
}

void YarnLink::take(const rm::Heartbeat& heartbeat) {
  const auto& [answer, harvest, resynced] = heartbeat;
  nodes_->learn(answer.node_tokens);
  if (resynced) {
    log_.info("link.resynced", {});
  }
  for (const rm::Grant& grant : answer.from_previous_attempts) {
    adopt(grant);
  }
  for (const rm::Grant& grant : harvest.granted) {
    take_granted(grant);
  }
  for (const rm::ContainerStatus& status : harvest.completed) {
    take_ended(status);
  }
  for (const rm::RejectedRequest& rejected : harvest.rejected) {
    take_rejected(rejected);
  }
  take_nodes(answer.updated_nodes);
  take_headroom(answer);
  take_preemption(answer.preemption);
}

void YarnLink::take_granted(const rm::Grant& grant) {
  const auto found = open_.find(grant.allocation);
  if (found == open_.end()) {
    master_->book().release(grant.id);
    return;
  }
  const job::ContainerId id(to_string(grant.id));
  const job::RequestId request = found->second.request;
  containers_[id] = {.grant = grant,
                     .role = found->second.role,
                     .launched = false,
                     .released = false,
                     .ended = false};
  open_.erase(found);
  names_[grant.id] = id;
  log_.info("container.granted", {{"container", id.value}, {"node", to_string(grant.node)}});
  rule_.changed(loop_.now());
  tell(job::ContainerGranted{request, id, host_of(grant.node)});
}

void YarnLink::take_nodes(const std::vector<rm::NodeReport>& nodes) {
  for (const rm::NodeReport& node : nodes) {
    if (const auto health = health_of(node.state)) {
      log_.info("host.reported", {{"host", host_of(node.id).value},
                                  {"state", to_string(node.state)},
                                  {"why", node.health}});
      tell(job::HostReported{host_of(node.id), *health});
    }
  }
}

void YarnLink::take_headroom(const rm::AllocateAnswer& answer) {
  if (!answer.headroom.has_value()) {
    return;
  }
  const job::HeadroomReported now{
      .memory_bytes = static_cast<uint64_t>(std::max<int64_t>(answer.headroom->memory_mb, 0))
                      << 20U,
      .vcores = static_cast<uint32_t>(std::max(answer.headroom->vcores, 0)),
      .gpus = gpus_of(*answer.headroom),
      .hosts = static_cast<uint32_t>(std::max(answer.cluster_nodes, 0))};
  if (now != headroom_) {
    headroom_ = now;
    tell(now);
  }
}

void YarnLink::take_preemption(const rm::Preemption& preemption) {
  std::vector<rm::ContainerId> ids = preemption.certain;
  ids.insert(ids.end(), preemption.negotiable.begin(), preemption.negotiable.end());
  for (const rm::ContainerId& id : ids) {
    const auto found = names_.find(id);
    if (found != names_.end() && warned_.insert(id).second) {
      log_.info("container.preempted", {{"container", found->second.value}});
      tell(job::PreemptionNoticed{found->second, preemption_grace_});
    }
  }
}

job::HostName YarnLink::host_of(const rm::NodeId& node) const {
  return job::HostName(ports_in_names_ ? to_string(node) : node.host);
}

}  // namespace muster::cluster::yarn
