#pragma once

#include <span>
#include <string_view>

namespace muster::spec {

/// One file of a template; `path` is relative and has no folders.
struct TemplateFile {
  std::string_view path;
  std::string_view text;
};

/// What `muster init NAME` writes: a specification, job.yaml, and what it needs. Each runs as is.
struct Template {
  std::string_view name;
  std::string_view description;  ///< One line.
  std::span<const TemplateFile> files;
};

/// Returns all templates, the simplest first.
[[nodiscard]] std::span<const Template> templates();

}  // namespace muster::spec
