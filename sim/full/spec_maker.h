#pragma once

#include "sim/random.h"
#include "spec/spec.h"

namespace muster::sim {

/// Where the checkpoints of a job are kept for all hosts.
inline constexpr const char* kMirror = "/mirror";

/// Draws a valid specification: one to four roles with policies at random. Everything that the
/// shells and the machine know how to do comes up in some seed.
[[nodiscard]] spec::Spec make_spec(Random random);

}  // namespace muster::sim
