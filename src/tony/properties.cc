#include "tony/properties.h"

#include "base/text.h"

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

/// What a property says by an element or, where it has none, by an attribute of that name.
std::optional<std::string_view> field(const pugi::xml_node& property, const char* name) {
  if (const pugi::xml_node element = property.child(name)) {
    return element.text().get();
  }
  const pugi::xml_attribute attribute = property.attribute(name);
  return attribute ? std::optional<std::string_view>(attribute.value()) : std::nullopt;
}

constexpr std::array kRenamed = {
    std::pair<std::string_view, std::string_view>("tony.application.containers.command",
                                                  "tony.containers.command"),
    std::pair<std::string_view, std::string_view>("tony.worker.timeout",
                                                  "tony.task.executor.execution-timeout-ms"),
    std::pair<std::string_view, std::string_view>("tony.docker.image",
                                                  "tony.docker.containers.image"),
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

Result<std::vector<Property>> parse_properties(std::string_view text, std::string_view file) {
  pugi::xml_document document;
  const pugi::xml_parse_result parsed =
      document.load_buffer(text.data(), text.size(), pugi::parse_default | pugi::parse_doctype);
  if (!parsed) {
    return user_error(fmt::format("{}: error: not well-formed XML: {}",
                                  place(file, text, parsed.offset), parsed.description()));
  }
  for (const pugi::xml_node& node : document.children()) {
    if (node.type() == pugi::node_doctype &&
        std::string_view(node.value()).find("<!ENTITY") != std::string_view::npos) {
      return user_error(fmt::format(
          "{}: error: entities declared in the DOCTYPE are not expanded; write their values where "
          "they are used",
          place(file, text, node.offset_debug())));
    }
  }
  const pugi::xml_node root = document.child("configuration");
  if (!root) {
    return user_error(fmt::format("{}:1:1: error: no <configuration> found", file));
  }
  std::vector<Property> properties;
  for (const pugi::xml_node& node : root.children()) {
    if (node.type() != pugi::node_element) {
      continue;
    }
    // The offset is that of the name, one after the bracket.
    const ptrdiff_t offset = node.offset_debug() - 1;
    if (std::string_view(node.name()).ends_with("include")) {
      return user_error(fmt::format("{}: error: <{}> is not read; copy the properties of {} here",
                                    place(file, text, offset), printable(node.name()),
                                    printable(node.attribute("href").value())));
    }
    if (std::string_view(node.name()) != "property") {
      return user_error(fmt::format("{}: error: <{}> is not <property>", place(file, text, offset),
                                    printable(node.name())));
    }
    const std::string_view name = trim(field(node, "name").value_or(""));
    if (name.empty()) {
      return user_error(
          fmt::format("{}: error: a <property> without a <name>", place(file, text, offset)));
    }
    const auto value = field(node, "value");
    if (!value) {
      continue;
    }
    properties.push_back({.name = std::string(name),
                          .value = std::string(*value),
                          .origin = line_of(file, text, offset),
                          .is_final = trim(field(node, "final").value_or("")) == "true"});
  }
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
    const size_t begin = text.find("${", from);
    const size_t end = begin == std::string::npos ? begin : text.find('}', begin);
    if (end == std::string::npos) {
      break;
    }
    const std::string name = text.substr(begin + 2, end - begin - 2);
    const auto setting = all_.find(name);
    const auto variable = variables.find(name);
    if (setting == all_.end() && variable == variables.end()) {
      from = end;
      continue;
    }
    text.replace(begin, end + 1 - begin,
                 variable != variables.end() ? variable->second : setting->second.property.value);
  }
  return text;
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
