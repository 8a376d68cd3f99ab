#pragma once

#include "hadoop/yarn/report.h"
#include "job/outcome.h"

#include <string>
#include <string_view>

namespace muster::cluster::yarn {

/// Begins what the cluster is told when a job is stopped that has no master yet.
inline constexpr std::string_view kStoppedBy = "stopped by ";

/// Returns how a job ended whose master left no summary, as its cluster tells it. A master that
/// said farewell gave the result; of an application that ended otherwise `words` are all there is,
/// by which a stop (kStoppedBy) is told from what others killed.
[[nodiscard]] job::Outcome outcome_of(const hadoop::yarn::ApplicationReport& report,
                                      std::string words);

}  // namespace muster::cluster::yarn
