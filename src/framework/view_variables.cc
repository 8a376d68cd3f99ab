#include "framework/view_variables.h"

#include "base/check.h"
#include "spec/view_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace muster::framework {
namespace {

using spec::ViewFact;
using spec::ViewPlace;

/// Returns the tasks of a role that are in the view, or all ranks, in order.
std::vector<const job::Member*> tasks_in(const Seat& seat, const std::string& role) {
  if (role == spec::kRanks) {
    return seat.ranks;
  }
  std::vector<const job::Member*> members;
  for (const job::Member& member : seat.view.members) {
    if (seat.plan.role(member.task.role).name == role) {
      members.push_back(&member);
    }
  }
  return members;
}

/// Returns nullptr if it is not in the view.
const job::Member* member_at(const Seat& seat, const ViewPlace& place) {
  if (place.role.empty()) {
    return &seat.self;
  }
  const std::vector<const job::Member*> members = tasks_in(seat, place.role);
  if (place.role == spec::kRanks) {
    return *place.index < members.size() ? members[*place.index] : nullptr;
  }
  const auto found = std::ranges::find(
      members, *place.index, [](const job::Member* member) { return member->task.index; });
  return found == members.end() ? nullptr : *found;
}

std::string joined(const std::vector<const job::Member*>& members,
                   std::string (*text)(const job::Address&)) {
  std::vector<std::string> texts;
  for (const job::Member* member : members) {
    texts.push_back(text(member->address));
  }
  return fmt::format("{}", fmt::join(texts, ","));
}

std::string host_of(const job::Address& address) { return address.host; }

/// Returns the number of the task's group among those that have a rank of the same local place, or
/// the count of those groups.
std::optional<std::string> cross_fact(const Seat& seat, ViewFact fact) {
  const std::optional<Cross> cross = cross_of(seat);
  if (!cross) {
    return std::nullopt;
  }
  return fmt::to_string(fact == ViewFact::CrossRank ? cross->rank : cross->size);
}

std::optional<std::string> local_fact(const Seat& seat, ViewFact fact) {
  if (!seat.rank()) {
    return std::nullopt;
  }
  const std::vector<const job::Member*> local = local_ranks(seat, seat.self);
  return fact == ViewFact::LocalSize
             ? fmt::to_string(local.size())
             : fmt::to_string(std::ranges::find(local, &seat.self) - local.begin());
}

/// Returns how many tasks the role needs, or how many have a rank.
std::optional<std::string> least_of(const Seat& seat, const std::string& role) {
  uint32_t least = 0;
  for (const job::RolePlan& one : seat.plan.roles) {
    least += (role == spec::kRanks ? one.ranked : one.name == role) ? one.tasks_min : 0;
  }
  return fmt::to_string(least);
}

/// Returns the value for the placeholder; nullopt if the view has none.
std::optional<std::string> filled(const Seat& seat, const ViewPlace& place) {
  const job::Member* member = nullptr;
  switch (place.fact) {
    case ViewFact::Host:
    case ViewFact::Port:
    case ViewFact::Address:
    case ViewFact::NamedPort: {
      member = member_at(seat, place);
      if (member == nullptr) {
        return std::nullopt;
      }
      if (place.fact == ViewFact::Host) {
        return member->address.host;
      }
      if (place.fact == ViewFact::Port) {
        return fmt::to_string(member->address.port);
      }
      if (place.fact == ViewFact::Address) {
        return endpoint(member->address);
      }
      const auto port = member->address.named_ports.find(place.port);
      return port == member->address.named_ports.end()
                 ? std::nullopt
                 : std::optional(fmt::to_string(port->second));
    }
    case ViewFact::Count:
      return fmt::to_string(tasks_in(seat, place.role).size());
    case ViewFact::Min:
      return least_of(seat, place.role);
    case ViewFact::Hosts:
      return joined(tasks_in(seat, place.role), host_of);
    case ViewFact::Addresses:
      return joined(tasks_in(seat, place.role), endpoint);
    case ViewFact::Role:
      return seat.role.name;
    case ViewFact::Index:
      return fmt::to_string(seat.self.task.index);
    case ViewFact::Rank:
      return seat.rank() ? std::optional(fmt::to_string(*seat.rank())) : std::nullopt;
    case ViewFact::WorldSize:
      return fmt::to_string(seat.ranks.size());
    case ViewFact::LocalRank:
    case ViewFact::LocalSize:
      return local_fact(seat, place.fact);
    case ViewFact::CrossRank:
    case ViewFact::CrossSize:
      return cross_fact(seat, place.fact);
    case ViewFact::Job:
      return seat.plan.job.value;
    case ViewFact::Generation:
      return fmt::to_string(seat.view.generation.value);
    case ViewFact::Program:
      return seat.context.program;
    case ViewFact::Interface:
      return seat.context.interface.empty() ? std::nullopt : std::optional(seat.context.interface);
  }
  MUSTER_CHECK(false, "unknown ViewFact");
}

Result<std::optional<std::string>> filled(const Seat& seat, const std::string& name,
                                          const std::string& text) {
  Result<std::vector<spec::ViewPiece>> pieces = spec::parse_view_text(text);
  if (!pieces.has_value()) {
    return std::move(pieces).error().within("variables." + name);
  }
  std::string whole;
  for (const spec::ViewPiece& piece : *pieces) {
    whole += piece.text;
    if (!piece.place) {
      continue;
    }
    const std::optional<std::string> value = filled(seat, *piece.place);
    if (!value) {
      return std::optional<std::string>();
    }
    whole += *value;
  }
  return std::optional(std::move(whole));
}

}  // namespace

Status add_view_variables(const Seat& seat, Variables& variables) {
  const spec::Role* const role = spec::find_role(seat.plan.spec, seat.role.name);
  MUSTER_CHECK(role != nullptr, "the plan has a role that its spec lacks");
  const auto add = [&](const spec::ViewVariables& texts) -> Status {
    for (const auto& [name, text] : texts) {
      if (role->env.contains(name) || seat.plan.spec.env.contains(name)) {
        continue;
      }
      MUSTER_TRY(const std::optional<std::string> value, filled(seat, name, text));
      if (value) {
        variables[name] = *value;
      }
    }
    return {};
  };
  MUSTER_TRY_STATUS(add(seat.plan.spec.variables));
  return add(role->variables);
}

}  // namespace muster::framework
