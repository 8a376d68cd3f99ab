#include "eventlog/derive_plan.h"

#include "framework/plan.h"
#include "spec/write/serialize.h"

namespace muster::eventlog {

Result<job::Plan> derive_plan(const std::string& plan_json, const std::string& job_id,
                              uint64_t seed) {
  MUSTER_TRY(const spec::Spec spec, spec::parse_json(plan_json));
  return framework::plan(spec, {.job = job::JobId(job_id), .seed = seed});
}

}  // namespace muster::eventlog
