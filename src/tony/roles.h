#pragma once

#include "base/result.h"
#include "spec/spec.h"
#include "tony/reading.h"

namespace muster::tony {

/// Makes the roles of TonY's job types: `tony.TYPE.instances` and what belongs to it, stages, and
/// what the end of each type means. `spec` has what is common to all. Errors: a stage that names no
/// type, a type without a command.
[[nodiscard]] Status convert_roles(Reading& reading, spec::Spec& spec);

}  // namespace muster::tony
