#include "hadoop/access_list.h"

#include "base/text.h"

#include <vector>

namespace muster::hadoop {
namespace {

constexpr std::string_view kEverybody = "*";
constexpr std::string_view kGroup = "group:";

void add_names(std::string_view text, std::set<std::string>& names) {
  for (const std::string_view part : split(text, ',')) {
    if (const std::string_view name = trim(part); !name.empty()) {
      names.emplace(name);
    }
  }
}

std::string joined(const std::set<std::string>& names) {
  return join(std::vector<std::string>(names.begin(), names.end()), ",");
}

}  // namespace

AccessList parse_access_list(std::string_view text) {
  AccessList list;
  if (trim(text) == kEverybody) {
    list.everybody = true;
    return list;
  }
  // A list of only groups begins with the space.
  const size_t space = text.find(' ');
  add_names(text.substr(0, space), list.users);
  if (space != std::string_view::npos) {
    add_names(text.substr(space + 1), list.groups);
  }
  return list;
}

AccessList access_list_of(std::span<const std::string> names) {
  AccessList list;
  for (const std::string& name : names) {
    if (name == kEverybody) {
      list.everybody = true;
    } else if (name.starts_with(kGroup)) {
      list.groups.insert(name.substr(kGroup.size()));
    } else {
      list.users.insert(name);
    }
  }
  return list;
}

std::string to_text(const AccessList& list) {
  if (list.everybody) {
    return std::string(kEverybody);
  }
  const std::string users = joined(list.users);
  return list.groups.empty() ? users : users + " " + joined(list.groups);
}

AccessList either(AccessList one, const AccessList& other) {
  one.everybody = one.everybody || other.everybody;
  one.users.insert(other.users.begin(), other.users.end());
  one.groups.insert(other.groups.begin(), other.groups.end());
  return one;
}

}  // namespace muster::hadoop
