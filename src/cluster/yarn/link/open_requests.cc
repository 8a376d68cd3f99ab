#include "cluster/yarn/link/open_requests.h"

#include "cluster/yarn/link/container_end.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace muster::cluster::yarn {

namespace rm = hadoop::yarn;

namespace {

rm::AllocationId allocation_of(const job::RequestContainer& request) {
  return rm::AllocationId(request.request.value);
}

std::vector<std::string> names_of(const std::vector<job::HostName>& hosts) {
  std::vector<std::string> names;
  for (const job::HostName& host : hosts) {
    names.push_back(host.value);
  }
  return names;
}

std::set<std::string> avoided_by(const job::RequestContainer& request) {
  const std::vector<std::string> names = names_of(request.avoid);
  return {names.begin(), names.end()};
}

}  // namespace

void OpenRequests::registered(const rm::Registration& registration) {
  queue_ = {.name = registration.queue, .largest = registration.largest};
  deps_.hosts.count_vcores(registration.counts_vcores);
  for (const auto& [id, request] : std::exchange(waiting_, {})) {
    ask(request);
  }
}

void OpenRequests::ask(const job::RequestContainer& request) {
  if (!queue_.has_value()) {
    waiting_.try_emplace(request.request, request);
    return;
  }
  if (asked_.contains(request.request)) {
    return;
  }
  const std::string& role = deps_.plan.role(request.role).name;
  if (const std::string reason = never_fits(resource_of(request.resources), queue_->largest);
      !reason.empty()) {
    deps_.tell(
        job::RequestRefused{request.request, job::RefusalKind::NeverFits, role + ": " + reason});
    return;
  }
  waiting_.try_emplace(request.request, request);
}

void OpenRequests::put_down(HostTime now) {
  ask_elsewhere(now);
  for (const rm::AllocationId allocation : std::exchange(fewer_, {})) {
    if (asks_.contains(allocation)) {
      put(allocation);
    }
  }
  if (waiting_.empty()) {
    return;
  }
  std::vector<std::vector<job::RequestContainer>> alike;
  const std::set<std::string> avoided = avoided_by(waiting_.rbegin()->second);
  // The newest request knows best which hosts are unwanted.
  deps_.book.avoid(avoided);
  for (auto& [id, request] : std::exchange(waiting_, {})) {
    if (!request.prefer.empty() || placements_.contains(deps_.plan.role(request.role).name)) {
      put_alone(request);
      continue;
    }
    const auto same = std::ranges::find_if(alike, [&](const auto& others) {
      return others.front().resources == request.resources &&
             others.front().node_label == request.node_label;
    });
    if (same == alike.end()) {
      alike.push_back({std::move(request)});
    } else {
      same->push_back(std::move(request));
    }
  }
  for (std::vector<job::RequestContainer>& requests : alike) {
    put_together(std::move(requests), avoided, now);
  }
}

void OpenRequests::put_alone(const job::RequestContainer& request) {
  const rm::AllocationId allocation = allocation_of(request);
  const rm::Resource each = resource_of(request.resources);
  add(allocation, request, {});
  const auto placed = placements_.find(deps_.plan.role(request.role).name);
  if (placed != placements_.end()) {
    deps_.book.ask_placed({.allocation = allocation,
                           .each = each,
                           .tags = placed->second.tags,
                           .constraint = placed->second.constraint});
  } else {
    deps_.book.ask({.allocation = allocation,
                    .each = each,
                    .node_label = request.node_label,
                    .preferred = deps_.hosts.places_of(names_of(request.prefer))});
  }
}

void OpenRequests::put_together(std::vector<job::RequestContainer> requests,
                                const std::set<std::string>& avoided, HostTime now) {
  std::vector<std::string> hosts(requests.size());
  // It is not known here which hosts have the label.
  if (requests.front().node_label.empty()) {
    hosts = deps_.hosts.spread(requests.size(), resource_of(requests.front().resources), avoided,
                               asked_of_hosts());
  }
  // Requests for particular hosts, and those for any host.
  std::map<bool, rm::AllocationId> allocations;
  for (size_t i = 0; i < requests.size(); ++i) {
    const auto ask =
        allocations.try_emplace(hosts[i].empty(), allocation_of(requests[i])).first->second;
    add(ask, std::move(requests[i]), std::move(hosts[i]));
    asks_.at(ask).stirred = now;
  }
  for (const auto& [anywhere, allocation] : allocations) {
    put(allocation);
  }
}

std::vector<HostSpread::Use> OpenRequests::asked_of_hosts() const {
  std::vector<HostSpread::Use> asked;
  for (const auto& [allocation, ask] : asks_) {
    for (const auto& [id, member] : ask.members) {
      if (!member.host.empty()) {
        asked.push_back({.host = member.host, .each = resource_of(member.request.resources)});
      }
    }
  }
  return asked;
}

/// A host may have been filled or lost since it was seen to have room.
void OpenRequests::ask_elsewhere(HostTime now) {
  for (auto& [allocation, ask] : asks_) {
    if (ask.by_host.begin()->first.empty() || now < ask.stirred + deps_.patience) {
      continue;
    }
    ask.by_host.clear();
    for (auto& [id, member] : ask.members) {
      member.host.clear();
      ask.by_host[{}].insert(id);
    }
    put(allocation);
  }
}

/// States how many of an ask are wanted, and where.
void OpenRequests::put(rm::AllocationId allocation) {
  const auto& members = asks_.at(allocation).members;
  std::vector<std::string> hosts;
  for (const auto& [id, member] : members) {
    hosts.push_back(member.host);
  }
  const job::RequestContainer& any = members.begin()->second.request;
  deps_.book.ask({.allocation = allocation,
                  .count = static_cast<int32_t>(members.size()),
                  .each = resource_of(any.resources),
                  .node_label = any.node_label,
                  .preferred = deps_.hosts.places_of(hosts),
                  .only_there = !hosts.front().empty()});
}

void OpenRequests::add(rm::AllocationId allocation, job::RequestContainer request,
                       std::string host) {
  const job::RequestId id = request.request;
  Ask& ask = asks_[allocation];
  ask.by_host[host].insert(id);
  ask.members.emplace(id, Member{.request = std::move(request), .host = std::move(host)});
  asked_.emplace(id, allocation);
}

/// The request is no longer open.
job::RequestContainer OpenRequests::take(rm::AllocationId allocation, job::RequestId request) {
  Ask& ask = asks_.at(allocation);
  Member member = std::move(ask.members.extract(request).mapped());
  const auto there = ask.by_host.find(member.host);
  there->second.erase(request);
  if (there->second.empty()) {
    ask.by_host.erase(there);
  }
  if (ask.members.empty()) {
    asks_.erase(allocation);
  }
  asked_.erase(request);
  return std::move(member.request);
}

void OpenRequests::cancel(job::RequestId request) {
  waiting_.erase(request);
  const auto found = asked_.find(request);
  if (found == asked_.end()) {
    return;
  }
  const rm::AllocationId allocation = found->second;
  (void)take(allocation, request);
  if (asks_.contains(allocation)) {
    fewer_.insert(allocation);
  } else {
    deps_.book.withdraw(allocation);
  }
}

std::optional<job::RequestContainer> OpenRequests::granted(rm::AllocationId allocation,
                                                           const std::string& host, HostTime now) {
  const auto found = asks_.find(allocation);
  if (found == asks_.end()) {
    return std::nullopt;
  }
  Ask& ask = found->second;
  ask.stirred = now;
  for (const std::string& wished : {host, std::string()}) {
    if (const auto there = ask.by_host.find(wished); there != ask.by_host.end()) {
      return take(allocation, *there->second.begin());
    }
  }
  return take(allocation, ask.members.begin()->first);
}

void OpenRequests::rejected(const rm::RejectedRequest& rejected) {
  const std::optional<job::RequestContainer> request = granted(rejected.allocation, {}, {});
  if (!request.has_value()) {
    return;
  }
  const std::string constraint = constraint_of(request->role);
  const std::string_view words = rejected.reason == rm::RejectionReason::CouldNotPlace
                                     ? "could not place on node"
                                     : "could not schedule on node";
  deps_.tell(job::RequestRefused{
      request->request, job::RefusalKind::Transient,
      constraint.empty() ? std::string(words) : fmt::format("{} (`{}`)", words, constraint)});
}

void OpenRequests::refused(const Error& error) {
  const auto kind =
      error.code == Errc::NeverFits ? job::RefusalKind::NeverFits : job::RefusalKind::Forbidden;
  for (const auto& [allocation, ask] : asks_) {
    deps_.book.withdraw(allocation);
  }
  asks_.clear();
  for (const auto& [request, allocation] : std::exchange(asked_, {})) {
    deps_.tell(job::RequestRefused{request, kind, error.message});
  }
  deps_.book.refused();
}

void OpenRequests::take_headroom(const rm::Heartbeat& heartbeat) {
  if (!heartbeat.headroom.has_value()) {
    return;
  }
  const job::HeadroomReported now{
      .memory_bytes = static_cast<uint64_t>(std::max<int64_t>(heartbeat.headroom->memory_mb, 0))
                      << 20U,
      .vcores = static_cast<uint32_t>(std::max(heartbeat.headroom->vcores, 0)),
      .gpus = gpus_of(*heartbeat.headroom),
      .hosts = static_cast<uint32_t>(std::max(heartbeat.cluster_nodes, 0))};
  if (now != headroom_) {
    headroom_ = now;
    deps_.tell(now);
  }
}

std::string OpenRequests::waits_for() const {
  if (!queue_.has_value()) {
    return "the resource manager to answer";
  }
  const size_t open = waiting_.size() + asked_.size();
  if (open == 0) {
    return {};
  }
  const job::RequestContainer& first = asks_.empty()
                                           ? waiting_.begin()->second
                                           : asks_.begin()->second.members.begin()->second.request;
  const std::string constraint = constraint_of(first.role);
  return fmt::format("{} of {}{} from queue {}, which could grant {} MB and {} vcores now",
                     open == 1 ? std::string("a container") : fmt::format("{} containers", open),
                     to_string(resource_of(first.resources)),
                     constraint.empty() ? std::string() : fmt::format(" ({})", constraint),
                     queue_->name, headroom_.memory_bytes >> 20U, headroom_.vcores);
}

/// Returns the constraint as the user wrote it; "" for none.
std::string OpenRequests::constraint_of(job::RoleIndex role) const {
  const spec::Role* const found = spec::find_role(deps_.plan.spec, deps_.plan.role(role).name);
  return found == nullptr ? std::string() : found->constraint;
}

}  // namespace muster::cluster::yarn
