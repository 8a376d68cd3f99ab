#include "hadoop/configuration.h"

#include "base/text.h"
#include "hadoop/conf_defaults.h"
#include "hadoop/conf_value.h"

#include <fmt/format.h>

#include <utility>

namespace muster::hadoop {
namespace {

constexpr int kExpansionsMax = 20;
constexpr size_t kExpandedBytesMax = 1U << 20;
constexpr size_t kShownBytesMax = 120;

struct Span {
  size_t begin;  ///< Of the name within "${name}".
  size_t end;
};

/// Finds the first "${name}" whose name has neither '$', '}' nor a blank; if they are nested, the
/// innermost.
std::optional<Span> find_variable(std::string_view text) {
  for (size_t at = text.find("${"); at != std::string_view::npos; at = text.find("${", at + 1)) {
    const size_t begin = at + 2;
    const size_t end = text.find_first_of("}$ ", begin);
    if (end != std::string_view::npos && text[end] == '}' && end > begin) {
      return Span{.begin = begin, .end = end};
    }
  }
  return std::nullopt;
}

/// "NAME", "NAME-default" (unset) or "NAME:-default" (unset or empty).
std::optional<std::string> environment_value(const std::map<std::string, std::string>& environment,
                                             std::string_view word) {
  const size_t dash = word.find_first_of(":-");
  const bool or_empty =
      dash != std::string_view::npos && word[dash] == ':' && word.substr(dash).starts_with(":-");
  const bool or_unset = dash != std::string_view::npos && word[dash] == '-';
  const std::string_view name = or_empty || or_unset ? word.substr(0, dash) : word;
  const auto found = environment.find(std::string(name));
  if (found != environment.end() && !(or_empty && found->second.empty())) {
    return found->second;
  }
  if (or_empty || or_unset) {
    return std::string(word.substr(dash + (or_empty ? 2 : 1)));
  }
  return std::nullopt;
}

std::string shown(std::string_view value) {
  return value.size() <= kShownBytesMax ? printable(value)
                                        : printable(value.substr(0, kShownBytesMax)) + "...";
}

void append_xml(std::string& out, std::string_view text) {
  for (const char c : text) {
    switch (c) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      case '\r':
        out += "&#13;";
        break;
      default:
        out += c;
    }
  }
}

}  // namespace

Configuration::Configuration(Surroundings surroundings) : surroundings_(std::move(surroundings)) {}

void Configuration::put(const std::string& name, const ConfItem& item) {
  const auto found = properties_.find(name);
  if (found != properties_.end() && found->second.is_final) {
    if (found->second.value != item.value) {
      notes_.push_back(fmt::format("{}: {} has no effect: it is final in {}",
                                   to_string(item.origin), name, to_string(found->second.origin)));
    }
    return;
  }
  properties_[name] = {.value = item.value, .is_final = item.is_final, .origin = item.origin};
}

void Configuration::add(const ConfItem& item) { put(std::string(current_name(item.name)), item); }

void Configuration::set(std::string_view name, std::string_view value, std::string_view why) {
  properties_[std::string(current_name(name))] = {
      .value = std::string(value), .is_final = true, .origin = {.file = std::string(why)}};
}

const Configuration::Property* Configuration::find(std::string_view name) const {
  const auto found = properties_.find(current_name(name));
  return found == properties_.end() ? nullptr : &found->second;
}

bool Configuration::is_set(std::string_view name) const { return find(name) != nullptr; }

Error Configuration::wrong(std::string_view name, std::string_view what) const {
  const Property* property = find(name);
  if (property == nullptr) {
    return user_error(fmt::format("the Hadoop configuration lacks {}: {}", name, what));
  }
  return user_error(fmt::format("{}: error: {} is \"{}\": {}", to_string(property->origin), name,
                                shown(trim(property->value)), what));
}

std::optional<std::string> Configuration::variable(std::string_view name) const {
  if (name.starts_with("env.") && name.size() > 4) {
    return environment_value(surroundings_.environment, name.substr(4));
  }
  // As in Java, properties of the process win over those of the files.
  const auto own = surroundings_.properties.find(std::string(name));
  if (own != surroundings_.properties.end()) {
    return own->second;
  }
  if (const Property* property = find(name); property != nullptr) {
    return property->value;
  }
  const std::optional<std::string_view> value = default_value(current_name(name));
  return value ? std::optional<std::string>(*value) : std::nullopt;
}

Result<std::string> Configuration::expand(std::string_view name, std::string text) const {
  std::string original = text;
  for (int round = 0; round < kExpansionsMax; ++round) {
    const std::optional<Span> span = find_variable(text);
    if (!span) {
      return text;
    }
    const std::string word = text.substr(span->begin, span->end - span->begin);
    const std::optional<std::string> value = variable(word);
    // Hadoop's own rules: an unknown variable stays as it is, and so does one that refers to
    // itself.
    if (!value) {
      return text;
    }
    if (value->find("${" + word + "}") != std::string::npos) {
      return original;
    }
    text.replace(span->begin - 2, word.size() + 3, *value);
    if (text.size() > kExpandedBytesMax) {
      return wrong(name, fmt::format("it grows beyond {} when ${{...}} is expanded",
                                     format_bytes(kExpandedBytesMax)));
    }
  }
  return wrong(name,
               fmt::format("it needs {} or more expansions of ${{...}}; write the value itself",
                           kExpansionsMax));
}

Result<std::string> Configuration::text(std::string_view name) const {
  std::optional<std::string> value;
  if (const Property* property = find(name); property != nullptr) {
    value = property->value;
  } else if (const auto built_in = default_value(current_name(name)); built_in) {
    value = *built_in;
  }
  if (!value) {
    return std::string();
  }
  MUSTER_TRY(const std::string expanded, expand(name, std::move(*value)));
  return std::string(trim(expanded));
}

Result<bool> Configuration::flag(std::string_view name) const {
  MUSTER_TRY(const std::string value, text(name));
  const std::optional<std::string_view> built_in = default_value(current_name(name));
  return parse_flag(value).value_or(built_in && parse_flag(*built_in).value_or(false));
}

Result<int64_t> Configuration::number(std::string_view name) const {
  MUSTER_TRY(const std::string value, text(name));
  if (const std::optional<int64_t> parsed = parse_number(value); parsed) {
    return *parsed;
  }
  return wrong(name, "must be a whole number");
}

Result<int64_t> Configuration::number(std::string_view name, int64_t low, int64_t high) const {
  MUSTER_TRY(const int64_t value, number(name));
  if (value < low || value > high) {
    return wrong(name, fmt::format("must be a number from {} to {}", low, high));
  }
  return value;
}

Result<int64_t> Configuration::size_bytes(std::string_view name) const {
  MUSTER_TRY(const std::string value, text(name));
  const std::optional<int64_t> parsed = parse_size(value);
  if (!parsed || *parsed < 0) {
    return wrong(name, "must be a number of bytes, such as 134217728 or 128m");
  }
  return *parsed;
}

Result<Duration> Configuration::duration(std::string_view name, Duration unit) const {
  MUSTER_TRY(const std::string value, text(name));
  if (const std::optional<Duration> parsed = parse_duration(value, unit); parsed) {
    return *parsed;
  }
  return wrong(name, "must be a time, such as 30s or 500ms");
}

Result<std::vector<std::string>> Configuration::list(std::string_view name) const {
  MUSTER_TRY(const std::string value, text(name));
  return parse_list(value);
}

Result<net::HostPort> Configuration::address(std::string_view name, uint16_t default_port) const {
  MUSTER_TRY(const std::string value, text(name));
  if (std::optional<net::HostPort> parsed = parse_address(value, default_port); parsed) {
    return std::move(*parsed);
  }
  const std::string needed =
      default_port == 0
          ? "must be an address of the form host:port"
          : fmt::format("must be an address of the form host:port or host (then port {})",
                        default_port);
  const Property* property = find(name);
  const bool expanded = property != nullptr && value != trim(property->value);
  return wrong(name,
               expanded ? fmt::format("that makes \"{}\"; {}", shown(value), needed) : needed);
}

std::string Configuration::to_xml() const {
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<configuration>\n";
  for (const auto& [name, property] : properties_) {
    const Result<std::string> value = text(name);
    out += "  <property><name>";
    append_xml(out, name);
    out += "</name><value>";
    append_xml(out, value ? *value : property.value);
    out += "</value></property>\n";
  }
  return out + "</configuration>\n";
}

}  // namespace muster::hadoop
