#include "job/parts/ask_hosts.h"

#include "job/parts/lives.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace muster::job {
namespace {

/// How long an ask waits before it accepts hosts on which earlier jobs had failures.
constexpr Duration kPardonAfter = std::chrono::minutes(5);

}  // namespace

AskHosts::AskHosts(const Deps& deps, const std::map<RequestId, Request>& requests)
    : plan_(deps.plan),
      turn_(deps.turn),
      timers_(deps.timers),
      lives_(deps.lives),
      requests_(requests) {
  avoided_.foretell(plan_.hosts_to_avoid);
}

std::vector<HostName> AskHosts::avoided_by(RoleIndex role) const {
  return avoided_.list(turn_.now, plan_.role(role).restart.window, plan_.avoid_share_max_percent);
}

void AskHosts::choose(const Request& request, RequestContainer& ask) const {
  ask.avoid = avoided_by(request.role);
  if (plan_.role(request.role).membership != spec::Membership::Rejoin) {
    return;
  }
  for (const TaskId id : request.tasks) {
    const std::vector<Attempt>& attempts = lives_.task(id).attempts;
    // A task can get its address back only on the host where it was.
    if (!attempts.empty() &&
        std::ranges::find(ask.avoid, attempts.back().host) == ask.avoid.end() &&
        std::ranges::find(ask.prefer, attempts.back().host) == ask.prefer.end()) {
      ask.prefer.push_back(attempts.back().host);
    }
  }
}

void AskHosts::watch(const RequestContainer& ask, TaskId asking) {
  watch_for_return(ask, asking);
  watch_for_pardon();
}

void AskHosts::watch_for_return(const RequestContainer& ask, TaskId asking) {
  const auto back = avoided_.next_return(ask.avoid, turn_.now, plan_.role(ask.role).restart.window);
  if (!back) {
    return;
  }
  if (!host_return_.is_set()) {
    host_return_ = timers_.set(HostReturnTimer{}, *back, "a host that was away to be asked again");
  }
  timers_.purpose_of(host_return_).tasks.push_back(asking);
}

void AskHosts::watch_for_pardon() {
  if (pardon_.is_set() || !avoided_.has_foretold()) {
    return;
  }
  std::optional<Time> oldest;
  for (const auto& [id, request] : requests_) {
    if (!request.cancelled && (!oldest || request.asked < *oldest)) {
      oldest = request.asked;
    }
  }
  if (oldest) {
    pardon_ = timers_.set(PardonTimer{}, *oldest + kPardonAfter,
                          "a container on a host that did no harm to earlier jobs");
  }
}

void AskHosts::note(const HostName& host, Harm harm) { avoided_.note(host, turn_.now, harm); }

std::vector<TaskId> AskHosts::pardon_passed() {
  pardon_ = {};
  const bool long_since = std::ranges::any_of(requests_, [this](const auto& entry) {
    return !entry.second.cancelled && turn_.now - entry.second.asked >= kPardonAfter;
  });
  if (!long_since) {
    watch_for_pardon();  // Those that had waited too long have been answered.
    return {};
  }
  return avoid_fewer([this] { avoided_.pardon(); });
}

std::vector<TaskId> AskHosts::cluster_has(uint32_t hosts) {
  if (!avoided_.has_foretold()) {
    avoided_.cluster_has(hosts);
    return {};
  }
  return avoid_fewer([&] { avoided_.cluster_has(hosts); });
}

std::vector<TaskId> AskHosts::report(const HostReported& reported) {
  std::vector<TaskId> elsewhere;
  for (const auto& [id, request] : requests_) {
    if (reported.health == HostHealth::Healthy && !request.cancelled &&
        std::ranges::count(avoided_by(request.role), reported.host) > 0) {
      elsewhere.push_back(request.tasks.front());
    }
  }
  avoided_.report(reported.host, reported.health);
  return elsewhere;
}

template <class Change>
std::vector<TaskId> AskHosts::avoid_fewer(const Change& change) {
  std::vector<std::pair<const Request*, size_t>> open;  // And how many hosts each avoids.
  for (const auto& [id, request] : requests_) {
    if (!request.cancelled) {
      open.emplace_back(&request, avoided_by(request.role).size());
    }
  }
  change();
  std::vector<TaskId> elsewhere;
  for (const auto& [request, avoided] : open) {
    if (avoided_by(request->role).size() < avoided) {
      elsewhere.push_back(request->tasks.front());
    }
  }
  return elsewhere;
}

}  // namespace muster::job
