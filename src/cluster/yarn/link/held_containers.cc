#include "cluster/yarn/link/held_containers.h"

#include "cluster/yarn/link/container_end.h"

#include <chrono>
#include <string>
#include <utility>

namespace muster::cluster::yarn {
namespace {

namespace rm = hadoop::yarn;

constexpr size_t kLoggedDiagnosticsMax = 2000;
constexpr Duration kPreemptionGrace = std::chrono::seconds(15);  ///< The cluster's own default.

}  // namespace

Result<HeldContainers::Settings> HeldContainers::settings_of(
    const hadoop::Configuration& configuration) {
  constexpr std::string_view kGrace =
      "yarn.resourcemanager.monitor.capacity.preemption.max_wait_before_kill";
  Settings settings{.preemption_grace = kPreemptionGrace};
  MUSTER_TRY(const std::string with_port,
             configuration.text("yarn.scheduler.include-port-in-node-name"));
  settings.ports_in_names = with_port == "true";
  MUSTER_TRY(const std::string grace, configuration.text(kGrace));
  if (!grace.empty()) {
    MUSTER_TRY(settings.preemption_grace,
               configuration.duration(kGrace, std::chrono::milliseconds(1)));
  }
  return settings;
}

HeldContainers::HeldContainers(Deps deps, Settings settings, std::vector<job::ContainerId> known)
    : deps_(std::move(deps)), settings_(settings), known_(known.begin(), known.end()) {}

void HeldContainers::registered(const std::vector<rm::Grant>& kept) {
  registered_ = true;
  for (const rm::Grant& grant : kept) {
    adopt(grant);
  }
}

void HeldContainers::heard() {
  // Taken by the cluster, for whatever reason: not the fault of what ran in it.
  for (const job::ContainerId& gone : std::exchange(known_, {})) {
    deps_.tell(
        job::ContainerEnded{.container = gone,
                            .kind = job::ContainerEndKind::Preempted,
                            .exit_code = std::nullopt,
                            .diagnostics = "the cluster did not keep it when the master ended"});
  }
}

void HeldContainers::adopt(const rm::Grant& grant) {
  const job::ContainerId id(to_string(grant.id));
  if (containers_.contains(id)) {
    return;
  }
  names_[grant.id] = id;
  containers_[id] = {
      .grant = grant, .role = {}, .launched = true, .released = false, .ended = false};
  const auto early = early_released_.extract(id);
  if (known_.erase(id) == 0) {
    deps_.log.info("container.unknown", {{"container", id.value}});
    release(id, Confirm::No);
  } else if (!early.empty()) {
    release(id, early.mapped());
  }
}

void HeldContainers::granted(const rm::Grant& grant, const job::RequestContainer& request) {
  const job::ContainerId id(to_string(grant.id));
  containers_[id] = {
      .grant = grant, .role = request.role, .launched = false, .released = false, .ended = false};
  names_[grant.id] = id;
  deps_.log.info("container.granted", {{"container", id.value}, {"node", to_string(grant.node)}});
  deps_.tell(job::ContainerGranted{request.request, id, host_of(grant.node)});
}

void HeldContainers::ended(const rm::ContainerStatus& status) {
  const auto name = names_.find(status.id);
  if (name == names_.end()) {
    ended_between(status);
    return;
  }
  Container& container = containers_.at(name->second);
  if (container.ended) {
    return;
  }
  constexpr auto kAborted = static_cast<int32_t>(rm::ExitStatus::Aborted);
  if (container.unseen && container.dropped && status.exit_status == kAborted) {
    container.told = status;
    return;
  }
  container.ended = true;
  tell_end(status, container.released, container.unseen ? deps_.tell_late : deps_.tell);
}

// The previous master did not learn of the end, and this one was never given the container.
void HeldContainers::ended_between(const rm::ContainerStatus& status) {
  const job::ContainerId id(to_string(status.id));
  if (registered_ && known_.erase(id) > 0) {
    tell_end(status, early_released_.erase(id) > 0, deps_.tell);
  }
}

void HeldContainers::tell_end(const rm::ContainerStatus& status, bool released,
                              const std::function<void(job::Fact)>& tell) const {
  job::ContainerEnded ended = end_of(status, released);
  deps_.log.info("container.ended",
                 {{"container", ended.container.value},
                  {"kind", job::to_string(ended.kind)},
                  {"status", status.exit_status},
                  {"words", status.diagnostics.substr(0, kLoggedDiagnosticsMax)}});
  tell(std::move(ended));
}

void HeldContainers::preempted(const std::vector<rm::ContainerId>& containers) {
  for (const rm::ContainerId& id : containers) {
    const auto found = names_.find(id);
    if (found != names_.end() && warned_.insert(id).second) {
      deps_.log.info("container.preempted", {{"container", found->second.value}});
      deps_.tell(job::PreemptionNoticed{found->second, settings_.preemption_grace});
    }
  }
}

std::optional<HeldContainers::Launch> HeldContainers::launch(const job::ContainerId& id) {
  const auto found = containers_.find(id);
  if (found == containers_.end() || found->second.released || found->second.ended ||
      std::exchange(found->second.launched, true)) {
    return std::nullopt;
  }
  return Launch{.grant = found->second.grant, .role = found->second.role};
}

void HeldContainers::release(const job::ContainerId& id, Confirm confirm) {
  const auto found = containers_.find(id);
  if (found == containers_.end()) {
    if (!registered_) {
      early_released_.insert_or_assign(id, confirm);
    }
    return;
  }
  Container& container = found->second;
  if (container.ended) {
    return;
  }
  const bool again = std::exchange(container.released, true);
  if (confirm == Confirm::Yes && container.launched) {
    if (!again) {
      container.unseen = true;
      deps_.end_at_node(container.grant);
    }
    return;
  }
  container.unseen = false;
  drop(container);
  if (const auto told = std::exchange(container.told, std::nullopt)) {
    ended(*told);
  }
}

void HeldContainers::drop(Container& container) {
  if (!std::exchange(container.dropped, true)) {
    deps_.book.release(container.grant.id);
  }
}

bool HeldContainers::awaits_end(const rm::ContainerId& id) const {
  const auto name = names_.find(id);
  if (name == names_.end()) {
    return false;
  }
  const Container& container = containers_.at(name->second);
  return container.unseen && !container.ended;
}

void HeldContainers::not_reached(const rm::ContainerId& id) {
  if (awaits_end(id)) {
    drop(containers_.at(names_.at(id)));
  }
}

void HeldContainers::seen_gone(const rm::ContainerId& id) {
  if (awaits_end(id)) {
    drop(containers_.at(names_.at(id)));
    ended({.id = id,
           .exit_status = static_cast<int32_t>(rm::ExitStatus::StoppedByMaster),
           .diagnostics = "its node says that it is gone"});
  }
}

bool HeldContainers::known_dead(const job::ContainerId& id) const {
  const auto found = containers_.find(id);
  return found == containers_.end() ? registered_ : found->second.ended;
}

job::HostName HeldContainers::host_of(const rm::NodeId& node) const {
  return job::HostName(settings_.ports_in_names ? to_string(node) : node.host);
}

}  // namespace muster::cluster::yarn
