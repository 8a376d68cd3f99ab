#include "tony/properties.h"

#include "base/text.h"

#include <fmt/format.h>
#include <pugixml.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace muster::tony {
namespace {

constexpr std::string_view kPrefix = "tony.";

size_t line_at(std::string_view text, ptrdiff_t offset) {
  const auto end = text.begin() + std::min<ptrdiff_t>(offset, std::ssize(text));
  return static_cast<size_t>(std::count(text.begin(), end, '\n')) + 1;
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
      document.load_buffer(text.data(), text.size(), pugi::parse_default);
  if (!parsed) {
    return user_error(
        fmt::format("{}:{}: error: {}", file, line_at(text, parsed.offset), parsed.description()));
  }
  const pugi::xml_node root = document.child("configuration");
  if (!root) {
    return user_error(fmt::format("{}:1: error: no <configuration> found", file));
  }
  std::vector<Property> properties;
  for (const pugi::xml_node& node : root.children("property")) {
    const std::string_view name = trim(node.child("name").text().get());
    const size_t line = line_at(text, node.offset_debug());
    if (name.empty()) {
      return user_error(fmt::format("{}:{}: error: a <property> without a <name>", file, line));
    }
    properties.push_back({.name = std::string(name),
                          .value = node.child("value").text().get(),
                          .origin = fmt::format("{}:{}", file, line)});
  }
  return properties;
}

void Properties::add(Property property, bool appends) {
  property.name = present_name(property.name);
  property.value = std::string(trim(property.value));
  const auto there = all_.find(property.name);
  if (there != all_.end() && appends && !there->second.property.value.empty()) {
    there->second.property.value += "," + property.value;
    return;
  }
  std::string name = property.name;
  all_.insert_or_assign(std::move(name), Held{std::move(property), false});
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
