#pragma once

#include "base/result.h"
#include "job/plan.h"

#include <cstdint>
#include <string>

namespace muster::eventlog {

/// The PlanOf of every program: parses the resolved Spec and lets its framework fill in the rest.
/// Pure; the same inputs give the same Plan in master, agent and client.
[[nodiscard]] Result<job::Plan> derive_plan(const std::string& plan_json, const std::string& job_id,
                                            uint64_t seed);

}  // namespace muster::eventlog
