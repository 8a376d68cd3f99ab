#pragma once

#include "hadoop/conf_file.h"
#include "hadoop/configuration.h"

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace muster::hadoop {

/// Files in memory by path.
inline ReadFile read_from(std::map<std::string, std::string> files) {
  return [files = std::move(files)](const std::filesystem::path& path) -> Result<std::string> {
    const auto found = files.find(path.string());
    if (found == files.end()) {
      return user_error(path.string() + ": no such file", Errc::NotFound);
    }
    return found->second;
  };
}

inline std::string property(std::string_view name, std::string_view value) {
  return fmt::format("<property><name>{}</name><value>{}</value></property>\n", name, value);
}

/// Returns a configuration with the given properties, all from "test.xml", one per line.
inline Configuration configured(const std::vector<std::pair<std::string, std::string>>& items,
                                Surroundings surroundings = {}) {
  Configuration configuration(std::move(surroundings));
  uint32_t line = 0;
  for (const auto& [name, value] : items) {
    configuration.add({.name = name,
                       .value = value,
                       .is_final = false,
                       .origin = {.file = "test.xml", .line = ++line, .column = 3}});
  }
  return configuration;
}

}  // namespace muster::hadoop
