#pragma once

#include "eventlog/plan_file.h"
#include "job/plan.h"

#include <string>
#include <string_view>

namespace muster::eventlog {

/// Returns what was submitted, for the job's page (schema muster.job/1), as one line of JSON:
/// `job`, `name`, `user`, `submitted` (ISO 8601), `on`, `queue`, `command`, `working_folder`,
/// `framework`, the resolved specification as `spec` and the plan as `plan`. Literal values of
/// environment variables whose names sound secret are hidden.
[[nodiscard]] std::string job_json(const job::Plan& plan, const PlanFile& file);

}  // namespace muster::eventlog
