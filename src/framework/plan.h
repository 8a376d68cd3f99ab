#pragma once

#include "base/result.h"
#include "job/plan.h"
#include "spec/spec.h"

#include <cstdint>

namespace muster::framework {

/// What the Spec does not say but the Plan needs.
struct PlanContext {
  job::JobId job;
  uint64_t seed = 0;
  /// How long agents wait for a new master where `liveness.orphan` is open (local and yarn 15 min).
  Duration orphan = std::chrono::minutes(15);
};

/// Fills in every default and everything that the job's framework proposes. The same Spec and
/// context give the same Plan. Errors are the user's: policies that contradict each other or the
/// framework, a framework that this version does not know, more tasks than the framework's
/// variables can name.
[[nodiscard]] Result<job::Plan> plan(const spec::Spec& spec, const PlanContext& context);

}  // namespace muster::framework
