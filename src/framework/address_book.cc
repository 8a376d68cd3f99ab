#include "framework/address_book.h"

#include "base/text.h"
#include "framework/seat.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

namespace muster::framework {
namespace {

using Entries = std::vector<std::string>;

/// Returns, by role and index, the quoted address, or "".
std::vector<Entries> entries_of(const job::Plan& plan, const job::View& view) {
  std::vector<Entries> roles(plan.roles.size());
  for (const job::Member& member : view.members) {
    Entries& entries = roles[member.task.role.value];
    if (entries.size() <= member.task.index) {
      entries.resize(member.task.index + 1);
    }
    entries[member.task.index] = json_quote(endpoint(member.address));
  }
  return roles;
}

std::string as_list(const Entries& entries) {
  std::string out;
  for (const std::string& entry : entries) {
    out += out.empty() ? "" : ",";
    out += entry.empty() ? "null" : entry;
  }
  return "[" + out + "]";
}

std::string as_object(const Entries& entries) {
  std::string out;
  for (size_t i = 0; i < entries.size(); ++i) {
    if (!entries[i].empty()) {
      out += out.empty() ? "" : ",";
      out += fmt::format("\"{}\":{}", i, entries[i]);
    }
  }
  return "{" + out + "}";
}

void append_role(std::string& out, const std::string& name, std::string_view addresses) {
  out += out.empty() ? "" : ",";
  out += json_quote(name);
  out += ':';
  out += addresses;
}

}  // namespace

std::string view_json(const job::Plan& plan, const job::View& view) {
  std::vector<Entries> roles = entries_of(plan, view);
  std::string out;
  for (size_t i = 0; i < roles.size(); ++i) {
    if (roles[i].size() < plan.roles[i].tasks_min) {
      roles[i].resize(plan.roles[i].tasks_min);
    }
    append_role(out, plan.roles[i].name, as_list(roles[i]));
  }
  return "{" + out + "}";
}

std::string cluster_json(const job::Plan& plan, const job::View& view, Gaps gaps,
                         const std::function<bool(const job::RolePlan&)>& wanted) {
  std::vector<Entries> roles = entries_of(plan, view);
  std::string out;
  for (size_t i = 0; i < roles.size(); ++i) {
    Entries& entries = roles[i];
    if (entries.empty() || !wanted(plan.roles[i])) {
      continue;
    }
    const bool indexed = gaps == Gaps::Index && std::ranges::count(entries, "") > 0;
    if (gaps == Gaps::Skip) {
      std::erase(entries, "");
    }
    append_role(out, plan.roles[i].name, indexed ? as_object(entries) : as_list(entries));
  }
  return "{" + out + "}";
}

}  // namespace muster::framework
