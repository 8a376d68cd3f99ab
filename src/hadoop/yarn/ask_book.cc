#include "hadoop/yarn/ask_book.h"

#include "base/check.h"
#include "hadoop/yarn/placement_codec.h"
#include "hadoop/yarn/record_codec.h"
#include "hadoop/yarn_master.pb.h"

#include <algorithm>
#include <utility>

namespace muster::hadoop::yarn {
namespace {

// The name of the row that means any host.
constexpr const char* kAnywhere = "*";

// Rows of withdrawn requests are no longer needed once the resource manager has read them.
template <class Requests>
void drop_spent(Requests& requests, const std::set<AllocationId>& keep) {
  std::erase_if(requests, [&](const auto& entry) {
    return entry.second.count == 0 && !keep.contains(entry.first);
  });
}

template <class Requests>
std::set<AllocationId> keys_of(const Requests& requests) {
  std::set<AllocationId> keys;
  for (const auto& [allocation, request] : requests) {
    keys.insert(allocation);
  }
  return keys;
}

// Counts a grant against its request. The resource manager has lowered its own count already, so
// there is nothing to report.
template <class Requests>
bool take_one(Requests& requests, AllocationId allocation) {
  const auto found = requests.find(allocation);
  if (found == requests.end() || found->second.count == 0) {
    return false;
  }
  --found->second.count;
  return true;
}

enum class Width : uint8_t { Host, Wider };

void encode_row(const ContainerRequest& from, const std::string& place, Width width, int32_t count,
                pb::ResourceRequest* to) {
  to->mutable_priority()->set_priority(0);
  to->set_resource_name(place);
  encode(from.each, to->mutable_capability());
  to->set_num_containers(std::min(count, from.count));
  // On the rows of a rack and of "*": whether they will do if a host was asked for.
  to->set_relax_locality(width == Width::Host || !from.only_there);
  // The scheduler refuses labels on the rows of hosts and racks.
  if (!from.node_label.empty() && place == kAnywhere) {
    to->set_node_label_expression(from.node_label);
  }
  to->mutable_execution_type_request()->set_execution_type(pb::EXECUTION_TYPE_GUARANTEED);
  to->set_allocation_request_id(from.allocation.value);
}

// A host is considered only if its rack and "*" are asked for as well.
void encode_rows(const ContainerRequest& from, pb::AllocateRequest& ask) {
  std::map<std::string, int32_t> racks;
  for (const auto& place : from.preferred) {
    encode_row(from, place.host, Width::Host, place.count, ask.add_ask());
    racks[place.rack] += place.count;
  }
  for (const auto& [rack, count] : racks) {
    encode_row(from, rack, Width::Wider, count, ask.add_ask());
  }
  encode_row(from, kAnywhere, Width::Wider, from.count, ask.add_ask());
}

/// Rows are absolute: those of hosts that are no longer preferred are sent with a count of 0.
void keep_hosts_of(const ContainerRequest& before, ContainerRequest& now) {
  for (const auto& place : before.preferred) {
    if (std::ranges::find(now.preferred, place.host, &PreferredHost::host) == now.preferred.end()) {
      now.preferred.push_back({.host = place.host, .rack = place.rack, .count = 0});
    }
  }
}

/// The scheduler has lowered the rows of the host and its rack as well.
void take_host(ContainerRequest& from, const NodeId& node) {
  for (auto& place : from.preferred) {
    if (place.count > 0 && (place.host == node.host || place.host == to_string(node))) {
      --place.count;
    }
  }
}

void encode_placed(const SchedulingRequest& from, pb::SchedulingRequest* to) {
  to->set_allocation_request_id(from.allocation.value);
  to->mutable_priority()->set_priority(0);
  to->mutable_execution_type()->set_execution_type(pb::EXECUTION_TYPE_GUARANTEED);
  for (const auto& tag : from.tags) {
    to->add_allocation_tags(tag);
  }
  to->mutable_resource_sizing()->set_num_allocations(from.count);
  encode(from.each, to->mutable_resource_sizing()->mutable_resources());
  if (from.constraint) {
    encode(*from.constraint, to->mutable_placement_constraint());
  }
}

}  // namespace

AskBook::AskBook() = default;

AskBook::~AskBook() = default;

void AskBook::ask(ContainerRequest request) {
  const auto allocation = request.allocation;
  MUSTER_CHECK(allocation.value > 0, "an allocation id must be above 0");
  MUSTER_CHECK(request.count >= 0, "a count is 0 or more");
  if (const auto found = requests_.find(allocation); found != requests_.end()) {
    keep_hosts_of(found->second, request);
  }
  requests_.insert_or_assign(allocation, std::move(request));
  changed_.insert(allocation);
}

void AskBook::ask_placed(SchedulingRequest request) {
  const auto allocation = request.allocation;
  MUSTER_CHECK(allocation.value > 0, "an allocation id must be above 0");
  placed_.insert_or_assign(allocation, std::move(request));
  changed_placed_.insert(allocation);
}

void AskBook::withdraw(AllocationId allocation) {
  if (const auto found = requests_.find(allocation);
      found != requests_.end() && found->second.count > 0) {
    found->second.count = 0;
    changed_.insert(allocation);
  }
  if (const auto found = placed_.find(allocation);
      found != placed_.end() && found->second.count > 0) {
    found->second.count = 0;
    changed_placed_.insert(allocation);
  }
}

void AskBook::release(const ContainerId& container) {
  if (!completed_.contains(container) && releasing_.insert(container).second) {
    to_release_.insert(container);
  }
}

void AskBook::avoid(const std::set<std::string>& hosts) {
  for (const auto& host : hosts) {
    if (!avoided_.contains(host)) {
      to_readmit_.erase(host);
      to_avoid_.insert(host);
    }
  }
  for (const auto& host : avoided_) {
    if (!hosts.contains(host)) {
      to_avoid_.erase(host);
      to_readmit_.insert(host);
    }
  }
  avoided_ = hosts;
}

const pb::AllocateRequest& AskBook::begin() {
  if (in_flight_ == nullptr) {
    in_flight_ = std::make_unique<pb::AllocateRequest>();
    in_flight_->set_response_id(response_id_);
    in_flight_->set_progress(0);
    take_changes(*in_flight_);
  }
  return *in_flight_;
}

void AskBook::take_changes(pb::AllocateRequest& ask) {
  for (const auto allocation : std::exchange(changed_, {})) {
    if (const auto found = requests_.find(allocation); found != requests_.end()) {
      encode_rows(found->second, ask);
    }
  }
  // Not both in one heartbeat: the scheduler ignores the second kind as soon as the first is
  // present.
  if (ask.ask().empty()) {
    for (const auto allocation : std::exchange(changed_placed_, {})) {
      if (const auto found = placed_.find(allocation); found != placed_.end()) {
        encode_placed(found->second, ask.add_scheduling_requests());
      }
    }
  }
  for (const auto& container : std::exchange(to_release_, {})) {
    encode(container, ask.add_release());
  }
  for (const auto& host : std::exchange(to_avoid_, {})) {
    ask.mutable_blacklist_request()->add_blacklist_additions(host);
  }
  for (const auto& host : std::exchange(to_readmit_, {})) {
    ask.mutable_blacklist_request()->add_blacklist_removals(host);
  }
}

void AskBook::note_taken() {
  if (in_flight_ == nullptr) {
    return;
  }
  for (const auto& row : in_flight_->ask()) {
    taken_.insert(AllocationId(row.allocation_request_id()));
  }
  for (const auto& request : in_flight_->scheduling_requests()) {
    taken_.insert(AllocationId(request.allocation_request_id()));
  }
}

/// Returns the requests that the resource manager knew before and that the heartbeat under way
/// restates.
std::set<AllocationId> AskBook::restated() const {
  std::set<AllocationId> allocations;
  if (in_flight_ != nullptr) {
    for (const auto& row : in_flight_->ask()) {
      if (const AllocationId allocation(row.allocation_request_id()); taken_.contains(allocation)) {
        allocations.insert(allocation);
      }
    }
  }
  return allocations;
}

Harvest AskBook::accept(const pb::AllocateResponse& answer) {
  const auto overwritten = restated();
  note_taken();
  in_flight_.reset();
  response_id_ = answer.response_id();
  Harvest harvest;
  take_granted(answer, harvest);
  take_completed(answer, harvest);
  take_rejected(answer, harvest);
  // What the resource manager had granted but not yet reported was not deducted from the count that
  // we sent it.
  for (const auto& grant : harvest.granted) {
    if (overwritten.contains(grant.allocation)) {
      changed_.insert(grant.allocation);
    }
  }
  drop_spent(requests_, changed_);
  drop_spent(placed_, changed_placed_);
  std::erase_if(taken_, [&](AllocationId allocation) {
    return !requests_.contains(allocation) && !placed_.contains(allocation);
  });
  return harvest;
}

void AskBook::take_granted(const pb::AllocateResponse& answer, Harvest& harvest) {
  for (const auto& container : answer.allocated_containers()) {
    auto grant = decode(container);
    if (!granted_.insert(grant.id).second) {
      continue;
    }
    if (matches(grant)) {
      harvest.granted.push_back(std::move(grant));
    } else {
      release(grant.id);  // Too many, or too late.
    }
  }
}

void AskBook::take_completed(const pb::AllocateResponse& answer, Harvest& harvest) {
  for (const auto& one : answer.completed_container_statuses()) {
    auto status = decode(one);
    releasing_.erase(status.id);
    to_release_.erase(status.id);
    if (completed_.insert(status.id).second) {
      harvest.completed.push_back(std::move(status));
    }
  }
}

bool AskBook::matches(const Grant& grant) {
  if (take_one(requests_, grant.allocation)) {
    take_host(requests_.at(grant.allocation), grant.node);
    return true;
  }
  return take_one(placed_, grant.allocation);
}

void AskBook::take_rejected(const pb::AllocateResponse& answer, Harvest& harvest) {
  for (const auto& rejected : answer.rejected_scheduling_requests()) {
    const AllocationId allocation(rejected.request().allocation_request_id());
    const auto found = placed_.find(allocation);
    if (found != placed_.end() && found->second.count > 0) {
      const auto count = rejected.request().resource_sizing().num_allocations();
      found->second.count = std::max(found->second.count - count, 0);
      const bool unplaced = rejected.reason() == pb::REJECTION_REASON_COULD_NOT_PLACE_ON_NODE;
      harvest.rejected.push_back({.allocation = allocation,
                                  .reason = unplaced ? RejectionReason::CouldNotPlace
                                                     : RejectionReason::CouldNotSchedule});
    }
  }
}

void AskBook::refused() {
  if (in_flight_ == nullptr) {
    return;
  }
  const auto say_again = [this](auto& requests, AllocationId allocation, auto& changed) {
    const auto found = requests.find(allocation);
    if (found == requests.end()) {
      return;
    }
    if (found->second.count == 0 && !taken_.contains(allocation)) {
      // The request is not known there, and might be what was refused.
      requests.erase(found);
      changed.erase(allocation);
    } else {
      changed.insert(allocation);
    }
  };
  const auto said = std::exchange(in_flight_, nullptr);
  for (const auto& row : said->ask()) {
    say_again(requests_, AllocationId(row.allocation_request_id()), changed_);
  }
  for (const auto& request : said->scheduling_requests()) {
    say_again(placed_, AllocationId(request.allocation_request_id()), changed_placed_);
  }
  for (const auto& container : said->release()) {
    to_release_.insert(decode(container));
  }
  for (const auto& host : said->blacklist_request().blacklist_additions()) {
    if (avoided_.contains(host)) {
      to_avoid_.insert(host);
    }
  }
  for (const auto& host : said->blacklist_request().blacklist_removals()) {
    if (!avoided_.contains(host)) {
      to_readmit_.insert(host);
    }
  }
}

void AskBook::resync() {
  in_flight_.reset();
  taken_.clear();
  response_id_ = 0;
  // Withdrawn requests were forgotten with the rest.
  drop_spent(requests_, {});
  drop_spent(placed_, {});
  changed_ = keys_of(requests_);
  changed_placed_ = keys_of(placed_);
  to_release_ = releasing_;
  to_avoid_ = avoided_;
  to_readmit_.clear();
}

void AskBook::adopt(const std::vector<Grant>& grants) {
  for (const auto& grant : grants) {
    granted_.insert(grant.id);
  }
}

}  // namespace muster::hadoop::yarn
