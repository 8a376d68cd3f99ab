#pragma once

#include "base/result.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace muster::hadoop {

/// A Kerberos principal: "alice@EXAMPLE", "nn/host.example@EXAMPLE".
struct Principal {
  std::string name;
  std::string instance;  ///< Empty: none.
  std::string realm;     ///< Empty: none.
  bool operator==(const Principal&) const = default;
};

/// Parses a principal of one or two parts, with a realm or without.
[[nodiscard]] Result<Principal> parse_principal(std::string_view text);
[[nodiscard]] std::string to_string(const Principal& principal);

/// True if `text` matches Hadoop's glob: `*`, `?`, `[a-z]`, `{one,two}`, `\` before a literal. A
/// glob that is malformed matches nothing.
[[nodiscard]] bool matches_glob(std::string_view glob, std::string_view text);

/// Replaces _HOST in "nn/_HOST@EXAMPLE" by the host's name in lower case.
[[nodiscard]] std::string with_host(std::string_view principal, std::string_view host);

/// Turns principals into the short names under which clusters know users
/// (hadoop.security.auth_to_local: DEFAULT and RULE:[n:format](match)s/from/to/gL).
class ShortNames {
 public:
  /// Parses the rules; wrong ones are errors that quote them. `default_realm` is that of krb5.conf;
  /// empty: unknown, then DEFAULT takes every realm.
  [[nodiscard]] static Result<ShortNames> parse(std::string_view rules, std::string default_realm);

  /// Returns the short name by the first rule that matches; NotFound if none does.
  [[nodiscard]] Result<std::string> of(const Principal& principal) const;

 private:
  struct Rule {
    bool is_default = false;
    size_t parts = 0;    ///< Of the principal, without the realm.
    std::string format;  ///< "$1@$0".
    std::string match;   ///< Empty: everything.
    std::string from;    ///< Empty: nothing is replaced.
    std::string to;
    bool everywhere = false;
    bool lower_case = false;
  };
  static Result<Rule> parse_rule(std::string_view& rest);
  [[nodiscard]] static Result<std::string> apply(const Rule& rule, const Principal& principal);

  std::vector<Rule> rules_;
  std::string default_realm_;
};

}  // namespace muster::hadoop
