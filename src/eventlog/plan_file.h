#pragma once

#include "base/result.h"
#include "base/time.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace muster::eventlog {

/// The content of a job's plan.json (schema muster.plan/1): what the client decided at submission
/// and the master starts from. Every process of the job derives the same Plan from it.
struct PlanFile {
  std::string job_id;
  uint64_t seed = 0;
  WallTime submitted{};
  std::string on = "local";    ///< The cluster's name.
  std::string user;            ///< Who submitted, for users.
  std::string working_folder;  ///< The user's working folder; "" if unknown.
  std::string python;          ///< The client's own python3, for hints; "" if there is none.
  std::string spec_json;       ///< spec::to_json of the resolved Spec.
};

/// Returns the file's text.
[[nodiscard]] std::string to_text(const PlanFile& file);
/// Reads it back; errors (Corrupt) name what is wrong.
[[nodiscard]] Result<PlanFile> parse_plan_file(std::string_view text);

}  // namespace muster::eventlog
