#pragma once

#include "hadoop/yarn/report.h"
#include "job/outcome.h"

#include <string>
#include <string_view>

namespace muster::cluster::yarn {

/// The beginning of what the cluster is told when a job is stopped that has no master yet.
inline constexpr std::string_view kStoppedBy = "stopped by ";

/// Returns how a job whose master left no summary ended, according to its cluster. A master that
/// unregistered has given the result; for an application that ended otherwise there are only
/// `words`, in which kStoppedBy distinguishes a stop from other kills.
[[nodiscard]] job::Outcome outcome_of(const hadoop::yarn::ApplicationReport& report,
                                      std::string words);

}  // namespace muster::cluster::yarn
