#pragma once

#include "spec/templates.h"

#include <span>

namespace muster::spec {

/// The files of each template. Inside this module only.
[[nodiscard]] std::span<const TemplateFile> minimal_files();
[[nodiscard]] std::span<const TemplateFile> generic_files();
[[nodiscard]] std::span<const TemplateFile> pytorch_ddp_files();
[[nodiscard]] std::span<const TemplateFile> tensorflow_mirrored_files();
[[nodiscard]] std::span<const TemplateFile> tensorflow_ps_files();

}  // namespace muster::spec
