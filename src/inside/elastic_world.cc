#include "inside/elastic_world.h"

#include <algorithm>
#include <utility>

namespace muster::inside {

void ElasticWorld::see(std::map<Index, std::string> view) { view_ = std::move(view); }

void ElasticWorld::arrive(Index index, uint64_t attempt) {
  Member& member = members_[index];
  if (attempt < member.attempt) {
    return;
  }
  member = {.attempt = attempt, .here = true, .waits = true, .is_new = true, .left_at = {}};
}

void ElasticWorld::ask_again(Index index) {
  Member& member = members_[index];
  member.here = true;
  member.waits = true;
}

void ElasticWorld::leave(Index index, uint64_t attempt) {
  const auto found = members_.find(index);
  if (found == members_.end() || found->second.attempt != attempt) {
    return;
  }
  const auto seen = view_.find(index);
  found->second.here = false;
  found->second.waits = false;
  found->second.left_at = seen == view_.end() ? "" : seen->second;
}

bool ElasticWorld::awaited(Index index, bool without_late) const {
  const auto found = members_.find(index);
  if (found != members_.end() && found->second.here) {
    return !found->second.waits;
  }
  // Not here: a member on its way is in the view, under an address that no member has left.
  const auto seen = view_.find(index);
  const bool comes =
      seen != view_.end() && (found == members_.end() || found->second.left_at != seen->second);
  return comes && !without_late;
}

bool ElasticWorld::settle(bool without_late) {
  std::vector<Index> waiting;
  for (const auto& [index, member] : members_) {
    if (member.waits) {
      waiting.push_back(index);
    } else if (awaited(index, without_late)) {
      return false;
    }
  }
  const bool all_came = std::ranges::none_of(
      view_, [&](const auto& one) { return awaited(one.first, without_late); });
  if (!all_came || waiting.empty() || waiting.size() < members_min_) {
    return false;
  }
  const auto order = [&](Index index) {
    const auto before = std::ranges::find(ranks_, index);
    const bool is_new = members_[index].is_new || before == ranks_.end();
    return std::pair(is_new, is_new ? static_cast<ptrdiff_t>(index) : before - ranks_.begin());
  };
  std::ranges::sort(waiting, {}, order);
  ranks_ = std::move(waiting);
  for (const Index index : ranks_) {
    members_[index].waits = false;
    members_[index].is_new = false;
  }
  ++round_;
  return true;
}

std::optional<ElasticWorld::Place> ElasticWorld::place_of(Index index) const {
  const auto found = std::ranges::find(ranks_, index);
  const auto member = members_.find(index);
  if (found == ranks_.end() || member == members_.end() || member->second.is_new) {
    return std::nullopt;
  }
  return Place{.rank = static_cast<size_t>(found - ranks_.begin()), .size = ranks_.size()};
}

bool ElasticWorld::waits(Index index) const {
  const auto found = members_.find(index);
  return found != members_.end() && found->second.waits;
}

std::vector<ElasticWorld::Index> ElasticWorld::newcomers() const {
  std::vector<Index> found;
  for (const auto& [index, member] : members_) {
    if (member.waits && member.is_new) {
      found.push_back(index);
    }
  }
  return found;
}

}  // namespace muster::inside
