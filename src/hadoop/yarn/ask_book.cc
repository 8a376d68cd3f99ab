#include "hadoop/yarn/ask_book.h"

#include "base/check.h"

#include <algorithm>
#include <utility>

namespace muster::hadoop::yarn {
namespace {

// Rows of withdrawn requests have served once the resource manager has read them.
template <class Requests>
void drop_spent(Requests& requests, const std::set<AllocationId>& keep) {
  std::erase_if(requests, [&](const auto& entry) {
    return entry.second.count == 0 && !keep.contains(entry.first);
  });
}

}  // namespace

void AskBook::ask(ContainerRequest request) {
  const auto allocation = request.allocation;
  MUSTER_CHECK(allocation.value > 0, "an allocation id is above 0");
  MUSTER_CHECK(request.count >= 0, "nobody wants less than nothing");
  requests_.insert_or_assign(allocation, std::move(request));
  changed_.insert(allocation);
}

void AskBook::ask_placed(SchedulingRequest request) {
  const auto allocation = request.allocation;
  MUSTER_CHECK(allocation.value > 0, "an allocation id is above 0");
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

void AskBook::avoid(const std::string& host) {
  if (avoided_.insert(host).second) {
    to_readmit_.erase(host);
    to_avoid_.insert(host);
  }
}

void AskBook::readmit(const std::string& host) {
  if (avoided_.erase(host) > 0) {
    to_avoid_.erase(host);
    to_readmit_.insert(host);
  }
}

void AskBook::change(ContainerUpdate update) {
  const auto container = update.container;
  updates_.insert_or_assign(container, std::move(update));
  to_update_.insert(container);
}

const AllocateAsk& AskBook::begin(float progress) {
  if (!in_flight_) {
    in_flight_.emplace();
    in_flight_->response_id = response_id_;
    take_changes(*in_flight_);
  }
  in_flight_->progress = progress;
  return *in_flight_;
}

void AskBook::take_changes(AllocateAsk& ask) {
  for (const auto allocation : std::exchange(changed_, {})) {
    if (const auto found = requests_.find(allocation); found != requests_.end()) {
      std::ranges::move(rows_of(found->second), std::back_inserter(ask.asks));
    }
  }
  // Not both in one: the scheduler passes over the second kind as soon as the first is there.
  if (ask.asks.empty()) {
    for (const auto allocation : std::exchange(changed_placed_, {})) {
      if (const auto found = placed_.find(allocation); found != placed_.end()) {
        ask.scheduling.push_back(found->second);
      }
    }
  }
  for (const auto& container : std::exchange(to_update_, {})) {
    if (const auto found = updates_.find(container); found != updates_.end()) {
      ask.updates.push_back(found->second);
    }
  }
  const auto releases = std::exchange(to_release_, {});
  ask.releases.assign(releases.begin(), releases.end());
  const auto avoid = std::exchange(to_avoid_, {});
  ask.avoid.assign(avoid.begin(), avoid.end());
  const auto readmit = std::exchange(to_readmit_, {});
  ask.readmit.assign(readmit.begin(), readmit.end());
  ask.tracking_url = std::exchange(page_, {});
}

void AskBook::note_taken() {
  if (!in_flight_) {
    return;
  }
  for (const auto& row : in_flight_->asks) {
    taken_.insert(row.allocation);
  }
  for (const auto& request : in_flight_->scheduling) {
    taken_.insert(request.allocation);
  }
}

Harvest AskBook::accept(const AllocateAnswer& answer) {
  note_taken();
  in_flight_.reset();
  response_id_ = answer.response_id;
  Harvest harvest;
  for (const auto& grant : answer.granted) {
    if (!granted_.insert(grant.id).second) {
      continue;
    }
    if (matches(grant)) {
      harvest.granted.push_back(grant);
      continue;
    }
    release(grant.id);
    harvest.surplus.push_back(grant);
  }
  for (const auto& status : answer.completed) {
    releasing_.erase(status.id);
    to_release_.erase(status.id);
    updates_.erase(status.id);
    if (completed_.insert(status.id).second) {
      harvest.completed.push_back(status);
    }
  }
  adopt(answer.from_previous_attempts);
  note_updates(answer);
  note_rejected(answer, harvest);
  drop_spent(requests_, changed_);
  drop_spent(placed_, changed_placed_);
  std::erase_if(taken_, [&](AllocationId allocation) {
    return !requests_.contains(allocation) && !placed_.contains(allocation);
  });
  return harvest;
}

// Counts the grant against its request. The resource manager has lowered its own count already, so
// that nothing is to be told.
bool AskBook::matches(const Grant& grant) {
  if (const auto found = requests_.find(grant.allocation);
      found != requests_.end() && found->second.count > 0) {
    --found->second.count;
    return true;
  }
  if (const auto found = placed_.find(grant.allocation);
      found != placed_.end() && found->second.count > 0) {
    --found->second.count;
    return true;
  }
  return false;
}

void AskBook::note_updates(const AllocateAnswer& answer) {
  for (const auto& updated : answer.updated) {
    updates_.erase(updated.container.id);
  }
  for (const auto& error : answer.update_errors) {
    updates_.erase(error.update.container);
  }
}

void AskBook::note_rejected(const AllocateAnswer& answer, Harvest& harvest) {
  for (const auto& rejected : answer.rejected) {
    const auto found = placed_.find(rejected.request.allocation);
    if (found != placed_.end() && found->second.count > 0) {
      found->second.count = std::max(found->second.count - rejected.request.count, 0);
      harvest.rejected.push_back(rejected);
    }
  }
}

void AskBook::refused() {
  if (!in_flight_) {
    return;
  }
  const auto say_again = [this](auto& requests, AllocationId allocation, auto& changed) {
    const auto found = requests.find(allocation);
    if (found == requests.end()) {
      return;
    }
    if (found->second.count == 0 && !taken_.contains(allocation)) {
      // It is not known there, and might be what is refused.
      requests.erase(found);
      changed.erase(allocation);
    } else {
      changed.insert(allocation);
    }
  };
  const AllocateAsk said = *std::exchange(in_flight_, std::nullopt);
  for (const auto& row : said.asks) {
    say_again(requests_, row.allocation, changed_);
  }
  for (const auto& request : said.scheduling) {
    say_again(placed_, request.allocation, changed_placed_);
  }
  for (const auto& update : said.updates) {
    to_update_.insert(update.container);
  }
  to_release_.insert(said.releases.begin(), said.releases.end());
  for (const auto& host : said.avoid) {
    if (avoided_.contains(host)) {
      to_avoid_.insert(host);
    }
  }
  for (const auto& host : said.readmit) {
    if (!avoided_.contains(host)) {
      to_readmit_.insert(host);
    }
  }
  if (page_.empty()) {
    page_ = said.tracking_url;
  }
}

void AskBook::resync() {
  in_flight_.reset();
  taken_.clear();
  response_id_ = 0;
  // What was withdrawn was forgotten with the rest.
  drop_spent(requests_, {});
  drop_spent(placed_, {});
  changed_.clear();
  for (const auto& [allocation, request] : requests_) {
    changed_.insert(allocation);
  }
  changed_placed_.clear();
  for (const auto& [allocation, request] : placed_) {
    changed_placed_.insert(allocation);
  }
  to_update_.clear();
  for (const auto& [container, update] : updates_) {
    to_update_.insert(container);
  }
  to_release_ = releasing_;
  to_avoid_ = avoided_;
  to_readmit_.clear();
}

void AskBook::adopt(const std::vector<Grant>& grants) {
  for (const auto& grant : grants) {
    granted_.insert(grant.id);
  }
}

bool AskBook::has_changes() const {
  return !changed_.empty() || !changed_placed_.empty() || !to_release_.empty() ||
         !to_avoid_.empty() || !to_readmit_.empty() || !to_update_.empty() || !page_.empty();
}

int64_t AskBook::wanted() const {
  int64_t count = 0;
  for (const auto& [allocation, request] : requests_) {
    count += request.count;
  }
  for (const auto& [allocation, request] : placed_) {
    count += request.count;
  }
  return count;
}

}  // namespace muster::hadoop::yarn
