#pragma once

#include "base/result.h"
#include "spec/check/file_check.h"
#include "spec/read/document.h"
#include "spec/spec.h"

#include <string>
#include <string_view>

namespace muster::spec {

/// Returns the file in the task's folder that a command starts by a relative name: `train.py` for
/// "python3 -u train.py --epochs 3", `run.sh` for "./run.sh". "" if it starts none, or if only a
/// shell can tell.
[[nodiscard]] std::string program_of(std::string_view command);

/// Checks whether the program that each role starts is among the files of its tasks, whose folders
/// hold nothing else. Roles with archives or an image, whose content only their host knows, are
/// skipped. On failure the message has lines like those of `load`. `document` is Loaded::document.
[[nodiscard]] Status check_programs(const Spec& spec, const Node& document, FileProbe& probe);

}  // namespace muster::spec
