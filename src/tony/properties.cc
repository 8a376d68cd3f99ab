#include "tony/properties.h"

#include "base/text.h"
#include "tony/entities.h"

#include <fmt/format.h>
#include <pugixml.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace muster::tony {
namespace {

constexpr std::string_view kPrefix = "tony.";

/// "tony.xml:3:12"
std::string place(std::string_view file, std::string_view text, ptrdiff_t offset) {
  const auto end = static_cast<size_t>(std::clamp<ptrdiff_t>(offset, 0, std::ssize(text)));
  const std::string_view before = text.substr(0, end);
  const size_t line_end = before.rfind('\n');
  const size_t line_start = line_end == std::string_view::npos ? 0 : line_end + 1;
  return fmt::format("{}:{}:{}", file, std::ranges::count(before, '\n') + 1,
                     before.size() - line_start + 1);
}

std::string line_of(std::string_view file, std::string_view text, ptrdiff_t offset) {
  const std::string all = place(file, text, offset);
  return all.substr(0, all.rfind(':'));
}

/// Returns all text in an element: comments and CDATA sections may occur in the middle of it.
std::string text_of(const pugi::xml_node& element) {
  std::string text;
  for (const pugi::xml_node& node : element.children()) {
    if (node.type() == pugi::node_pcdata || node.type() == pugi::node_cdata) {
      text += node.value();
    }
  }
  return text;
}

/// Returns a property's element of that name or, if it has none, its attribute.
std::optional<std::string> field(const pugi::xml_node& property, const char* name) {
  if (const pugi::xml_node element = property.child(name)) {
    return text_of(element);
  }
  const pugi::xml_attribute attribute = property.attribute(name);
  return attribute ? std::optional<std::string>(attribute.value()) : std::nullopt;
}

/// How many files one file may include, directly or not: each may name the next twice.
constexpr int kIncludesMax = 64;

/// Returns where an `href` in `file` leads: relative to the file's folder, unless it is absolute.
std::string included_by(std::string_view file, std::string_view href) {
  const size_t slash = file.rfind('/');
  const bool whole = href.starts_with('/') || href.find("://") != std::string_view::npos;
  return whole || slash == std::string_view::npos
             ? std::string(href)
             : fmt::format("{}{}", file.substr(0, slash + 1), href);
}

bool is_named(const pugi::xml_node& node, std::string_view name) {
  const std::string_view full = node.name();
  return full == name || (full.ends_with(name) && full[full.size() - name.size() - 1] == ':');
}

/// Reads one file, and those it includes at the places where it includes them.
class FileReader {
 public:
  FileReader(std::string_view text, std::string_view file, const ReadIncluded& read_included,
             int& includes_left)
      : text_(text), file_(file), read_included_(read_included), includes_left_(includes_left) {}

  Status read(std::vector<Property>& to) const {
    pugi::xml_document document;
    MUSTER_TRY_STATUS(parse(document));
    for (const pugi::xml_node& node : document.children()) {
      if (node.type() == pugi::node_doctype &&
          std::string_view(node.value()).find("<!ENTITY") != std::string_view::npos) {
        const Result<std::string> expanded = expand_entities(text_, node.value());
        if (!expanded) {
          return wrong(node.offset_debug(), expanded.error().message);
        }
        const FileReader reader(*expanded, file_, read_included_, includes_left_);
        pugi::xml_document whole;
        MUSTER_TRY_STATUS(reader.parse(whole));
        return reader.take_root(whole, to);
      }
    }
    return take_root(document, to);
  }

 private:
  Status parse(pugi::xml_document& document) const {
    const pugi::xml_parse_result parsed =
        document.load_buffer(text_.data(), text_.size(), pugi::parse_default | pugi::parse_doctype);
    return parsed ? Status()
                  : Status(wrong(parsed.offset,
                                 fmt::format("not well-formed XML: {}", parsed.description())));
  }

  Status take_root(const pugi::xml_document& document, std::vector<Property>& to) const {
    const pugi::xml_node root = document.child("configuration");
    if (!root) {
      return user_error(fmt::format("{}:1:1: error: no <configuration> found", file_));
    }
    return take_all(root, to);
  }

  [[nodiscard]] Error wrong(ptrdiff_t offset, std::string_view what) const {
    return user_error(fmt::format("{}: error: {}", place(file_, text_, offset), what));
  }

  Status take_all(const pugi::xml_node& parent, std::vector<Property>& to) const {
    for (const pugi::xml_node& node : parent.children()) {
      if (node.type() != pugi::node_element) {
        continue;
      }
      if (std::string_view(node.name()) == "configuration") {  // Of an included file.
        MUSTER_TRY_STATUS(take_all(node, to));
      } else {
        MUSTER_TRY_STATUS(is_named(node, "include") ? include(node, to) : take(node, to));
      }
    }
    return {};
  }

  Status take(const pugi::xml_node& node, std::vector<Property>& to) const {
    // The offset is that of the name, one after the bracket.
    const ptrdiff_t offset = node.offset_debug() - 1;
    if (std::string_view(node.name()) != "property") {
      return wrong(offset, fmt::format("<{}> is not <property>", printable(node.name())));
    }
    const std::string name(trim(field(node, "name").value_or("")));
    if (name.empty()) {
      return wrong(offset, "a <property> without a <name>");
    }
    if (auto value = field(node, "value")) {
      to.push_back({.name = name,
                    .value = *std::move(value),
                    .origin = line_of(file_, text_, offset),
                    .is_final = trim(field(node, "final").value_or("")) == "true"});
    }
    return {};
  }

  /// An unreadable file is not an error if there is a fallback, as in Hadoop.
  Status include(const pugi::xml_node& node, std::vector<Property>& to) const {
    const ptrdiff_t offset = node.offset_debug() - 1;
    const std::string_view href = trim(node.attribute("href").value());
    if (href.empty()) {
      return wrong(offset, fmt::format("<{}> without an href", printable(node.name())));
    }
    if (read_included_ == nullptr || includes_left_ == 0) {
      return wrong(
          offset, fmt::format("<{}> of {} is not read: {}", printable(node.name()), printable(href),
                              read_included_ == nullptr
                                  ? "no files are read here"
                                  : "files include each other, or too many are included"));
    }
    --includes_left_;
    const std::string path = included_by(file_, href);
    const Result<std::string> text = read_included_(path);
    if (text.has_value()) {
      return FileReader(*text, path, read_included_, includes_left_).read(to);
    }
    for (const pugi::xml_node& child : node.children()) {
      if (is_named(child, "fallback")) {
        return take_all(child, to);
      }
    }
    return wrong(offset, fmt::format("<{}>: {}", printable(node.name()), text.error().message));
  }

  std::string_view text_;
  std::string_view file_;
  const ReadIncluded& read_included_;
  int& includes_left_;
};

constexpr std::array kRenamed = {
    std::pair<std::string_view, std::string_view>("tony.application.containers.command",
                                                  "tony.containers.command"),
    std::pair<std::string_view, std::string_view>("tony.worker.timeout",
                                                  "tony.task.executor.execution-timeout-ms"),
    std::pair<std::string_view, std::string_view>("tony.docker.image",
                                                  "tony.docker.containers.image"),
    std::pair<std::string_view, std::string_view>("tony.application.docker.image",
                                                  "tony.docker.containers.image"),
    std::pair<std::string_view, std::string_view>("tony.application.docker.enabled",
                                                  "tony.docker.enabled"),
    std::pair<std::string_view, std::string_view>("tony.task.heartbeat-interval",
                                                  "tony.task.heartbeat-interval-ms"),
    std::pair<std::string_view, std::string_view>("tony.application.num-rm-connect-retries",
                                                  "tony.application.num-client-rm-connect-retries"),
    std::pair<std::string_view, std::string_view>("tony.history.cache.max-entries",
                                                  "tony.portal.cache.max-entries"),
    std::pair<std::string_view, std::string_view>("tony.application.test.horovod-test-mode-enable",
                                                  "tony.horovod.mode.test"),
    std::pair<std::string_view, std::string_view>(
        "tony.application.test.horovod-driver-fail-enable", "tony.horovod.mode.test.fast.fail"),
    std::pair<std::string_view, std::string_view>("tony.application.stop.on.failure.jobtypes",
                                                  "tony.application.stop-on-failure-jobtypes"),
    std::pair<std::string_view, std::string_view>(
        "tony.application.fail.on.worker.failure.enabled",
        "tony.application.fail-on-worker-failure-enabled"),
};

}  // namespace

std::string present_name(std::string_view name) {
  for (const auto& [old_name, new_name] : kRenamed) {
    if (name == old_name) {
      return std::string(new_name);
    }
  }
  // tony.application.ROLE.command
  constexpr std::string_view kBegin = "tony.application.";
  constexpr std::string_view kEnd = ".command";
  if (name.starts_with(kBegin) && name.ends_with(kEnd) &&
      name.size() > kBegin.size() + kEnd.size()) {
    return std::string(kPrefix) + std::string(name.substr(kBegin.size()));
  }
  return std::string(name);
}

Result<std::vector<Property>> parse_properties(std::string_view text, std::string_view file,
                                               const ReadIncluded& read_included) {
  std::vector<Property> properties;
  int includes_left = kIncludesMax;
  MUSTER_TRY_STATUS(FileReader(text, file, read_included, includes_left).read(properties));
  return properties;
}

void Properties::add(Property property) {
  property.name = present_name(property.name);
  const auto there = all_.find(property.name);
  if (there == all_.end() || !(there->second.property.is_final || there->second.is_set)) {
    lay(std::move(property), false);
  }
}

void Properties::set(Property property, bool appends) {
  property.name = present_name(property.name);
  const auto there = all_.find(property.name);
  if (there != all_.end() && appends && !there->second.property.value.empty()) {
    there->second.property.value += "," + std::string(trim(property.value));
    there->second.is_set = true;
    return;
  }
  lay(std::move(property), true);
}

void Properties::lay(Property property, bool is_set) {
  property.value = std::string(trim(property.value));
  std::string name = property.name;
  all_.insert_or_assign(std::move(name), Held{.property = std::move(property), .is_set = is_set});
}

std::string Properties::expanded(std::string text,
                                 const std::map<std::string, std::string>& variables) const {
  constexpr int kRoundsMax = 20;
  constexpr size_t kBytesMax = 1 << 20;
  size_t from = 0;
  for (int round = 0; round < kRoundsMax && text.size() < kBytesMax; ++round) {
    const size_t first = text.find("${", from);
    const size_t end = first == std::string::npos ? first : text.find('}', first);
    if (end == std::string::npos) {
      break;
    }
    // The inner of two, as in the shell's ${A:-${tony.ps.memory}}.
    const size_t begin = text.rfind("${", end);
    const auto value = value_of(text.substr(begin + 2, end - begin - 2), variables);
    if (!value) {
      from = end;
      continue;
    }
    text.replace(begin, end + 1 - begin, *value);
  }
  return text;
}

/// Returns the value of what is in `${...}`.
std::optional<std::string> Properties::value_of(
    const std::string& name, const std::map<std::string, std::string>& variables) const {
  constexpr std::string_view kEnvironment = "env.";
  if (const auto variable = variables.find(name); variable != variables.end()) {
    return variable->second;
  }
  if (const auto setting = all_.find(name); setting != all_.end()) {
    return setting->second.property.value;
  }
  // ${env.NAME-otherwise}, ${env.NAME:-otherwise}: the second also if NAME is empty.
  const size_t dash = name.find('-');
  if (!name.starts_with(kEnvironment) || dash == std::string::npos) {
    return std::nullopt;
  }
  const bool empty_counts = name[dash - 1] == ':';
  const auto variable = variables.find(name.substr(0, empty_counts ? dash - 1 : dash));
  const bool is_set = variable != variables.end() && !(empty_counts && variable->second.empty());
  return is_set ? variable->second : name.substr(dash + 1);
}

void Properties::expand(const std::map<std::string, std::string>& variables) {
  std::map<std::string, std::string> values;
  for (const auto& [name, held] : all_) {
    values[name] = expanded(held.property.value, variables);
  }
  for (auto& [name, held] : all_) {
    held.property.value = std::move(values[name]);
  }
}

const Property* Properties::take(const std::string& name) {
  const auto found = all_.find(name);
  if (found == all_.end()) {
    return nullptr;
  }
  found->second.taken = true;
  return &found->second.property;
}

std::vector<std::string> Properties::names(std::string_view begin, std::string_view end) const {
  std::vector<std::string> names;
  for (const auto& [name, held] : all_) {
    if (name.starts_with(begin) && name.ends_with(end) && name.size() > begin.size() + end.size()) {
      names.push_back(name);
    }
  }
  return names;
}

std::vector<Property> Properties::all() const {
  std::vector<Property> all;
  for (const auto& [name, held] : all_) {
    all.push_back(held.property);
  }
  return all;
}

std::vector<Property> Properties::rest() const {
  std::vector<Property> rest;
  for (const auto& [name, held] : all_) {
    if (!held.taken) {
      rest.push_back(held.property);
    }
  }
  return rest;
}

}  // namespace muster::tony
