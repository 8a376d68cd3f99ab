#include "framework/seat.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

namespace muster::framework {
namespace {

std::vector<const job::Member*> ranked_members(const job::Plan& plan, const job::View& view) {
  std::vector<const job::Member*> ranks;
  for (const job::Member& member : view.members) {
    if (plan.role(member.task.role).ranked) {
      ranks.push_back(&member);
    }
  }
  std::ranges::sort(ranks, [&](const job::Member* a, const job::Member* b) {
    const bool a_leads = plan.chief == a->task;
    const bool b_leads = plan.chief == b->task;
    return a_leads != b_leads ? a_leads : a->task < b->task;
  });
  return ranks;
}

/// A role with members has at least as many as it needs; one without any is waiting for others, or
/// has ended.
bool is_complete(const job::Plan& plan, const job::View& view) {
  std::vector<uint32_t> present(plan.roles.size(), 0);
  for (const job::Member& member : view.members) {
    ++present[member.task.role.value];
  }
  for (size_t i = 0; i < plan.roles.size(); ++i) {
    if (present[i] != 0 && present[i] < plan.roles[i].tasks_min) {
      return false;
    }
  }
  return true;
}

}  // namespace

std::optional<size_t> Seat::rank() const {
  const auto own = std::ranges::find(ranks, &self);
  if (own == ranks.end()) {
    return std::nullopt;
  }
  return static_cast<size_t>(own - ranks.begin());
}

Result<Seat> find_seat(const job::Plan& plan, const job::View& view, const TaskContext& context) {
  const auto self = std::ranges::find(view.members, context.task, &job::Member::task);
  if (self == view.members.end()) {
    return bug(fmt::format("generation {} does not list {}", view.generation.value,
                           to_string(plan, context.task)));
  }
  return Seat{.plan = plan,
              .view = view,
              .context = context,
              .role = plan.role(context.task.role),
              .self = *self,
              .ranks = ranked_members(plan, view),
              .complete = is_complete(plan, view)};
}

job::ContainerId rank_group_of(const Seat& seat, const job::Member& member) {
  return seat.plan.role(member.task.role).shares_gpus ? job::ContainerId() : member.container;
}

std::vector<const job::Member*> local_ranks(const Seat& seat, const job::Member& member) {
  const job::ContainerId group = rank_group_of(seat, member);
  std::vector<const job::Member*> local;
  std::ranges::copy_if(seat.ranks, std::back_inserter(local),
                       [&](const job::Member* one) { return rank_group_of(seat, *one) == group; });
  if (!group.value.empty()) {
    std::ranges::sort(local, {},
                      [](const job::Member* one) { return std::pair(one->slot, one->task); });
  }
  return local;
}

std::vector<job::ContainerId> rank_groups(const Seat& seat) {
  std::vector<job::ContainerId> groups;
  for (const job::Member* member : seat.ranks) {
    const job::ContainerId group = rank_group_of(seat, *member);
    if (std::ranges::find(groups, group) == groups.end()) {
      groups.push_back(group);
    }
  }
  return groups;
}

std::optional<Cross> cross_of(const Seat& seat) {
  if (!seat.rank()) {
    return std::nullopt;
  }
  const auto place = [&](const job::Member& member) {
    const std::vector<const job::Member*> local = local_ranks(seat, member);
    return std::ranges::find(local, &member) - local.begin();
  };
  // In one pass: a job may have thousands of groups.
  std::map<job::ContainerId, ptrdiff_t> sizes;
  for (const job::Member* member : seat.ranks) {
    ++sizes[rank_group_of(seat, *member)];
  }
  const ptrdiff_t own_place = place(seat.self);
  const job::ContainerId own = rank_group_of(seat, seat.self);
  Cross cross;
  for (const job::ContainerId& group : rank_groups(seat)) {
    if (sizes[group] > own_place) {
      cross.rank = group == own ? cross.size : cross.rank;
      ++cross.size;
    }
  }
  return cross;
}

std::string endpoint(const job::Address& address) {
  const bool literal = address.host.find(':') != std::string::npos;
  return literal ? fmt::format("[{}]:{}", address.host, address.port)
                 : fmt::format("{}:{}", address.host, address.port);
}

}  // namespace muster::framework
