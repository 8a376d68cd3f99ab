#pragma once

#include <span>
#include <string_view>

namespace muster::app {

/// A library that is linked into this program.
struct LinkedLibrary {
  std::string_view name;
  std::string_view version;  ///< Of the Debian package that it comes from; fixes count there.
};

/// Returns all of them by name, as reported by tools/sbom when the build was configured.
[[nodiscard]] std::span<const LinkedLibrary> linked_libraries();

}  // namespace muster::app
