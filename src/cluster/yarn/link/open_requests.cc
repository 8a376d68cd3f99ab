#include "cluster/yarn/link/open_requests.h"

#include "cluster/yarn/link/container_end.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace muster::cluster::yarn {

namespace rm = hadoop::yarn;

namespace {

/// Where Hadoop puts hosts that no topology script speaks of.
constexpr std::string_view kDefaultRack = "/default-rack";

}  // namespace

void OpenRequests::registered(const rm::Registration& registration) {
  queue_ = {.name = registration.queue, .largest = registration.largest};
  for (const job::RequestContainer& request : std::exchange(early_, {})) {
    ask(request);
  }
}

void OpenRequests::ask(const job::RequestContainer& request) {
  if (!queue_.has_value()) {
    early_.push_back(request);
    return;
  }
  const rm::AllocationId allocation(request.request.value);
  if (open_.contains(allocation)) {
    return;
  }
  const rm::Resource each = resource_of(request.resources);
  const std::string& role = deps_.plan.role(request.role).name;
  if (const std::string reason = never_fits(each, queue_->largest); !reason.empty()) {
    deps_.tell(
        job::RequestRefused{request.request, job::RefusalKind::NeverFits, role + ": " + reason});
    return;
  }
  // The newest request knows best which hosts are not wanted.
  std::set<std::string> avoided;
  for (const job::HostName& host : request.avoid) {
    avoided.insert(host.value);
  }
  deps_.book.avoid(avoided);
  open_[allocation] = request;
  if (const auto placed = placements_.find(role); placed != placements_.end()) {
    deps_.book.ask_placed({.allocation = allocation,
                           .each = each,
                           .tags = placed->second.tags,
                           .constraint = placed->second.constraint});
  } else {
    deps_.book.ask({.allocation = allocation,
                    .each = each,
                    .node_label = request.node_label,
                    .preferred = places_of(request.prefer)});
  }
}

void OpenRequests::learn_rack(const std::string& host, const std::string& rack) {
  if (!rack.empty()) {
    racks_[host] = rack;
  }
}

// A wrong rack does no harm: the scheduler then overlooks the wish and grants any host.
std::vector<rm::HostAndRack> OpenRequests::places_of(
    const std::vector<job::HostName>& hosts) const {
  std::vector<rm::HostAndRack> places;
  for (const job::HostName& host : hosts) {
    const auto known = racks_.find(host.value);
    places.push_back({.host = host.value,
                      .rack = known == racks_.end() ? std::string(kDefaultRack) : known->second});
  }
  return places;
}

void OpenRequests::cancel(job::RequestId request) {
  std::erase_if(early_, [&](const auto& one) { return one.request == request; });
  const rm::AllocationId allocation(request.value);
  if (open_.erase(allocation) > 0) {
    deps_.book.withdraw(allocation);
  }
}

std::optional<job::RequestContainer> OpenRequests::granted(rm::AllocationId allocation) {
  auto found = open_.extract(allocation);
  return found.empty() ? std::nullopt : std::optional(std::move(found.mapped()));
}

void OpenRequests::rejected(const rm::RejectedRequest& rejected) {
  const std::optional<job::RequestContainer> request = granted(rejected.allocation);
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
  for (const auto& [allocation, request] : std::exchange(open_, {})) {
    deps_.book.withdraw(allocation);
    deps_.tell(job::RequestRefused{request.request, kind, error.message});
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
  if (open_.empty()) {
    return {};
  }
  const job::RequestContainer& first = open_.begin()->second;
  const std::string constraint = constraint_of(first.role);
  return fmt::format(
      "{} of {}{} from queue {}, which could grant {} MB and {} vcores now",
      open_.size() == 1 ? std::string("a container") : fmt::format("{} containers", open_.size()),
      to_string(resource_of(first.resources)),
      constraint.empty() ? std::string() : fmt::format(" ({})", constraint), queue_->name,
      headroom_.memory_bytes >> 20U, headroom_.vcores);
}

/// As the user wrote it; "" for none.
std::string OpenRequests::constraint_of(job::RoleIndex role) const {
  const spec::Role* const found = spec::find_role(deps_.plan.spec, deps_.plan.role(role).name);
  return found == nullptr ? std::string() : found->constraint;
}

}  // namespace muster::cluster::yarn
