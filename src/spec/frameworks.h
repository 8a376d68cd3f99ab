#pragma once

#include <span>
#include <string_view>

namespace muster::spec {

/// A framework that is only data: a part of a specification that is placed below that of each job
/// that names it.
struct FrameworkFile {
  std::string_view name;
  std::string_view text;  ///< YAML, as in docs/frameworks.md.
};

/// Returns the frameworks in src/spec/frameworks, which every Muster knows. The build generates the
/// definition (tools/embed).
[[nodiscard]] std::span<const FrameworkFile> framework_files();

}  // namespace muster::spec
