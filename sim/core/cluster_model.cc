#include "sim/core/cluster_model.h"

#include "sim/core/host_loss.h"

#include <algorithm>
#include <utility>

namespace muster::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr size_t kHosts = 6;
constexpr size_t kSlotsEach = 6;
constexpr Duration kDisturbMin = milliseconds(500);
constexpr Duration kDisturbMax = milliseconds(3500);

}  // namespace

ClusterModel::ClusterModel(Around around) : around_(std::move(around)) {
  for (size_t i = 1; i <= kHosts; ++i) {
    hosts_.push_back(job::HostName{"h" + std::to_string(i)});
  }
  slots_per_host_ = around_.faults.on(Fault::ScarceCluster) ? 1 : kSlotsEach;
  disturb_later();
}

void ClusterModel::disturb_later() {
  around_.world.after(around_.world.random().between(kDisturbMin, kDisturbMax),
                      [this] { disturb(); });
}

void ClusterModel::request(const job::RequestContainer& request) {
  if (tell_grants(request.request)) {
    return;  // A new master asks again, because it missed the answer.
  }
  if (!open_.emplace(request.request, request).second) {
    return;
  }
  const Duration takes =
      around_.world.random().between(Duration(milliseconds(1)), Duration(seconds(2)));
  around_.world.after(takes, [this, id = request.request] {
    if (around_.faults.strikes(Fault::RefusedRequests) && open_.contains(id)) {
      open_.erase(id);
      const bool never = around_.world.random().chance(5);
      around_.truth.refused_for_good = around_.truth.refused_for_good || never;
      around_.tell(
          job::RequestRefused{id, never ? job::RefusalKind::NeverFits : job::RefusalKind::Transient,
                              "64 GiB asked, 24 GiB at most"});
      return;
    }
    if (around_.faults.strikes(Fault::NeverGranted)) {
      wait_for_better_times(id);
      return;
    }
    try_grant(id);
  });
}

void ClusterModel::wait_for_better_times(job::RequestId request) {
  if (!around_.faults.on(Fault::NeverGranted)) {
    try_grant(request);
    return;
  }
  around_.world.after(seconds(5), [this, request] { wait_for_better_times(request); });
}

bool ClusterModel::tell_grants(job::RequestId request) {
  bool any = false;
  for (const auto& [container, held] : held_) {
    if (held.request == request && !held.gone) {
      around_.tell(job::ContainerGranted{held.request, container, held.host});
      any = true;
    }
  }
  return any;
}

void ClusterModel::cancel(job::RequestId request) {
  if (!around_.faults.strikes(Fault::LateGrants)) {
    open_.erase(request);
  }
}

void ClusterModel::try_grant(job::RequestId id) {
  const auto asked = open_.find(id);
  if (asked == open_.end()) {
    return;
  }
  std::vector<job::HostName> candidates;
  for (const job::HostName& host : hosts_) {
    const bool avoided = std::ranges::find(asked->second.avoid, host) != asked->second.avoid.end();
    if (!avoided && !down_.contains(host) && in_use(host) < slots_per_host_) {
      candidates.push_back(host);
    }
  }
  if (candidates.empty()) {
    around_.world.after(seconds(1), [this, id] { try_grant(id); });
    return;
  }
  grant(id, candidates[around_.world.random().below(candidates.size())]);
}

void ClusterModel::grant(job::RequestId id, const job::HostName& host) {
  const job::ContainerId container = hold(id, host);
  open_.erase(id);
  around_.tell(job::ContainerGranted{id, container, host});
  if (around_.faults.strikes(Fault::DoubledGrants)) {
    // A second container for one ask: nobody wants it.
    around_.tell(job::ContainerGranted{id, hold(id, host), host});
  }
}

job::ContainerId ClusterModel::hold(job::RequestId request, const job::HostName& host) {
  job::ContainerId container{"c" + std::to_string(++containers_)};
  held_[container] = Held{.request = request,
                          .host = host,
                          .launched = false,
                          .gone = false,
                          .noticed = false,
                          .silent = false,
                          .end = {}};
  around_.truth.live_containers.insert(container);
  return container;
}

void ClusterModel::launch(const job::ContainerId& container) {
  const auto held = held_.find(container);
  if (held == held_.end()) {
    return;
  }
  if (held->second.gone) {
    tell_end(held->second);  // Its end was reported before its grant was heard.
    return;
  }
  if (held->second.launched) {
    around_.launched_again(container);
    return;
  }
  held->second.launched = true;
  const Duration takes =
      around_.world.random().between(Duration(milliseconds(5)), Duration(milliseconds(500)));
  around_.world.after(takes, [this, container] {
    Held& held = held_.at(container);
    if (held.gone) {
      return;
    }
    if (around_.faults.strikes(Fault::LaunchFails)) {
      around_.truth.origin_containers.insert(container);
      around_.tell(job::LaunchFailed{container, "no space left on device"});
      end(container, job::ContainerEndKind::LaunchFailed, milliseconds(10));
      return;
    }
    around_.start_agent(container, held.host);
  });
}

void ClusterModel::release(const job::ContainerId& container, cluster::Confirm confirm) {
  const auto held = held_.find(container);
  if (held == held_.end()) {
    return;
  }
  if (held->second.gone) {
    tell_end(held->second);
    return;
  }
  const Duration slowest = around_.faults.strikes(Fault::SlowReleases)
                               ? Duration(seconds(30))
                               : Duration(milliseconds(200));
  const Duration takes = around_.world.random().between(Duration(milliseconds(1)), slowest);
  around_.wind_down(container, takes);
  end(container, job::ContainerEndKind::Released, time_to_tell(held->second, takes, confirm));
}

// Returns when the end is reported of a container that lives on for `lives`.
Duration ClusterModel::time_to_tell(Held& held, Duration lives, cluster::Confirm confirm) {
  Random& random = around_.world.random();
  if (around_.faults.strikes(Fault::EndsUnconfirmed)) {
    held.silent = random.chance(30);
    return lives + random.between(Duration(seconds(5)), Duration(seconds(90)));
  }
  const bool hasty = confirm == cluster::Confirm::Yes
                         ? around_.faults.strikes(Fault::EndsToldFalsely)
                         : around_.faults.strikes(Fault::EndsToldEarly);
  return hasty ? std::min<Duration>(lives, milliseconds(1)) : lives;
}

void ClusterModel::release_all() {
  open_.clear();
  for (const job::ContainerId& container : living()) {
    release(container, cluster::Confirm::No);
  }
}

void ClusterModel::ask_about(const job::ContainerId& container) {
  const auto held = held_.find(container);
  if (held != held_.end() && held->second.gone) {
    tell_end(held->second);
  }
}

void ClusterModel::tell_end(const Held& held) {
  if (held.noticed && !held.silent) {
    around_.tell(held.end);
  }
}

void ClusterModel::agent_ended(const job::ContainerId& container) {
  end(container, job::ContainerEndKind::Completed,
      around_.world.random().between(Duration(milliseconds(1)), Duration(seconds(2))));
}

void ClusterModel::end(const job::ContainerId& container, job::ContainerEndKind kind,
                       Duration notice) {
  Held& held = held_.at(container);
  if (held.gone) {
    return;
  }
  held.gone = true;
  held.end = job::ContainerEnded{container, kind, std::nullopt, "as the cluster says"};
  around_.truth.live_containers.erase(container);
  around_.world.after(notice, [this, container] {
    held_.at(container).noticed = true;
    tell_end(held_.at(container));
  });
}

void ClusterModel::reconcile() {
  for (const auto& [container, held] : held_) {
    if (held.gone) {
      tell_end(held);
    } else {
      around_.tell(job::ContainerGranted{held.request, container, held.host});
    }
  }
}

bool ClusterModel::known_gone(const job::ContainerId& container) const {
  const auto held = held_.find(container);
  return held == held_.end() || held->second.gone;
}

void ClusterModel::disturb() {
  if (!around_.faults.on(Fault::ScarceCluster)) {
    slots_per_host_ = kSlotsEach;
  }
  const std::vector<job::ContainerId> alive = living();
  if (!alive.empty()) {
    disturb_container(alive[around_.world.random().below(alive.size())]);
  }
  disturb_later();
}

void ClusterModel::disturb_container(const job::ContainerId& container) {
  const job::HostName host = held_.at(container).host;
  if (around_.faults.strikes(Fault::HostDies)) {
    lose_host(host, false);
  } else if (around_.faults.strikes(Fault::HostIsolated)) {
    lose_host(host, true);
  } else if (around_.faults.strikes(Fault::AgentDies)) {
    around_.truth.origin_containers.insert(container);
    around_.end_agent(container, TrueEnd::Origin);
    agent_ended(container);
  } else if (around_.faults.strikes(Fault::Preemption)) {
    const Duration in = around_.world.random().between(Duration::zero(), Duration(seconds(5)));
    if (around_.world.random().chance(70)) {
      around_.tell(job::PreemptionNoticed{container, in});
    }
    around_.world.after(in, [this, container] {
      if (!held_.at(container).gone) {
        around_.truth.origin_containers.insert(container);
        around_.end_agent(container, TrueEnd::Origin);
        end(container, job::ContainerEndKind::Preempted, milliseconds(50));
      }
    });
  }
}

void ClusterModel::lose_host(const job::HostName& host, bool lives_on) {
  down_.insert(host);
  if (!lives_on) {
    around_.host_dies(host);
  }
  const Duration notice =
      around_.world.random().between(Duration(seconds(1)), Duration(seconds(15)));
  const Duration alone =
      notice + around_.world.random().between(Duration::zero(), Duration(seconds(25)));
  for (const job::ContainerId& container : living()) {
    if (held_.at(container).host != host) {
      continue;
    }
    lose_with_host(around_, container, {.lives_on = lives_on, .alone = alone});
    end(container, job::ContainerEndKind::HostLost, notice);
  }
  around_.world.after(
      notice, [this, host] { around_.tell(job::HostReported{host, job::HostHealth::Lost}); });
  around_.world.after(notice + seconds(30), [this, host] {
    down_.erase(host);
    around_.tell(job::HostReported{host, job::HostHealth::Healthy});
  });
}

size_t ClusterModel::in_use(const job::HostName& host) const {
  return static_cast<size_t>(std::ranges::count_if(
      held_, [&](const auto& entry) { return !entry.second.gone && entry.second.host == host; }));
}

std::vector<job::ContainerId> ClusterModel::living() const {
  std::vector<job::ContainerId> alive;
  for (const auto& [container, held] : held_) {
    if (!held.gone) {
      alive.push_back(container);
    }
  }
  return alive;
}

}  // namespace muster::sim
