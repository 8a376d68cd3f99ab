#pragma once

#include "sim/random.h"
#include "spec/spec.h"

namespace muster::sim {

/// Where a job's checkpoints are kept for all hosts.
inline constexpr const char* kMirror = "/mirror";

/// Draws a valid specification: one to four roles with policies drawn at random. Everything that
/// the shells and the machine can do comes up in some seed.
[[nodiscard]] spec::Spec make_spec(Random random);

}  // namespace muster::sim
