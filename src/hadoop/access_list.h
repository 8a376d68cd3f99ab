#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>

namespace muster::hadoop {

/// The users and groups that an access control list admits.
struct AccessList {
  bool everybody = false;
  std::set<std::string> users;
  std::set<std::string> groups;
  bool operator==(const AccessList&) const = default;

  /// Without considering groups.
  [[nodiscard]] bool names(std::string_view user) const {
    return everybody || users.contains(std::string(user));
  }
};

/// Reads a list as Hadoop writes it: "user,user group,group"; "*" is everybody, " " nobody.
[[nodiscard]] AccessList parse_access_list(std::string_view text);

/// Makes the list from a specification's: "alice", "group:staff", "*".
[[nodiscard]] AccessList access_list_of(std::span<const std::string> names);

/// The text form that parse_access_list() reads.
[[nodiscard]] std::string to_text(const AccessList& list);

/// Returns a list that admits whoever one of the two admits.
[[nodiscard]] AccessList either(AccessList one, const AccessList& other);

}  // namespace muster::hadoop
