#include "hadoop/principal.h"

#include "base/ascii.h"
#include "base/text.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <optional>
#include <utility>

namespace muster::hadoop {
namespace {

RE2::Options quiet() {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(1 << 20);
  return options;
}

/// Returns the length of a "[...]" at the start of `glob`, or 0 if it has no end.
size_t class_length(std::string_view glob) {
  const size_t end = glob.find(']', 2);
  return end == std::string_view::npos ? 0 : end + 1;
}

std::optional<std::string> glob_to_regex(std::string_view glob) {
  std::string out;
  int open = 0;
  for (size_t i = 0; i < glob.size(); ++i) {
    const char c = glob[i];
    if (c == '*') {
      out += ".*";
    } else if (c == '?') {
      out += '.';
    } else if (c == '{') {
      out += "(?:";
      ++open;
    } else if (c == '}' && open > 0) {
      out += ')';
      --open;
    } else if (c == ',' && open > 0) {
      out += '|';
    } else if (c == '[') {
      const size_t length = class_length(glob.substr(i));
      if (length == 0) {
        return std::nullopt;
      }
      out += glob.substr(i, length);
      i += length - 1;
    } else {
      if (c == '\\' && ++i == glob.size()) {
        return std::nullopt;
      }
      out += RE2::QuoteMeta(re2::StringPiece(&glob[i], 1));
    }
  }
  return open == 0 ? std::optional(std::move(out)) : std::nullopt;
}

/// Fills in the principal's parts, as in "$1@$0"; 0 is the realm.
Result<std::string> fill_in(std::string_view format, const Principal& principal) {
  const std::string_view parts[] = {principal.realm, principal.name, principal.instance};
  std::string out;
  for (size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '$') {
      out += format[i];
      continue;
    }
    const size_t number = i + 1 < format.size() ? static_cast<size_t>(format[i + 1] - '0') : 9;
    if (number >= std::size(parts)) {
      return user_error(fmt::format("hadoop.security.auth_to_local: [{}] can only have $0 to $2",
                                    printable(format)));
    }
    out += parts[number];
    ++i;
  }
  return out;
}

/// Java's "$1" is RE2's "\1"; what RE2 would take for a reference is quoted.
std::string replacement(std::string_view java) {
  std::string out;
  for (size_t i = 0; i < java.size(); ++i) {
    if (java[i] == '\\') {
      out += "\\\\";
    } else if (java[i] == '$' && i + 1 < java.size() && java[i + 1] >= '0' && java[i + 1] <= '9') {
      out += '\\';
    } else {
      out += java[i];
    }
  }
  return out;
}

Error wrong_rule(std::string_view rule, std::string_view what) {
  return user_error(fmt::format("hadoop.security.auth_to_local: {} in \"{}\"", what,
                                printable(rule.substr(0, 120))));
}

/// Takes what precedes `end` from the front of `rest`, and `end` itself; nullopt if there is no
/// `end`.
std::optional<std::string> take_until(std::string_view& rest, char end) {
  const size_t at = rest.find(end);
  if (at == std::string_view::npos) {
    return std::nullopt;
  }
  std::string taken(rest.substr(0, at));
  rest.remove_prefix(at + 1);
  return taken;
}

bool take(std::string_view& rest, std::string_view word) {
  if (!rest.starts_with(word)) {
    return false;
  }
  rest.remove_prefix(word.size());
  return true;
}

}  // namespace

Result<Principal> parse_principal(std::string_view text) {
  Principal out;
  const size_t at = text.rfind('@');
  const std::string_view names = text.substr(0, at);
  const size_t slash = names.find('/');
  out.name = names.substr(0, slash);
  if (slash != std::string_view::npos) {
    out.instance = names.substr(slash + 1);
  }
  if (at != std::string_view::npos) {
    out.realm = text.substr(at + 1);
  }
  const bool empty_part = (slash != std::string_view::npos && out.instance.empty()) ||
                          (at != std::string_view::npos && out.realm.empty());
  if (out.name.empty() || empty_part || out.instance.find('/') != std::string::npos ||
      names.find('@') != std::string_view::npos) {
    return user_error(
        fmt::format("\"{}\" is not a Kerberos principal of the form name@REALM or "
                    "name/host@REALM",
                    printable(text)));
  }
  return out;
}

std::string to_string(const Principal& principal) {
  return fmt::format("{}{}{}{}{}", principal.name, principal.instance.empty() ? "" : "/",
                     principal.instance, principal.realm.empty() ? "" : "@", principal.realm);
}

bool matches_glob(std::string_view glob, std::string_view text) {
  const std::optional<std::string> regex = glob_to_regex(glob);
  if (!regex) {
    return false;
  }
  const RE2 compiled(*regex, quiet());
  return compiled.ok() && RE2::FullMatch(re2::StringPiece(text.data(), text.size()), compiled);
}

std::string with_host(std::string_view principal, std::string_view host) {
  constexpr std::string_view kHost = "/_HOST";
  const size_t at = principal.find(kHost);
  const size_t end = at == std::string_view::npos ? at : at + kHost.size();
  if (at == std::string_view::npos || (end < principal.size() && principal[end] != '@')) {
    return std::string(principal);
  }
  return fmt::format("{}/{}{}", principal.substr(0, at), ascii_lower(std::string(host)),
                     principal.substr(end));
}

Result<ShortNames::Rule> ShortNames::parse_rule(std::string_view& rest) {
  const std::string_view all = rest;
  Rule rule;
  if (take(rest, "DEFAULT")) {
    rule.is_default = true;
  } else {
    if (!take(rest, "RULE:[")) {
      return wrong_rule(all, "neither DEFAULT nor RULE:[");
    }
    const std::optional<std::string> parts = take_until(rest, ':');
    if (!parts || parts->size() != 1 || (*parts)[0] < '0' || (*parts)[0] > '9') {
      return wrong_rule(all, "a number of parts is missing after RULE:[");
    }
    rule.parts = static_cast<size_t>((*parts)[0] - '0');
    const std::optional<std::string> format = take_until(rest, ']');
    if (!format) {
      return wrong_rule(all, "missing ] after RULE:[");
    }
    rule.format = *format;
    if (take(rest, "(")) {
      const std::optional<std::string> match = take_until(rest, ')');
      if (!match) {
        return wrong_rule(all, "missing ) after (");
      }
      rule.match = *match;
    }
    if (take(rest, "s/")) {
      const std::optional<std::string> from = take_until(rest, '/');
      const std::optional<std::string> to = from ? take_until(rest, '/') : std::nullopt;
      if (!to) {
        return wrong_rule(all, "not s/from/to/");
      }
      rule.from = *from;
      rule.to = replacement(*to);
      rule.everywhere = take(rest, "g");
    }
  }
  (void)take(rest, "/");
  rule.lower_case = take(rest, "L");
  for (const std::string& regex : {rule.match, rule.from}) {
    if (const RE2 compiled(regex, quiet()); !compiled.ok()) {
      return wrong_rule(all, fmt::format("an invalid regular expression ({})", compiled.error()));
    }
  }
  return rule;
}

Result<ShortNames> ShortNames::parse(std::string_view rules, std::string default_realm) {
  ShortNames out;
  out.default_realm_ = std::move(default_realm);
  std::string_view rest = trim(rules);
  while (!rest.empty()) {
    MUSTER_TRY(Rule rule, parse_rule(rest));
    out.rules_.push_back(std::move(rule));
    rest = trim(rest);
  }
  if (out.rules_.empty()) {
    out.rules_.push_back({.is_default = true});
  }
  return out;
}

Result<std::string> ShortNames::apply(const Rule& rule, const Principal& principal) {
  MUSTER_TRY(std::string name, fill_in(rule.format, principal));
  if (!rule.match.empty() && !RE2::FullMatch(name, RE2(rule.match, quiet()))) {
    return std::string();
  }
  if (!rule.from.empty()) {
    const RE2 from(rule.from, quiet());
    if (rule.everywhere) {
      RE2::GlobalReplace(&name, from, rule.to);
    } else {
      RE2::Replace(&name, from, rule.to);
    }
  }
  if (name.find_first_of("/@") != std::string::npos) {
    return user_error(
        fmt::format("hadoop.security.auth_to_local makes \"{}\" of {}, which is not a "
                    "user name",
                    printable(name), printable(to_string(principal))));
  }
  return rule.lower_case ? ascii_lower(std::move(name)) : name;
}

Result<std::string> ShortNames::of(const Principal& principal) const {
  if (principal.instance.empty() && principal.realm.empty()) {
    return principal.name;
  }
  const size_t parts = principal.instance.empty() ? 1 : 2;
  for (const Rule& rule : rules_) {
    if (rule.is_default) {
      if (default_realm_.empty() || principal.realm.empty() || principal.realm == default_realm_) {
        return rule.lower_case ? ascii_lower(principal.name) : principal.name;
      }
      continue;
    }
    if (rule.parts != parts) {
      continue;
    }
    MUSTER_TRY(std::string name, apply(rule, principal));
    if (!name.empty()) {
      return name;
    }
  }
  return user_error(fmt::format("no rule of hadoop.security.auth_to_local gives {} a short name",
                                printable(to_string(principal))),
                    Errc::NotFound);
}

}  // namespace muster::hadoop
