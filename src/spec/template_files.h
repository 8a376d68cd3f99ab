#pragma once

#include "spec/templates.h"

#include <span>
#include <string_view>

namespace muster::spec {

/// Returns the files of src/spec/templates/NAME, job.yaml first; empty if there is no such folder.
/// The build generates the definition (tools/embed). For this module only.
[[nodiscard]] std::span<const TemplateFile> template_files(std::string_view name);

}  // namespace muster::spec
