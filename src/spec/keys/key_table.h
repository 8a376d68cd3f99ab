#pragma once

#include "base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace muster::spec {

/// Where a key may stand.
enum class Place : uint8_t { Top, Role, Site };
[[nodiscard]] std::string_view to_string(Place place);

/// One key with everything that people may want to know about it.
struct KeyInfo {
  std::string path;      ///< "restart.window", "roles.<role>.memory", "files[].src", "limits.tasks"
  std::string type;      ///< "size", "one of gang, as_granted"
  std::string fallback;  ///< The built-in value as YAML, or what applies when it is not set.
  std::vector<std::string_view> choices;
  std::string doc;
  Place place = Place::Top;
  bool required = false;
  std::string_view since;
};

/// Returns every key in the order of the reference page: those of the top, of a role, of the site
/// file.
[[nodiscard]] std::vector<KeyInfo> key_table();

/// Returns the documentation of a key for a terminal. `key` may be a whole path, with or without a
/// role's name (`roles.worker.memory`, `roles.memory`), or only its end (`memory`). The error
/// suggests similar keys.
[[nodiscard]] Result<std::string> explain(std::string_view key);

/// Returns all keys for a terminal, one line each: path, type, built-in value.
[[nodiscard]] std::string key_list();

/// Returns the JSON Schema (2020-12) of a specification, indented, with a line break at the end.
[[nodiscard]] std::string json_schema();

/// Returns docs/reference/spec.md.
[[nodiscard]] std::string reference_markdown();

}  // namespace muster::spec
